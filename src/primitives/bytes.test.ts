import { expect, test } from 'vitest'
import * as bytes from './bytes.ts'

test('the end of a prefix is its last byte plus one, carried over bytes of 0xff', () => {
  expect(bytes.prefixEnd(bytes.hex('01'))).toEqual(bytes.hex('02'))
  expect(bytes.prefixEnd(bytes.hex('01ffff'))).toEqual(bytes.hex('02'))
  expect(bytes.prefixEnd(bytes.hex('ffff'))).toBeUndefined()
  expect(bytes.prefixEnd(bytes.EMPTY)).toBeUndefined()
})

test('toKey and fromKey round-trip every byte value', () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i)
  expect(bytes.fromKey(bytes.toKey(all))).toEqual(all)
  expect(bytes.toKey(bytes.hex('00ff')) < bytes.toKey(bytes.hex('01'))).toBe(true)
})

test('unsigned integers keep their value in either width and refuse values that are too large', () => {
  expect(bytes.encodeUint(258n, 4)).toEqual(bytes.hex('00000102'))
  expect(bytes.decodeUint(bytes.hex('00000102'))).toBe(258n)
  expect(bytes.encodeUintMinimal(0n)).toEqual(bytes.EMPTY)
  expect(bytes.encodeUintMinimal(0x0fffn)).toEqual(bytes.hex('0fff'))
  expect(() => bytes.encodeUint(256n, 1)).toThrow('256 does not fit 1 bytes')
  expect(() => bytes.encodeUint(-1n, 8)).toThrow(RangeError)
})

test('hexadecimal text parses with and without 0x, and other text is refused', () => {
  expect(bytes.parseHex('0xAb')).toEqual(bytes.hex('ab'))
  expect(bytes.parseHex('abc')).toBeUndefined()
  expect(bytes.parseHex('zz')).toBeUndefined()
  expect(bytes.parseHex('0x')).toEqual(bytes.EMPTY)
})

test('64-bit integers encode in both byte orders', () => {
  expect(bytes.encodeUint64(7n)).toEqual(bytes.hex('0000000000000007'))
  expect(bytes.encodeUint64LittleEndian(7n)).toEqual(bytes.hex('0700000000000000'))
  expect(bytes.decodeUint64(bytes.hex('000000000001e240'))).toBe(123456n)
})

test('padding on the left keeps the last bytes of longer values', () => {
  expect(bytes.padLeft(bytes.hex('01'), 3)).toEqual(bytes.hex('000001'))
  expect(bytes.padLeft(bytes.hex('01020304'), 2)).toEqual(bytes.hex('0304'))
})

test('texts of every length and script are UTF-8', () => {
  for (const text of ['', 'unative', 'a'.repeat(64), 'b'.repeat(65), 'Zürich', '日本', '😀', `${'x'.repeat(70)}é`]) {
    expect(bytes.utf8(text)).toEqual(new TextEncoder().encode(text))
  }
})

test('Base64 parses in either alphabet, padded or not, and other text is refused', () => {
  expect(bytes.parseBase64('+/8=')).toEqual(bytes.hex('fbff'))
  expect(bytes.parseBase64('-_8')).toEqual(bytes.hex('fbff'))
  expect(bytes.parseBase64('')).toEqual(bytes.EMPTY)
  for (const text of ['A', 'AA===', 'A=', '=A', 'A A=', 'é']) expect(bytes.parseBase64(text), text).toBeUndefined()
  // A pattern with backtracking would not finish here.
  expect(bytes.parseBase64(`${'='.repeat(200_000)}x`)).toBeUndefined()
  expect(bytes.parseBase64('A'.repeat(5_000_000))?.length).toBe(3_750_000)
})
