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

/** Epochs that one block opens at most: more than a year of the shortest. It bounds the work of the first block after an outage. */
const MAX_PER_BLOCK = 20_000

/** A record, and the start of its next epoch. */
interface Due {
  readonly record: EpochInfo
  readonly startNs: bigint
}

const dueOf = (record: EpochInfo): Due => ({ record, startNs: nextStartNs(record) })

/**
 * Opens every epoch that is due, in the order of the starts, and then of the identifiers. More than 20,000 wait for the
 * next block.
 */
export function advanceEpochs(ctx: Context): void {
  const { timeNs } = ctx.block
  const due = [...state.records.iterate(ctx)].map(([, record]) => dueOf(record))
  if (ctx.identity.behaviours.driftingEpochs) {
    // An epoch starts at the time of its block, so a block opens one of each record.
    for (const { record, startNs } of due) if (timeNs >= startNs) advance(ctx, record)
    return
  }
  for (let opened = 0; opened < MAX_PER_BLOCK; opened++) {
    let next = 0
    for (let i = 1; i < due.length; i++) if (due[i]!.startNs < due[next]!.startNs) next = i
    const first = due[next]
    if (!first || timeNs < first.startNs) return
    due[next] = dueOf(advance(ctx, first.record))
  }
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
