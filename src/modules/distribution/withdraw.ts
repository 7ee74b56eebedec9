/** Withdrawal of rewards from a delegation that continues. */
import type { Coin } from '../../primitives/coin.ts'
import type { Context } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { errors } from './errors.ts'
import { beginDelegation, payDelegation } from './rewards.ts'

/** Pays a delegator its rewards from a validator. Throws distribution 5, 6. */
export function withdrawRewards(ctx: Context, delegator: Uint8Array, operator: Uint8Array): readonly Coin[] {
  const validator = staking.getValidator(ctx, operator)
  if (!validator) throw errors.noValidatorInfo()
  const delegation = staking.getDelegation(ctx, delegator, operator)
  if (!delegation) throw errors.noDelegationInfo()
  const paid = payDelegation(ctx, operator, delegator, validator, delegation)
  if (!paid) throw errors.noDelegationInfo()
  beginDelegation(ctx, operator, delegator)
  return paid
}
