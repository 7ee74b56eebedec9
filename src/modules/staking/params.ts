/** Parameters of staking (docs/modules/staking.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import type { Coin } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { isValid } from '../../primitives/denom.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as state from './state.ts'

/** The maximum commission rate: a quarter of the rewards. */
export const MAX_COMMISSION: decimal.Decimal = decimal.fromRaw(250_000_000_000_000_000n)

export function defaultParams(baseDenom: string): Params {
  return create(ParamsSchema, {
    unbondingTime: { seconds: 1_814_400n },
    maxValidators: 100,
    maxEntries: 7,
    historicalEntries: 10_000,
    bondDenom: baseDenom,
    minCommissionRate: '50000000000000000',
  })
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams(ctx.identity.baseDenom)
}

/** Throws sdk 18 unless the coin is of the bond denom. */
export function requireBondDenom(ctx: ReadContext, { denom }: Coin): void {
  const expected = params(ctx).bondDenom
  if (denom !== expected) throw errors.invalidRequest(`invalid coin denomination: got ${denom}, expected ${expected}`)
}

/** Throws sdk 18 for a parameter out of range. */
export function validateParams(value: Params): void {
  const rate = decimal.decode(value.minCommissionRate)
  if (nanoseconds(value.unbondingTime) <= 0n) throw errors.invalidRequest('unbonding time must be positive')
  if (value.maxValidators === 0) throw errors.invalidRequest('max validators must be positive: 0')
  if (value.maxEntries === 0) throw errors.invalidRequest('max entries must be positive: 0')
  if (!isValid(value.bondDenom)) throw errors.invalidRequest(`invalid denom: ${value.bondDenom}`)
  if (rate === undefined || rate < 0n) throw errors.invalidRequest('minimum commission rate cannot be negative')
  if (rate > decimal.one) throw errors.invalidRequest('minimum commission rate cannot be greater than 100%')
}
