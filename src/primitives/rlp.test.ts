import { expect, test } from 'vitest'
import { concat, formatHex, hex, utf8 } from './bytes.ts'
import { decode, encode, fromUint, type RlpItem } from './rlp.ts'

const samples: readonly [string, RlpItem][] = [
  ['80', new Uint8Array(0)],
  ['00', hex('00')],
  ['8180', hex('80')],
  ['83646f67', utf8('dog')],
  ['c0', []],
  ['c88363617483646f67', [utf8('cat'), utf8('dog')]],
  ['c7c0c1c0c3c0c1c0', [[], [[]], [[], [[]]]]],
  [`b838${'61'.repeat(56)}`, utf8('a'.repeat(56))],
  [`f838${'61'.repeat(56)}`, Array.from({ length: 56 }, () => utf8('a'))],
]

test.each(samples)('%s decodes and encodes to the same bytes', (text, item) => {
  expect(formatHex(encode(item))).toBe(text)
  expect(encode(decode(hex(text)))).toEqual(hex(text))
  expect(decode(hex(text))).toEqual(item)
})

test('lengths of 256 bytes and more take two length bytes', () => {
  const encoded = encode(new Uint8Array(0x1234))
  expect(formatHex(encoded.subarray(0, 3))).toBe('b91234')
  expect(decode(encoded)).toEqual(new Uint8Array(0x1234))
})

test('integers are written without leading zeros', () => {
  expect(formatHex(encode(fromUint(0n)))).toBe('80')
  expect(formatHex(encode(fromUint(1024n)))).toBe('820400')
})

test.each([
  ['', 'the input ends'],
  ['8100', 'encoded as itself'],
  ['817f', 'encoded as itself'],
  ['83646f', 'value of 3 bytes in 2'],
  ['8080', '1 bytes after the value'],
  ['b800', 'leading zero'],
  ['b801ff', 'long form of a short length'],
  ['bf0f000000000000021111', 'value of'],
  ['f8', 'length is truncated'],
  ['c183', 'value of 3 bytes in 0'],
])('%s is refused: %s', (text, reason) => {
  expect(() => decode(hex(text))).toThrow(reason)
})

test('deeply nested lists are refused without a stack overflow', () => {
  let bomb: Uint8Array = hex('c0')
  for (let i = 0; i < 5_000; i++) {
    const { length } = bomb
    const head = length <= 55 ? [0xc0 + length] : length < 256 ? [0xf8, length] : [0xf9, length >> 8, length & 255]
    bomb = concat(new Uint8Array(head), bomb)
  }
  expect(() => decode(bomb)).toThrow('nested lists')
})
