/** The step from one epoch to the next, at the begin of a block (epochs.md §4, D19). */
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

/** When the epoch after the current one begins, or the first one. Unit: Unix nanoseconds. */
function nextStartNs({ epochCountingStarted, startTime, currentEpochStartTime, duration }: EpochInfo): bigint {
  return epochCountingStarted ? nanoseconds(currentEpochStartTime) + nanoseconds(duration) : nanoseconds(startTime)
}

/** Moves every record on whose time has come, each by one epoch: a late chain catches up over the blocks that follow. */
export function turnEpochs(ctx: Context): void {
  const records = [...state.records.iterate(ctx)].map(([, record]) => record)
  for (const record of records) if (ctx.block.timeNs >= nextStartNs(record)) turn(ctx, record)
}

/** Whether an epoch would turn in a block of that time. */
export function isDue(ctx: ReadContext, timeNs: bigint): boolean {
  for (const [, record] of state.records.iterate(ctx)) if (timeNs >= nextStartNs(record)) return true
  return false
}

function turn(ctx: Context, record: EpochInfo): void {
  const { identifier, currentEpoch, epochCountingStarted: started } = record
  if (started) {
    emit(ctx, EventEpochEndSchema, { epochNumber: currentEpoch, identifier })
    tell(ctx, afterEpochEnd, { identifier, number: currentEpoch })
  }
  const number = started ? currentEpoch + 1n : 1n
  const startNs = ctx.identity.behaviours.driftingEpochs ? ctx.block.timeNs : nextStartNs(record)
  const start = toTimestamp(startNs)
  emit(ctx, EventEpochStartSchema, { epochNumber: number, epochStartTime: start, identifier })
  state.records.set(ctx, identifier, {
    ...record,
    currentEpoch: number,
    currentEpochStartTime: { ...record.startTime!, ...start },
    currentEpochStartHeight: ctx.block.height,
    epochCountingStarted: true,
  })
  tell(ctx, beforeEpochStart, { identifier, number })
}

/** Tells each listener in a branch of its own. What one refuses to do is undone, and the epoch moves all the same. */
function tell(ctx: Context, hook: Hook<Epoch>, epoch: Epoch): void {
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
