/** The hooks of staking, run at the same points as in the Cosmos SDK unless their comment says otherwise. */
import type { Decimal } from '../../primitives/decimal.ts'
import { defineHook } from '../../sdk/hook.ts'

interface ValidatorPayload {
  readonly operator: Uint8Array
}

interface ConsensusPayload extends ValidatorPayload {
  /** Consensus address, 20 bytes. */
  readonly consensus: Uint8Array
}

interface DelegationPayload extends ValidatorPayload {
  readonly delegator: Uint8Array
}

/** Runs before a message creates a validator. A listener throws to refuse the key. The Cosmos SDK has no such hook. */
export const beforeValidatorCreated = defineHook<ConsensusPayload>('staking.beforeValidatorCreated')
export const afterValidatorCreated = defineHook<ValidatorPayload>('staking.afterValidatorCreated')
/** Runs after the validator's record is deleted. */
export const afterValidatorRemoved = defineHook<ConsensusPayload>('staking.afterValidatorRemoved')
export const afterValidatorBonded = defineHook<ConsensusPayload>('staking.afterValidatorBonded')
/** Runs before tokens are burned. The fraction refers to the validator's present tokens. */
export const beforeValidatorSlashed = defineHook<ValidatorPayload & { readonly fraction: Decimal }>(
  'staking.beforeValidatorSlashed',
)
export const beforeDelegationCreated = defineHook<DelegationPayload>('staking.beforeDelegationCreated')
export const beforeDelegationSharesModified = defineHook<DelegationPayload>('staking.beforeDelegationSharesModified')
export const afterDelegationModified = defineHook<DelegationPayload>('staking.afterDelegationModified')
