import { expect, test } from 'vitest'
import * as decimal from './decimal.ts'

const dec = (text: string): decimal.Decimal => decimal.parse(text)!

test('text has exactly 18 decimals and parses to the same value', () => {
  expect(decimal.format(dec('0.5'))).toBe('0.500000000000000000')
  expect(decimal.format(dec('-12'))).toBe('-12.000000000000000000')
  expect(decimal.encode(dec('0.02'))).toBe('20000000000000000')
  expect(decimal.encode(decimal.zero)).toBe('0')
})

test('text that is not a plain decimal is refused', () => {
  for (const text of ['', '.5', '5.', '1e3', '+1', '--1', ' 1', '1.0000000000000000001', '1.2.3']) {
    expect(decimal.parse(text), text).toBeUndefined()
  }
})

test('a value of 2^256 or more is refused, however long its text', () => {
  // 2^256, computed by another program.
  const whole = '115792089237316195423570985008687907853269984665640564039457584007913129639936'
  const limit = `${whole}${'0'.repeat(18)}`
  const largest = `${whole.slice(0, -1)}5${'9'.repeat(18)}`
  const pointed = (digits: string) => `${digits.slice(0, -18)}.${digits.slice(-18)}`
  for (const sign of ['', '-']) {
    expect(decimal.decode(sign + limit)).toBeUndefined()
    expect(decimal.parse(sign + pointed(limit))).toBeUndefined()
    expect(decimal.encode(decimal.decode(sign + largest)!)).toBe(sign + largest)
    expect(decimal.encode(dec(sign + pointed(largest)))).toBe(sign + largest)
  }
  expect(decimal.encode(decimal.decode(`${'0'.repeat(1_000)}7`)!)).toBe('7')
  expect(dec(`${'0'.repeat(1_000)}1.5`)).toBe(dec('1.5'))
  for (const endless of ['9'.repeat(1_000_000), `${'0'.repeat(1_000_000)}x`]) {
    expect([decimal.decode(endless), decimal.parse(endless)]).toEqual([undefined, undefined])
  }
})

test('products and quotients round half to even on the magnitude', () => {
  const tiny = decimal.fromRaw(1n)
  expect(decimal.mul(tiny, dec('0.5'))).toBe(0n)
  expect(decimal.mul(decimal.fromRaw(3n), dec('0.5'))).toBe(2n)
  expect(decimal.mul(decimal.fromRaw(-3n), dec('0.5'))).toBe(-2n)
  expect(decimal.format(decimal.quo(dec('2'), dec('3')))).toBe('0.666666666666666667')
  expect(decimal.format(decimal.quoTruncate(dec('2'), dec('3')))).toBe('0.666666666666666666')
  expect(decimal.format(decimal.quoRoundUp(dec('1'), dec('3')))).toBe('0.333333333333333334')
  expect(decimal.format(decimal.quoRoundUp(dec('-1'), dec('3')))).toBe('-0.333333333333333333')
})

test('a tally of 301 vetoes in 901 votes is above a veto threshold of 0.334', () => {
  expect(decimal.quo(decimal.fromInteger(301n), decimal.fromInteger(901n)) > dec('0.334')).toBe(true)
})

test('decimals convert to whole numbers by truncation, rounding and ceiling', () => {
  expect(decimal.truncate(dec('-1.9'))).toBe(-1n)
  expect(decimal.round(dec('2.5'))).toBe(2n)
  expect(decimal.round(dec('3.5'))).toBe(4n)
  expect(decimal.ceil(dec('5000.025'))).toBe(5001n)
  expect(decimal.ceil(dec('-1.5'))).toBe(-1n)
})
