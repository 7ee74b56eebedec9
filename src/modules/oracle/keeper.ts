/** Prices and voting rights, for other modules and this module's handlers. */
import { type Decimal, decode } from '../../primitives/decimal.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from './errors.ts'
import { requirePair } from './pair.ts'
import { params } from './params.ts'
import * as state from './state.ts'

export { params } from './params.ts'
export { isDuePrevote, isDueVote, reserve } from './votes.ts'

export interface Rate {
  readonly rate: Decimal
  /** Height of the block that set the rate. */
  readonly height: bigint
  /** Time of that block. Unit: ms. */
  readonly timestampMs: bigint
}

/** Returns the stored price of a pair, of any age; undefined if there is no price. */
export function findRate(ctx: ReadContext, pair: string): Rate | undefined {
  const stored = state.exchangeRates.get(ctx, pair)
  const rate = stored && decode(stored.exchangeRate)
  return rate === undefined ? undefined : { rate, height: stored!.createdBlock, timestampMs: stored!.blockTimestampMs }
}

/** Returns the not-found error of a lookup, in the text of the reference's collections. */
export function missing(key: string): ChainError {
  return queryError('notFound', `collections: not found: '' with key ${key}`)
}

/**
 * Returns the stored price of a pair, of any age. Throws 5 `notFound` if there is no price, and oracle 16 (asset 1)
 * for text that is not a pair.
 */
export function storedRate(ctx: ReadContext, pair: string): Rate {
  requirePair(ctx, pair)
  const found = findRate(ctx, pair)
  if (!found) throw missing(pair)
  return found
}

/** Whether a price has expired at the height of the snapshot. */
export function isVintage(ctx: ReadContext, { height }: Pick<Rate, 'height'>): boolean {
  return height + params(ctx).expirationBlocks <= ctx.block.height
}

/** Returns the price of a pair if it has not expired. Throws the errors of `storedRate`, and oracle 17 for an expired price. */
export function currentRate(ctx: ReadContext, pair: string): Rate {
  const found = storedRate(ctx, pair)
  if (isVintage(ctx, found)) throw errors.vintage(pair)
  return found
}

/** Returns the account that votes for a validator: its delegate, or its own account without one. */
export function feederOf(ctx: ReadContext, operator: Uint8Array): Uint8Array {
  return state.feeders.get(ctx, operator) ?? operator
}
