/** What others ask of inflation, and the supply that it is measured against. */
import type { Params } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { defaultParams } from './params.ts'
import * as state from './state.ts'

const NANOS = 1_000_000_000n

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

export function period(ctx: ReadContext): bigint {
  return state.period.get(ctx) ?? 0n
}

export function skippedEpochs(ctx: ReadContext): bigint {
  return state.skippedEpochs.get(ctx) ?? 0n
}

/** Supply of the base denom without what vesting accounts have still locked, delegated or not (D8). Unit: base denom. */
export function circulatingSupply(ctx: ReadContext): bigint {
  const denom = ctx.identity.baseDenom
  const supply = bank.supply(ctx, denom)
  if (ctx.identity.behaviours.unvestedCirculates) return supply
  return supply - auth.unvestedTotal(ctx, denom, ctx.block.timeNs / NANOS)
}
