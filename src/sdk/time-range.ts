/** The ranges of times and durations in messages. The decoder of the Cosmos SDK refuses a message with any other value. */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { MAX_INT64 } from '../primitives/integers.ts'
import { fromTimestamp, NS_PER_SECOND, type SecondsNanos, ZERO_TIME_NS } from '../primitives/time.ts'
import { errors } from './errors.ts'

const NANOS_END = Number(NS_PER_SECOND)
/** The start of the year 10000: times in text and in keys have four digits for the year. */
const TIMES_END_NS = 253_402_300_800n * NS_PER_SECOND

/** Whether a number of nanoseconds is in the range of durations: a signed 64-bit integer. */
export const isDuration = (ns: bigint): boolean => ns >= -MAX_INT64 - 1n && ns <= MAX_INT64

function requireTimestamp(time: SecondsNanos): void {
  const timeNs = fromTimestamp(time)
  if (time.nanos >= 0 && time.nanos < NANOS_END && timeNs >= ZERO_TIME_NS && timeNs < TIMES_END_NS) return
  throw errors.txDecode(
    `${TimestampSchema.typeName}: ${time.seconds}s and ${time.nanos}ns are not within the years 1 to 9999`,
  )
}

function requireDuration(duration: SecondsNanos): void {
  const { seconds, nanos } = duration
  const durationNs = fromTimestamp(duration)
  const isOneSign = nanos === 0 || seconds === 0n || nanos > 0 === seconds > 0n
  const isWhole = isOneSign && Math.abs(nanos) < NANOS_END
  if (isWhole && isDuration(durationNs)) return
  throw errors.txDecode(
    `${DurationSchema.typeName}: ${seconds}s and ${nanos}ns are not a duration of 64-bit nanoseconds with one sign`,
  )
}

/** Throws sdk 2 for a `Timestamp` outside the years 1 to 9999, and for a `Duration` that exceeds signed 64-bit nanoseconds. */
export function requireTimeRange(schema: DescMessage, message: Message): void {
  if (schema.typeName === TimestampSchema.typeName) requireTimestamp(message as Timestamp)
  else if (schema.typeName === DurationSchema.typeName) requireDuration(message as Duration)
}
