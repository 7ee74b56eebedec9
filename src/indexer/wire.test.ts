import { expect, test } from 'vitest'
import { formatHex } from '../primitives/bytes.ts'
import { finishWriting, putInteger, startReading, startWriting, takeInteger } from './wire.ts'

/** Integers and their bytes: the form, then a varint, or a length and big-endian digits without leading zeros. */
const INTEGERS: readonly (readonly [bigint, string])[] = [
  [0n, '0000'],
  [300n, '00ac02'],
  [-1n, '010001'],
  [2n ** 53n - 1n, '00ffffffffffffff0f'],
  [2n ** 53n, '020720000000000000'],
  [2n ** 56n - 1n, '0207ffffffffffffff'],
  [2n ** 56n, '02080100000000000000'],
  [1_704_067_200_000_000_001n, '020817a6101701650001'],
  [2n ** 64n - 1n, '0208ffffffffffffffff'],
  [2n ** 64n, '0209010000000000000000'],
  [-(2n ** 64n), '010209010000000000000000'],
]

test('an integer of any size has the bytes of its form, and is read back', () => {
  for (const [value, bytes] of INTEGERS) {
    const out = startWriting(1)
    putInteger(out, value)
    const written = finishWriting(out)
    expect([value, formatHex(written)]).toEqual([value, bytes])
    expect(takeInteger(startReading(written))).toBe(value)
  }
})
