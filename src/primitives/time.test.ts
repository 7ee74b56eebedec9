import { expect, test } from 'vitest'
import * as time from './time.ts'

test('keys have 29 characters with nine fraction digits', () => {
  const timeNs = 1_704_164_645_000_000_006n
  expect(time.formatKey(timeNs)).toBe('2024-01-02T03:04:05.000000006')
  expect(time.formatKey(time.ZERO_TIME_NS)).toBe('0001-01-01T00:00:00.000000000')
})

test('the zero time of the chain prints as year one', () => {
  expect(time.formatRfc3339(time.toTimestamp(time.ZERO_TIME_NS))).toBe('0001-01-01T00:00:00Z')
})

test('fractions print with 0, 3, 6 or 9 digits in JSON and without trailing zeros in the engine', () => {
  expect(time.formatRfc3339({ seconds: 0n, nanos: 500_000_000 })).toBe('1970-01-01T00:00:00.500Z')
  expect(time.formatRfc3339({ seconds: 0n, nanos: 1_000 })).toBe('1970-01-01T00:00:00.000001Z')
  expect(time.formatRfc3339Nano(500_000_000n)).toBe('1970-01-01T00:00:00.5Z')
  expect(time.formatDuration({ seconds: -1n, nanos: -500_000_000 })).toBe('-1.500s')
  expect(time.formatDuration({ seconds: 1800n, nanos: 0 })).toBe('1800s')
})

test('instants before 1970 split with nanoseconds that are not negative', () => {
  expect(time.toTimestamp(-1n)).toEqual({ seconds: -1n, nanos: 999_999_999 })
  expect(time.fromTimestamp(time.toTimestamp(-1n))).toBe(-1n)
})

test('RFC 3339 parses with offsets, and days outside the calendar are refused', () => {
  expect(time.parseRfc3339('2024-01-01T02:00:00+02:00')).toBe(1_704_067_200_000_000_000n)
  expect(time.parseRfc3339('2023-11-14T22:13:20.123Z')).toBe(1_700_000_000_123_000_000n)
  for (const text of ['2024-02-30T00:00:00Z', '2024-01-01', '1704067200', '2024-01-01t00:00:00z', '', 'null']) {
    expect(time.parseRfc3339(text), text).toBeUndefined()
  }
})

test('durations parse in the units of flags and query parameters', () => {
  expect(time.parseDuration('1m30s')).toBe(90_000_000_000n)
  expect(time.parseDuration('1.5s')).toBe(1_500_000_000n)
  expect(time.parseDuration('100ms')).toBe(100_000_000n)
  for (const text of ['5', '', 's', '1 s', '1x', `1.${'0'.repeat(200)}s`])
    expect(time.parseDuration(text), text).toBeUndefined()
})
