/** What other modules and the application ask of staking. */
export { bondedByPower, bondedPower, isBonded, requireBonded } from './bonded.ts'
export { getDelegation } from './delegation.ts'
export { BLOCK_PROTOCOL, keptBlockHash } from './history.ts'
export { params } from './params.ts'
export { updatesOfBlock, updateValidatorSet, validatorSet } from './updates.ts'
export { consensusAddress, powerOf } from './validator.ts'
export { getValidator, operatorBytes, operatorOf, requireValidator } from './validators.ts'
