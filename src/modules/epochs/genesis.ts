/** Genesis of epochs: by default four records that start with the chain. */
import { create } from '@bufbuild/protobuf'
import { TimestampSchema } from '@bufbuild/protobuf/wkt'
import { type EpochInfo, EpochInfoSchema, GenesisStateSchema } from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { toTimestamp, ZERO_TIME_NS } from '../../primitives/time.ts'
import type { Context } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { fromJson, nanoseconds, toJson } from '../../sdk/json.ts'
import type { GenesisHandlers } from '../../sdk/module.ts'
import * as epochs from './keeper.ts'
import * as state from './state.ts'

/** Identifiers and durations. Unit: s. A month has thirty days. */
const DEFAULTS: readonly (readonly [identifier: string, seconds: bigint])[] = [
  ['30 min', 1_800n],
  ['day', 86_400n],
  ['week', 604_800n],
  ['month', 2_592_000n],
]

const ZERO_TIME = toTimestamp(ZERO_TIME_NS)

const isZero = (time: EpochInfo['startTime']): boolean => time === undefined || nanoseconds(time) === ZERO_TIME_NS

/** Throws sdk 18 for an invalid record. */
function validate(record: EpochInfo): void {
  const { identifier, duration, currentEpochStartHeight, epochCountingStarted, currentEpochStartTime } = record
  if (identifier.trim() === '') throw errors.invalidRequest('epoch identifier should NOT be empty')
  if (nanoseconds(duration) <= 0n) throw errors.invalidRequest('epoch duration should NOT be 0')
  if (currentEpochStartHeight < 0n) {
    throw errors.invalidRequest('epoch CurrentEpoch Start Height must be non-negative')
  }
  if (epochCountingStarted && isZero(currentEpochStartTime)) {
    throw errors.invalidRequest('current_epoch_start_time must be set if epoch_counting_started is true')
  }
}

/** Stores a record. A record without a start time starts with the chain; a started record keeps its schedule. */
function add(ctx: Context, record: EpochInfo): void {
  const { startTime, epochCountingStarted: started, currentEpochStartHeight } = record
  state.records.set(ctx, record.identifier, {
    ...record,
    startTime: isZero(startTime) ? create(TimestampSchema, toTimestamp(ctx.block.timeNs)) : startTime!,
    currentEpochStartHeight: started ? currentEpochStartHeight : ctx.block.height,
  })
}

export const genesis: GenesisHandlers = {
  defaults(ctx) {
    const records = DEFAULTS.map(([identifier, seconds]) =>
      create(EpochInfoSchema, {
        identifier,
        startTime: ZERO_TIME,
        duration: { seconds },
        currentEpochStartTime: ZERO_TIME,
      }),
    )
    return toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { epochs: records }))
  },
  init(ctx, json) {
    const { epochs: records } = fromJson(ctx, GenesisStateSchema, json, 'epochs')
    const seen = new Set<string>()
    for (const [i, record] of records.entries()) {
      withErrorPath(`epochs[${i}]`, () => {
        if (seen.has(record.identifier)) throw errors.invalidRequest('epoch identifier should be unique')
        seen.add(record.identifier)
        validate(record)
      })
    }
    for (const record of records) add(ctx, record)
  },
  export: (ctx) => toJson(ctx, GenesisStateSchema, create(GenesisStateSchema, { epochs: [...epochs.records(ctx)] })),
}
