/** Times and durations that a message may hold: the reference's decoder refuses all others with the bytes that hold them. */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { type Duration, DurationSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { fromTimestamp, type SecondsNanos, ZERO_TIME_NS } from '../primitives/time.ts'
import { errors } from './errors.ts'

const SECOND_NS = 1_000_000_000
/** The year 10000 begins: texts and keys of times have four digits for a year. */
const TIMES_END_NS = 253_402_300_800n * BigInt(SECOND_NS)
/** Durations are counted in signed nanoseconds of 64 bits. */
const DURATIONS_END_NS = 1n << 63n

/** Whether a duration holds so many nanoseconds. */
export const isDuration = (ns: bigint): boolean => ns >= -DURATIONS_END_NS && ns < DURATIONS_END_NS

function requireTimestamp(time: SecondsNanos): void {
  const timeNs = fromTimestamp(time)
  if (time.nanos >= 0 && time.nanos < SECOND_NS && timeNs >= ZERO_TIME_NS && timeNs < TIMES_END_NS) return
  throw errors.txDecode(
    `${TimestampSchema.typeName}: ${time.seconds}s and ${time.nanos}ns are not within the years 1 to 9999`,
  )
}

function requireDuration(duration: SecondsNanos): void {
  const { seconds, nanos } = duration
  const durationNs = fromTimestamp(duration)
  const isOneSign = nanos === 0 || seconds === 0n || nanos > 0 === seconds > 0n
  const isWhole = isOneSign && Math.abs(nanos) < SECOND_NS
  if (isWhole && isDuration(durationNs)) return
  throw errors.txDecode(`${DurationSchema.typeName}: ${seconds}s and ${nanos}ns are no duration of 64 bits`)
}

/** Throws sdk 2 for a `Timestamp` outside the years 1 to 9999, and for a `Duration` whose nanoseconds are no signed 64 bits. */
export function requireTimeRange(schema: DescMessage, message: Message): void {
  if (schema.typeName === TimestampSchema.typeName) requireTimestamp(message as Timestamp)
  else if (schema.typeName === DurationSchema.typeName) requireDuration(message as Duration)
}
