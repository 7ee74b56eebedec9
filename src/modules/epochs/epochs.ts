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

/** Advances every due record by one epoch. A chain that is late catches up over the following blocks. */
export function advanceEpochs(ctx: Context): void {
  const records = [...state.records.iterate(ctx)].map(([, record]) => record)
  for (const record of records) if (ctx.block.timeNs >= nextStartNs(record)) advance(ctx, record)
}

/** Whether a block at that time would advance an epoch. */
export function isDue(ctx: ReadContext, timeNs: bigint): boolean {
  for (const [, record] of state.records.iterate(ctx)) if (timeNs >= nextStartNs(record)) return true
  return false
}

function advance(ctx: Context, record: EpochInfo): void {
  const { identifier, currentEpoch, epochCountingStarted: started } = record
  if (started) {
    emit(ctx, EventEpochEndSchema, { epochNumber: currentEpoch, identifier })
    notify(ctx, afterEpochEnd, { identifier, number: currentEpoch })
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
  notify(ctx, beforeEpochStart, { identifier, number })
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
