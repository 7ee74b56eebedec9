/** Stored validators and their indexes. */
import type { Validator } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import * as address from '../../identity/address.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { errors } from './errors.ts'
import { afterValidatorRemoved } from './hooks.ts'
import * as state from './state.ts'
import { consensusAddress, MAX_POWER, powerOf } from './validator.ts'

export function operatorBytes(ctx: ReadContext, validator: Validator): Uint8Array {
  return address.parseValidator(ctx, validator.operatorAddress)
}

export function getValidator(ctx: ReadContext, operator: Uint8Array): Validator | undefined {
  return state.validators.get(ctx, operator)
}

/** Returns the operators of all validators, ordered by bytes. */
export function operators(ctx: ReadContext): readonly Uint8Array[] {
  return [...state.validators.keys(ctx)]
}

/** Returns a validator. Throws staking 3 if it does not exist. */
export function requireValidator(ctx: ReadContext, operator: Uint8Array): Validator {
  const validator = getValidator(ctx, operator)
  if (!validator) throw errors.noValidatorFound()
  return validator
}

/** Returns the operator of a consensus address; undefined if it is unknown. */
export function operatorOf(ctx: ReadContext, consensus: Uint8Array): Uint8Array | undefined {
  return state.operators.get(ctx, consensus)
}

/** Stores a validator, with its address in canonical spelling. */
export function setValidator(ctx: Context, validator: Validator): void {
  const operator = operatorBytes(ctx, validator)
  const operatorAddress = address.formatValidator(ctx, operator)
  state.validators.set(ctx, operator, { ...validator, operatorAddress })
}

export function setByConsensusAddress(ctx: Context, validator: Validator): void {
  state.operators.set(ctx, consensusAddress(ctx.identity, validator), operatorBytes(ctx, validator))
}

function powerKey(ctx: ReadContext, validator: Validator): readonly [bigint, Uint8Array] {
  return [powerOf(validator), operatorBytes(ctx, validator).map((byte) => ~byte & 0xff)]
}

/** Adds a validator to the index by power unless it is jailed. Throws sdk 18 for more power than the engine accepts. */
export function setByPower(ctx: Context, validator: Validator): void {
  if (validator.jailed) return
  if (powerOf(validator) > MAX_POWER) {
    throw sdkErrors.invalidRequest(`the power of ${validator.operatorAddress} would be above ${MAX_POWER}`)
  }
  state.byPower.set(ctx, powerKey(ctx, validator), operatorBytes(ctx, validator))
}

export function deleteByPower(ctx: Context, validator: Validator): void {
  state.byPower.delete(ctx, powerKey(ctx, validator))
}

/** Replaces a validator and updates the index by power. */
export function replaceValidator(ctx: Context, before: Validator, after: Validator): void {
  deleteByPower(ctx, before)
  setValidator(ctx, after)
  setByPower(ctx, after)
}

/** Removes a validator without shares. */
export function removeValidator(ctx: Context, validator: Validator): void {
  state.validators.delete(ctx, operatorBytes(ctx, validator))
  state.operators.delete(ctx, consensusAddress(ctx.identity, validator))
  deleteByPower(ctx, validator)
  afterValidatorRemoved.run(ctx, {
    consensus: consensusAddress(ctx.identity, validator),
    operator: operatorBytes(ctx, validator),
  })
}

/** Kinds of unbonding operations. */
export const UNBONDING_DELEGATION = 1n
export const REDELEGATION = 2n
export const UNBONDING_VALIDATOR = 3n

/** Allocates an unbonding id and records the kind and key of its operation. */
export function takeUnbondingId(ctx: Context, type: bigint, key: Uint8Array): bigint {
  const id = (state.unbondingCount.get(ctx) ?? 0n) + 1n
  state.unbondingCount.set(ctx, id)
  indexUnbonding(ctx, id, type, key)
  return id
}

/** Records the kind and key of an unbonding id. Ids up to it are not allocated again. */
export function recordUnbondingId(ctx: Context, id: bigint, type: bigint, key: Uint8Array): void {
  if (id > (state.unbondingCount.get(ctx) ?? 0n)) state.unbondingCount.set(ctx, id)
  indexUnbonding(ctx, id, type, key)
}

function indexUnbonding(ctx: Context, id: bigint, type: bigint, key: Uint8Array): void {
  state.unbondingIndex.set(ctx, id, key)
  state.unbondingTypes.set(ctx, id, type)
}
