/** What other modules ask of the oracle's prices. */
import { type Decimal, decode } from '../../primitives/decimal.ts'
import { isValid } from '../../primitives/denom.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'

export interface Rate {
  readonly rate: Decimal
  /** Block in which it was agreed on. */
  readonly height: bigint
  /** Time of that block. Unit: ms. */
  readonly timestampMs: bigint
}

/** Throws oracle 16 for a text that is no pair (oracle.md §1.4). */
function requirePair(pair: string): void {
  const sides = pair.split(':')
  if (sides.length !== 2) throw errors.invalidPair(`must have exactly two assets, not ${sides.length}`)
  if (!sides.every(isValid)) throw errors.invalidPair(pair)
}

/** The stored price of a pair, however old. Throws oracle 13 for none, oracle 16 for a text that is no pair. */
export function storedRate(ctx: ReadContext, pair: string): Rate {
  requirePair(pair)
  const stored = state.exchangeRates.get(ctx, pair)
  const rate = stored && decode(stored.exchangeRate)
  if (rate === undefined) throw errors.unknownPair(pair)
  return { rate, height: stored!.createdBlock, timestampMs: stored!.blockTimestampMs }
}

/** The price of a pair, if it is not too old by the parameters. Throws oracle 17 besides. */
export function currentRate(ctx: ReadContext, pair: string): Rate {
  const found = storedRate(ctx, pair)
  const lifetime = state.params.get(ctx)?.expirationBlocks
  if (lifetime !== undefined && found.height + lifetime <= ctx.block.height) throw errors.vintage(pair)
  return found
}
