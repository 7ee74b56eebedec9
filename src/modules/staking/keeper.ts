/** What other modules and the application ask of staking. */
export { getDelegation } from './delegation.ts'
export { BLOCK_PROTOCOL, keptBlockHash } from './history.ts'
export { params } from './params.ts'
export { updatesOfBlock, updateValidatorSet, validatorSet } from './updates.ts'
export { getValidator, operatorOf } from './validators.ts'
