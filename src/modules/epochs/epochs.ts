/** Advancing epochs at the start of a block (docs/modules/epochs.md#block-hooks, D19). */
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { type EpochInfo, EventEpochEndSchema, EventEpochStartSchema } from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { ChainError } from '../../primitives/errors.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import type { Hook } from '../../sdk/hook.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { typedEvent } from '../../sdk/typed-event.ts'
import { afterEpochEnd, beforeEpochStart, type Epoch } from './hooks.ts'
import * as state from './state.ts'

/** Returns the start of the next epoch, or of the first one. Unit: Unix ns. */
function nextStartNs({ epochCountingStarted, startTime, currentEpochStartTime, duration }: EpochInfo): bigint {
  return epochCountingStarted ? nanoseconds(currentEpochStartTime) + nanoseconds(duration) : nanoseconds(startTime)
}

/**
 * Epochs that one block opens at most where development verbs move the clock: more than a year of the shortest. Others wait for
 * the next block.
 */
const MAX_PER_BLOCK = 20_000

/**
 * Advances every due record by one epoch; a chain that is late catches up over the following blocks. Where development verbs move
 * the clock, opens every epoch that is due (D56).
 */
export function advanceEpochs(ctx: Context): void {
  if (state.movedClock.has(ctx)) advanceAll(ctx)
  else {
    const records = [...state.records.iterate(ctx)].map(([, record]) => record)
    for (const record of records) if (ctx.block.timeNs >= nextStartNs(record)) advance(ctx, record)
  }
}

/** Opens every epoch that is due, in the order of the starts, and then of the identifiers. */
function advanceAll(ctx: Context): void {
  const records = [...state.records.iterate(ctx)].map(([, record]) => record)
  const startsNs = records.map(nextStartNs)
  for (let opened = 0; opened < MAX_PER_BLOCK; opened++) {
    let next = 0
    for (let i = 1; i < records.length; i++) if (startsNs[i]! < startsNs[next]!) next = i
    const first = records[next]
    if (!first || ctx.block.timeNs < startsNs[next]!) return
    const record = advance(ctx, first)
    records[next] = record
    startsNs[next] = nextStartNs(record)
  }
}

/** Lets each block open every epoch that is due. Only development verbs call it. */
export function followMovedClock(ctx: Context): void {
  state.movedClock.set(ctx, new Uint8Array(0))
}

/** Whether each block opens every epoch that is due. */
export function followsMovedClock(ctx: ReadContext): boolean {
  return state.movedClock.has(ctx)
}

/** Whether a block at that time would advance an epoch. */
export function isDue(ctx: ReadContext, timeNs: bigint): boolean {
  for (const [, record] of state.records.iterate(ctx)) if (timeNs >= nextStartNs(record)) return true
  return false
}

/** Ends the epoch of a record, if one has started, and opens the next. Returns the new record. */
function advance(ctx: Context, record: EpochInfo): EpochInfo {
  const { identifier, currentEpoch, epochCountingStarted: started } = record
  if (started) {
    emit(ctx, EventEpochEndSchema, { epochNumber: currentEpoch, identifier })
    notify(ctx, afterEpochEnd, { identifier, number: currentEpoch })
  }
  const number = started ? currentEpoch + 1n : 1n
  const startNs = ctx.identity.behaviours.driftingEpochs ? ctx.block.timeNs : nextStartNs(record)
  const start = toTimestamp(startNs)
  emit(ctx, EventEpochStartSchema, { epochNumber: number, epochStartTime: start, identifier })
  const opened: EpochInfo = {
    ...record,
    currentEpoch: number,
    currentEpochStartTime: { ...record.startTime!, ...start },
    currentEpochStartHeight: ctx.block.height,
    epochCountingStarted: true,
  }
  state.records.set(ctx, identifier, opened)
  notify(ctx, beforeEpochStart, { identifier, number })
  return opened
}

/** Calls each listener in its own branch. A failing listener is rolled back and the epoch still advances. */
function notify(ctx: Context, hook: Hook<Epoch>, epoch: Epoch): void {
  for (const listener of ctx.app.listeners(hook.name)) {
    const branch = ctx.branch()
    try {
      ;(listener.run as (ctx: Context, epoch: Epoch) => void)(branch, epoch)
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      ctx.emitEvent('epoch_hook_failed', {
        hook: hook.name,
        identifier: epoch.identifier,
        epoch_number: epoch.number.toString(),
        error: error.message,
      })
      continue
    }
    branch.merge()
  }
}

function emit<Desc extends DescMessage>(ctx: Context, schema: Desc, init: MessageInitShape<Desc>): void {
  const { type, attributes } = typedEvent(ctx, schema, create(schema, init))
  const { namelessEpochEvents } = ctx.identity.behaviours
  ctx.emitEvent(
    type,
    attributes.filter(({ key }) => !namelessEpochEvents || key !== 'identifier'),
  )
}
