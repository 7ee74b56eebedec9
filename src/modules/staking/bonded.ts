/** Bonded validators and their tokens, for modules that weigh votes. */
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

/** Returns the bonded validators in descending order of power, at most `max_validators`. */
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

/** Returns the total of bonded tokens, in the bond denom. */
export function bondedTokens(ctx: ReadContext): bigint {
  return bank.balance(ctx, state.bondedPool.address, params(ctx).bondDenom)
}

/** Returns the power of all bonded tokens. */
export function bondedPower(ctx: ReadContext): bigint {
  return bondedTokens(ctx) / POWER_REDUCTION
}

/** Returns a bonded validator. Throws staking 3 if the validator does not exist or is not bonded. */
export function requireBonded(ctx: ReadContext, operator: Uint8Array): Validator {
  const validator = getValidator(ctx, operator)
  if (validator && isBonded(validator)) return validator
  throw errors.noValidatorFound(`validator ${address.formatValidator(ctx, operator)} is not active set`)
}
