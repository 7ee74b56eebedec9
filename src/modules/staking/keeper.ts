/** Staking for other modules and the application: validators, delegations, slashes and the validator set. */
export { bondedByPower, bondedPower, bondedTokens, isBonded, requireBonded } from './bonded.ts'
export { delegationsOf, getDelegation } from './delegation.ts'
export { BLOCK_PROTOCOL, recordedBlockHash, recordedHeight } from './history.ts'
export { params } from './params.ts'
export { jail, slash, unjail } from './slash.ts'
export { updatesOfBlock, updateValidatorSet, validatorSet } from './updates.ts'
export { consensusAddress, powerOf, sharesOf, tokensFromShares, tokensOf } from './validator.ts'
export { getValidator, operatorBytes, operatorOf, operators, requireValidator } from './validators.ts'
