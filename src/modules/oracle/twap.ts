/** Prices over time: what is kept of them, and their average (oracle.md §7.4 step 5, §8). */
import { create } from '@bufbuild/protobuf'
import { EventPriceUpdateSchema } from '../../gen/chain/oracle/v1beta1/event_pb.ts'
import { ExchangeRateAtBlockSchema, PriceSnapshotSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors } from './errors.ts'
import { lookbackNs, params } from './params.ts'
import * as state from './state.ts'

const NS_PER_MS = 1_000_000n

export const floorMs = (timeNs: bigint): bigint =>
  (timeNs - (((timeNs % NS_PER_MS) + NS_PER_MS) % NS_PER_MS)) / NS_PER_MS

/** Records the price that was agreed on in this block, and forgets what no average needs any more. */
export function setPrice(ctx: Context, pair: string, price: decimal.Decimal, lookback = lookbackNs(params(ctx))): void {
  const { height, timeNs } = ctx.block
  const timestampMs = floorMs(timeNs)
  const written = decimal.encode(price)
  state.exchangeRates.set(
    ctx,
    pair,
    create(ExchangeRateAtBlockSchema, {
      exchangeRate: written,
      createdBlock: height,
      blockTimestampMs: timestampMs,
    }),
  )
  state.snapshots.set(ctx, [pair, timeNs], create(PriceSnapshotSchema, { pair, price: written, timestampMs }))
  ctx.emit(EventPriceUpdateSchema, { pair, price: written, timestampMs })
  if (!ctx.identity.behaviours.snapshotsForEver) forgetSnapshots(ctx, pair, timeNs - lookback)
}

/** Removes the snapshots before a time but the newest of them, which is in force at that time. */
function forgetSnapshots(ctx: Context, pair: string, before: bigint): void {
  const old = [...state.snapshots.keys(ctx, { prefix: pair, end: [pair, before] })]
  for (const key of old.slice(0, -1)) state.snapshots.remove(ctx, key)
}

interface Point {
  readonly price: decimal.Decimal
  readonly timeMs: bigint
}

/** Prices that count in the window that ends now, oldest first. */
function pointsOf(ctx: ReadContext, pair: string): readonly Point[] {
  const now = ctx.block.timeNs
  const start = now - lookbackNs(params(ctx))
  const priceOf = ({ price }: { readonly price: string }) => decimal.decode(price) ?? decimal.zero
  const points: Point[] = []
  if (!ctx.identity.behaviours.averagesWithinWindow) {
    const before = state.snapshots.iterate(ctx, { prefix: pair, end: [pair, start], reverse: true }).next()
    if (!before.done) points.push({ price: priceOf(before.value[1]), timeMs: floorMs(start) })
  }
  for (const [, snapshot] of state.snapshots.iterate(ctx, {
    prefix: pair,
    start: [pair, start],
    end: [pair, now + 1n],
  })) {
    points.push({ price: priceOf(snapshot), timeMs: snapshot.timestampMs })
  }
  return points
}

/** The time-weighted average over the look-back window. Throws oracle 14 when there has been no price. */
export function averagePrice(ctx: ReadContext, pair: string): decimal.Decimal {
  const points = pointsOf(ctx, pair)
  const [first] = points
  if (!first) throw errors.noTwap(`no snapshots for pair ${pair}`)
  if (points.length === 1) return first.price
  const nowMs = floorMs(ctx.block.timeNs)
  if (first.timeMs > nowMs) throw errors.noTwap(`possible corruption: snapshot of ${first.timeMs} ms at ${nowMs} ms`)
  if (first.timeMs === nowMs) return first.price
  let sum = 0n
  points.forEach(({ price, timeMs }, i) => {
    sum += price * ((points[i + 1]?.timeMs ?? nowMs) - timeMs)
  })
  return decimal.fromRaw(sum / (nowMs - first.timeMs))
}
