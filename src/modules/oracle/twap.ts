/** Price snapshots and their time-weighted average (docs/modules/oracle.md#formulas). */

import { create } from '@bufbuild/protobuf'
import { EventPriceUpdateSchema } from '../../gen/chain/oracle/v1beta1/event_pb.ts'
import { ExchangeRateAtBlockSchema, PriceSnapshotSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors } from './errors.ts'
import { lookbackNs, params } from './params.ts'
import * as state from './state.ts'

/** Converts nanoseconds to milliseconds, rounded down. */
export const floorMs = (timeNs: bigint): bigint =>
  (timeNs - (((timeNs % NS_PER_MS) + NS_PER_MS) % NS_PER_MS)) / NS_PER_MS

/** Stores the price that this block agreed on, and removes snapshots that no average can need. */
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
  if (!ctx.identity.behaviours.snapshotsForEver) pruneSnapshots(ctx, pair, timeNs - lookback)
}

/** Removes the snapshots before a time, except the newest one, which is still in force at that time. */
function pruneSnapshots(ctx: Context, pair: string, before: bigint): void {
  const old = [...state.snapshots.keys(ctx, { prefix: pair, end: [pair, before] })]
  for (const key of old.slice(0, -1)) state.snapshots.remove(ctx, key)
}

interface Point {
  readonly price: decimal.Decimal
  readonly timeMs: bigint
}

/** Returns the prices of the window that ends at the time of the block, oldest first. */
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

/** Returns the time-weighted average over the window. Throws oracle 14 without a price. */
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
