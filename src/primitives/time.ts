/** Instants as nanoseconds since the Unix epoch, and the texts and messages they appear in. */

const NANOS = 1_000_000_000n

/** Seconds and nanoseconds as `google.protobuf.Timestamp` and `Duration` carry them. */
export interface SecondsNanos {
  readonly seconds: bigint
  readonly nanos: number
}

/** The zero time of the chain's language, 0001-01-01T00:00:00Z: what an unset time field means on the wire. */
export const ZERO_TIME_NS: bigint = -62_135_596_800n * NANOS

/** Splits with floor division, so that nanos is never negative: the Timestamp form. */
export function toTimestamp(timeNs: bigint): SecondsNanos {
  const nanos = ((timeNs % NANOS) + NANOS) % NANOS
  return { seconds: (timeNs - nanos) / NANOS, nanos: Number(nanos) }
}

export function fromTimestamp({ seconds, nanos }: SecondsNanos): bigint {
  return seconds * NANOS + BigInt(nanos)
}

/** Splits toward zero, so that both parts share a sign: the Duration form. */
export function toDuration(durationNs: bigint): SecondsNanos {
  return { seconds: durationNs / NANOS, nanos: Number(durationNs % NANOS) }
}

/** `YYYY-MM-DDThh:mm:ss` of whole seconds, UTC, years 1 to 9999. */
function formatSeconds(seconds: bigint): string {
  return new Date(Number(seconds) * 1000)
    .toISOString()
    .replace(/^[+-]00/, '')
    .slice(0, 19)
}

/** The key form of a time: 29 ASCII characters, nine fraction digits, no zone (state-layout.md §1.2). */
export function formatKey(timeNs: bigint): string {
  const { seconds, nanos } = toTimestamp(timeNs)
  return `${formatSeconds(seconds)}.${nanos.toString().padStart(9, '0')}`
}

/** RFC 3339 in UTC with 0, 3, 6 or 9 fraction digits: the JSON form of a Timestamp. */
export function formatRfc3339({ seconds, nanos }: SecondsNanos): string {
  return `${formatSeconds(seconds)}${formatFraction(nanos)}Z`
}

/** RFC 3339 with trailing zeros of the fraction cut: the form of the consensus engine's JSON. */
export function formatRfc3339Nano(timeNs: bigint): string {
  const { seconds, nanos } = toTimestamp(timeNs)
  const fraction = nanos === 0 ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`
  return `${formatSeconds(seconds)}${fraction}Z`
}

/** Decimal seconds with `s`, 0, 3, 6 or 9 fraction digits: the JSON form of a Duration. */
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

/** Nanoseconds of an RFC 3339 text, upper-case `T` and `Z`, offsets allowed. Undefined if it is none. */
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
  return seconds * NANOS + BigInt(fraction.padEnd(9, '0'))
}

const GO_UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: NANOS,
  m: 60n * NANOS,
  h: 3600n * NANOS,
}

/** Longer than any duration that says something; numbers of any length cost what nobody should be made to pay. */
const MOST_DURATION_LENGTH = 128

/** Nanoseconds of `1.5s`, `1m30s`, `100ms` (the form of query parameters and flags). Undefined if it is none. */
export function parseDuration(text: string): bigint | undefined {
  if (text.length > MOST_DURATION_LENGTH) return undefined
  const match = /^([+-]?)((?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+)$/.exec(text)
  if (!match) return text === '0' ? 0n : undefined
  let total = 0n
  for (const [, whole, fraction = '', unit] of match[2]!.matchAll(/(\d+)(?:\.(\d*))?(ns|us|µs|ms|s|m|h)/g)) {
    const scale = GO_UNITS[unit!]!
    total += BigInt(whole!) * scale
    if (fraction) total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
  }
  return match[1] === '-' ? -total : total
}
