/** Bonded validators and their tokens, for modules that weigh votes. */
import { BondStatus, type Validator } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from './errors.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { POWER_REDUCTION, tokensOf } from './validator.ts'
import { getValidator } from './validators.ts'

export function isBonded({ status }: Validator): boolean {
  return status === BondStatus.BONDED
}

/**
 * Returns the bonded validators in descending order of power, at most `max_validators`. The last validator, which makes blocks even
 * in jail (D25), counts as bonded.
 */
export function bondedByPower(ctx: ReadContext): readonly Validator[] {
  const limit = params(ctx).maxValidators
  const found: Validator[] = []
  for (const [, operator] of state.byPower.iterate(ctx, { reverse: true })) {
    if (found.length >= limit) break
    const validator = getValidator(ctx, operator)
    if (validator && isBonded(validator)) found.push(validator)
  }
  return found.length > 0 ? found : remaining(ctx)
}

/** Returns the bonded validators that the index by power omits because they are in jail, strongest first. */
function remaining(ctx: ReadContext): readonly Validator[] {
  const validators = [...state.lastPowers.keys(ctx)].flatMap((operator) => getValidator(ctx, operator) ?? [])
  return validators.filter(isBonded).sort((a, b) => (tokensOf(a) > tokensOf(b) ? -1 : 1))
}

/**
 * Returns the total of bonded tokens, in the bond denom: the sum of what validators record. A coin that reached the pool in
 * another way changes no quorum.
 */
export function bondedTokens(ctx: ReadContext): bigint {
  let total = 0n
  // Validators with a power reported to the engine are exactly the bonded ones: their status changes only with it.
  for (const operator of state.lastPowers.keys(ctx)) {
    const validator = getValidator(ctx, operator)
    if (validator && isBonded(validator)) total += tokensOf(validator)
  }
  return total
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
