/** State of inflation and the circulating supply, for queries and other modules. */

import type { Params } from '../../gen/chain/inflation/v1/inflation_pb.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { defaultParams } from './params.ts'
import * as state from './state.ts'

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

export function period(ctx: ReadContext): bigint {
  return state.period.get(ctx) ?? 0n
}

export function skippedEpochs(ctx: ReadContext): bigint {
  return state.skippedEpochs.get(ctx) ?? 0n
}

/** Returns the supply less the coins that vesting accounts still have locked, delegated or not (D8). Unit: base denom. */
export function circulatingSupply(ctx: ReadContext): bigint {
  const denom = ctx.identity.baseDenom
  const supply = bank.supply(ctx, denom)
  if (ctx.identity.behaviours.unvestedCirculates) return supply
  return supply - auth.unvestedTotal(ctx, denom, ctx.block.timeNs / NS_PER_SECOND)
}
