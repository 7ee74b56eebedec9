/** The bonded validators, as those who count votes see them. */
import { BondStatus, type Validator } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as bank from '../bank/keeper.ts'
import { errors } from './errors.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { POWER_REDUCTION } from './validator.ts'
import { getValidator } from './validators.ts'

export function isBonded({ status }: Validator): boolean {
  return status === BondStatus.BONDED
}

/** The strongest bonded validators, in descending order of power, as many as may be active. */
export function bondedByPower(ctx: ReadContext): readonly Validator[] {
  const limit = params(ctx).maxValidators
  const found: Validator[] = []
  for (const [, operator] of state.byPower.iterate(ctx, { reverse: true })) {
    if (found.length >= limit) break
    const validator = getValidator(ctx, operator)
    if (validator && isBonded(validator)) found.push(validator)
  }
  return found
}

/** All bonded tokens, in the bond denom. */
export function bondedTokens(ctx: ReadContext): bigint {
  return bank.balance(ctx, state.bondedPool.address, params(ctx).bondDenom)
}

/** Power of all bonded tokens. */
export function bondedPower(ctx: ReadContext): bigint {
  return bondedTokens(ctx) / POWER_REDUCTION
}

/** Throws staking 3 unless a validator exists and is bonded. */
export function requireBonded(ctx: ReadContext, operator: Uint8Array): Validator {
  const validator = getValidator(ctx, operator)
  if (validator && isBonded(validator)) return validator
  throw errors.noValidatorFound(`validator ${address.formatValidator(ctx, operator)} is not active set`)
}
