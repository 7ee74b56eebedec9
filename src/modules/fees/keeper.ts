/** The denoms in which fees are paid, for admission and for the module that distributes them. */
import type { Params } from '../../gen/chain/fees/v1/fees_pb.ts'
import type { Coin } from '../../primitives/coin.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { defaultParams } from './params.ts'
import * as state from './state.ts'

/** Returns the parameters in force. */
export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

/** Returns the denoms in which fees can be paid: the base denom, and those of the parameters. */
export function acceptedDenoms(ctx: ReadContext): readonly string[] {
  return [...new Set([ctx.identity.baseDenom, ...params(ctx).allowedDenoms])]
}

/** Returns the first coin of a denom that is not accepted. Reads the parameters only if a coin is not of the base denom. */
export function findRefused(ctx: ReadContext, coins: readonly Coin[]): Coin | undefined {
  const { baseDenom, behaviours } = ctx.identity
  if (behaviours.feesInAnyDenom || coins.every(({ denom }) => denom === baseDenom)) return undefined
  const accepted = acceptedDenoms(ctx)
  return coins.find(({ denom }) => !accepted.includes(denom))
}
