/** What staking tells others, at the moments the reference does. */
import type { Decimal } from '../../primitives/decimal.ts'
import { defineHook } from '../../sdk/hook.ts'

interface OfValidator {
  readonly operator: Uint8Array
}

interface OfConsensus extends OfValidator {
  /** Consensus address, 20 bytes. */
  readonly consensus: Uint8Array
}

interface OfDelegation extends OfValidator {
  readonly delegator: Uint8Array
}

export const afterValidatorCreated = defineHook<OfValidator>('staking.afterValidatorCreated')
/** Its record is gone already. */
export const afterValidatorRemoved = defineHook<OfConsensus>('staking.afterValidatorRemoved')
export const afterValidatorBonded = defineHook<OfConsensus>('staking.afterValidatorBonded')
/** Before tokens are burned; the fraction is of the tokens that the validator has. */
export const beforeValidatorSlashed = defineHook<OfValidator & { readonly fraction: Decimal }>(
  'staking.beforeValidatorSlashed',
)
export const beforeDelegationCreated = defineHook<OfDelegation>('staking.beforeDelegationCreated')
export const beforeDelegationSharesModified = defineHook<OfDelegation>('staking.beforeDelegationSharesModified')
export const afterDelegationModified = defineHook<OfDelegation>('staking.afterDelegationModified')
