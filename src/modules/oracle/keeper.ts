/** What other modules ask of the oracle's prices, and who may vote. */
import type { AggregateExchangeRatePrevote } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { type Decimal, decode } from '../../primitives/decimal.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { errors } from './errors.ts'
import { requirePair } from './pair.ts'
import { params } from './params.ts'
import * as state from './state.ts'

export { params } from './params.ts'

export interface Rate {
  readonly rate: Decimal
  /** Block in which it was agreed on. */
  readonly height: bigint
  /** Time of that block. Unit: ms. */
  readonly timestampMs: bigint
}

/** The stored price of a pair, however old; undefined for none. */
export function findRate(ctx: ReadContext, pair: string): Rate | undefined {
  const stored = state.exchangeRates.get(ctx, pair)
  const rate = stored && decode(stored.exchangeRate)
  return rate === undefined ? undefined : { rate, height: stored!.createdBlock, timestampMs: stored!.blockTimestampMs }
}

/** The failure of a look-up, in the words of the chain's own collections. */
export function missing(key: string): ChainError {
  return queryError('notFound', `collections: not found: '' with key ${key}`)
}

/** The stored price of a pair, however old. Throws 5 `notFound` for none, oracle 16 (asset 1) for a text that is no pair. */
export function storedRate(ctx: ReadContext, pair: string): Rate {
  requirePair(ctx, pair)
  const found = findRate(ctx, pair)
  if (!found) throw missing(pair)
  return found
}

/** Whether a price has passed its expiration window at the height that is read. */
export function isVintage(ctx: ReadContext, { height }: Pick<Rate, 'height'>): boolean {
  return height + params(ctx).expirationBlocks <= ctx.block.height
}

/** The price of a pair, if it is not too old by the parameters. Throws oracle 17 besides. */
export function currentRate(ctx: ReadContext, pair: string): Rate {
  const found = storedRate(ctx, pair)
  if (isVintage(ctx, found)) throw errors.vintage(pair)
  return found
}

/** The account that votes for a validator: its delegate, else its own. */
export function feederOf(ctx: ReadContext, operator: Uint8Array): Uint8Array {
  return state.feeders.get(ctx, operator) ?? operator
}

/** Throws oracle 5 unless an account may vote for a validator, staking 3 unless that one is bonded. */
export function requireVoter(ctx: ReadContext, feeder: Uint8Array, operator: Uint8Array): void {
  if (!equal(feeder, operator)) {
    const wanted = state.feeders.get(ctx, operator)
    if (!wanted || !equal(feeder, wanted)) {
      const shown = address.format(ctx, wanted ?? operator)
      throw errors.unauthorizedVoter(`wanted: ${shown}, got: ${address.format(ctx, feeder)}`)
    }
  }
  staking.requireBonded(ctx, operator)
}

/** Number of a block's voting period. */
function periodOf(height: bigint, votePeriod: bigint): bigint {
  return height / votePeriod
}

/** Throws oracle 9 unless a prevote is of the voting period before this one. */
export function requireRevealable(ctx: ReadContext, { submitBlock }: AggregateExchangeRatePrevote): void {
  const { votePeriod } = params(ctx)
  if (periodOf(ctx.block.height, votePeriod) - periodOf(submitBlock, votePeriod) !== 1n) throw errors.wrongPeriod()
}
