/** Times in nanoseconds since the Unix epoch, and their texts and messages. */

export const NS_PER_SECOND: bigint = 1_000_000_000n
export const NS_PER_MS: bigint = 1_000_000n

/** Seconds and nanoseconds, the fields of `google.protobuf.Timestamp` and `Duration`. */
export interface SecondsNanos {
  readonly seconds: bigint
  readonly nanos: number
}

/** Go's zero time, 0001-01-01T00:00:00Z: the meaning of an unset time field on the wire. */
export const ZERO_TIME_NS: bigint = -62_135_596_800n * NS_PER_SECOND

/** Splits with floor division, so that nanos is never negative, as in a Timestamp. */
export function toTimestamp(timeNs: bigint): SecondsNanos {
  const nanos = ((timeNs % NS_PER_SECOND) + NS_PER_SECOND) % NS_PER_SECOND
  return { seconds: (timeNs - nanos) / NS_PER_SECOND, nanos: Number(nanos) }
}

export function fromTimestamp({ seconds, nanos }: SecondsNanos): bigint {
  return seconds * NS_PER_SECOND + BigInt(nanos)
}

/** Splits toward zero, so that both parts have the same sign, as in a Duration. */
export function toDuration(durationNs: bigint): SecondsNanos {
  return { seconds: durationNs / NS_PER_SECOND, nanos: Number(durationNs % NS_PER_SECOND) }
}

/** Formats whole seconds as `YYYY-MM-DDThh:mm:ss`, UTC, years 1 to 9999. */
function formatSeconds(seconds: bigint): string {
  return new Date(Number(seconds) * 1000)
    .toISOString()
    .replace(/^[+-]00/, '')
    .slice(0, 19)
}

/** Formats a time for state keys: 29 ASCII characters, nine fraction digits, no zone (docs/state-layout.md#keys). */
export function formatKey(timeNs: bigint): string {
  const { seconds, nanos } = toTimestamp(timeNs)
  return `${formatSeconds(seconds)}.${nanos.toString().padStart(9, '0')}`
}

/** Formats as RFC 3339 in UTC with 0, 3, 6 or 9 fraction digits, the JSON form of a Timestamp. */
export function formatRfc3339({ seconds, nanos }: SecondsNanos): string {
  return `${formatSeconds(seconds)}${formatFraction(nanos)}Z`
}

/** Formats as RFC 3339 without trailing zeros in the fraction, the form of CometBFT's JSON. */
export function formatRfc3339Nano(timeNs: bigint): string {
  const { seconds, nanos } = toTimestamp(timeNs)
  const fraction = nanos === 0 ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`
  return `${formatSeconds(seconds)}${fraction}Z`
}

/** Formats as decimal seconds with `s` and 0, 3, 6 or 9 fraction digits, the JSON form of a Duration. */
export function formatDuration({ seconds, nanos }: SecondsNanos): string {
  const negative = seconds < 0n || nanos < 0
  return `${negative ? '-' : ''}${seconds < 0n ? -seconds : seconds}${formatFraction(Math.abs(nanos))}s`
}

function formatFraction(nanos: number): string {
  if (nanos === 0) return ''
  const digits = nanos.toString().padStart(9, '0')
  if (digits.endsWith('000000')) return `.${digits.slice(0, 3)}`
  return digits.endsWith('000') ? `.${digits.slice(0, 6)}` : `.${digits}`
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/

/** Parses RFC 3339 with upper-case `T` and `Z`, and offsets. Returns nanoseconds, or undefined if invalid. */
export function parseRfc3339(text: string): bigint | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone] = match
  const millis = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(millis) || new Date(millis).getUTCDate() !== Number(day)) return undefined
  let seconds = BigInt(millis) / 1000n
  if (zone !== 'Z') {
    const minutes = BigInt(Number(zone!.slice(1, 3)) * 60 + Number(zone!.slice(4)))
    seconds += (zone![0] === '+' ? -minutes : minutes) * 60n
  }
  return seconds * NS_PER_SECOND + BigInt(fraction.padEnd(9, '0'))
}

const GO_UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: NS_PER_MS,
  s: NS_PER_SECOND,
  m: 60n * NS_PER_SECOND,
  h: 3600n * NS_PER_SECOND,
}

/** Maximum length of a duration. It bounds the cost of parsing long numbers. */
const MAX_DURATION_LENGTH = 128

/**
 * Parses `1.5s`, `1m30s` or `100ms`, the form of query parameters and flags. Returns nanoseconds, or undefined if invalid.
 */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > MAX_DURATION_LENGTH) return undefined
  const match = /^([+-]?)((?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h)){1,100})$/.exec(text)
  if (!match) return text === '0' ? 0n : undefined
  let total = 0n
  for (const [, whole, fraction = '', unit] of match[2]!.matchAll(/(\d+)(?:\.(\d*))?(ns|us|µs|ms|s|m|h)/g)) {
    const scale = GO_UNITS[unit!]!
    total += BigInt(whole!) * scale
    if (fraction) total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
  }
  return match[1] === '-' ? -total : total
}
