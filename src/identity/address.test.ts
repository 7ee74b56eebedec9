import { expect, test } from 'vitest'
import { formatBech32 } from '../primitives/address.ts'
import * as address from './address.ts'
import { almanac } from './profiles/almanac.ts'

const ctx = { identity: almanac }
const bytes = new Uint8Array(20).fill(0xa1)
const text = address.format(ctx, bytes)
const upper = text.toUpperCase()
const mixed = `${text.slice(0, 10)}${upper.slice(10)}`

test('both spellings of an address parse, and lower case is canonical', () => {
  expect(address.parse(ctx, upper)).toEqual(bytes)
  expect(address.canonical(ctx, upper)).toBe(text)
  expect([address.isCanonical(ctx, text), address.isCanonical(ctx, upper)]).toEqual([true, false])
  const operator = address.formatValidator(ctx, bytes)
  expect(address.canonicalValidator(ctx, operator.toUpperCase())).toBe(operator)
})

test('a mixed spelling and surrounding space are refused', () => {
  for (const wrong of [mixed, ` ${text}`, `${text} `, `${upper}\n`]) {
    expect(() => address.canonical(ctx, wrong), wrong).toThrow('invalid address')
  }
})

test('a list keeps a text that is no address as it is', () => {
  const other = formatBech32('nibi', bytes)
  expect([upper, text, other.toUpperCase()].map(address.canonicalOrSame)).toEqual([text, text, other])
  for (const same of ['', 'NOBODY', mixed, `${upper.slice(0, -1)}Q`]) expect(address.canonicalOrSame(same)).toBe(same)
})

test('a text is a spelling of an address in lower or upper case alone', () => {
  const isSpelling = address.spellingOf(text)
  expect([text, upper, mixed, `${text} `, address.format(ctx, bytes.subarray(1))].map(isSpelling)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

test('operators compare by their texts, whose order is not that of the bytes', () => {
  // The letters of Bech32 have the order q p z r y 9 x 8: 0 is `q` and 1 is `p`.
  const [zero, one] = [new Uint8Array(20), new Uint8Array(20).fill(0x08, 0, 1)]
  expect(address.formatValidator(ctx, zero) > address.formatValidator(ctx, one)).toBe(true)
  expect(address.compareValidators(ctx, zero, one)).toBe(1)
  expect(address.compareValidators(ctx, one, zero)).toBe(-1)
  expect(address.compareValidators(ctx, one, one)).toBe(0)
})
