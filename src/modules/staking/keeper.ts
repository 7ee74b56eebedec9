/** What other modules and the application ask of staking. */
export { delegate, getDelegation, poolOf } from './delegation.ts'
export { lastValidators } from './history.ts'
export { params } from './params.ts'
export { type PowerUpdate, updatesOfBlock } from './updates.ts'
export { consensusAddress, consensusKey, powerOf, tokensOf } from './validator.ts'
export { getValidator, operatorOf } from './validators.ts'
