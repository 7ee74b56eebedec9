import { expect, test } from 'vitest'
import { formatHex, hex } from '../../../primitives/bytes.ts'
import { decodeArguments, encodeArguments, encodeCall, encodeError } from './abi.ts'

const word = (text: string) => text.padStart(64, '0')
const text = (bytes: string) => bytes.padEnd(64, '0')

test('calldata is a selector and the arguments, with texts after the fixed words', () => {
  const address = hex('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')
  const data = encodeCall('sendToBank(address,uint256,string)', [address, 5n, 'abc'])
  expect(formatHex(data)).toBe(
    `e77a47bf${word('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')}${word('5')}${word('60')}${word('3')}${text('616263')}`,
  )
})

test('a dynamic tuple comes after the heads, and its offsets count from its start', () => {
  const encoded = encodeArguments('uint256,(address,string),bool', [1n, [new Uint8Array(20).fill(2), 'xy'], true])
  const tuple = word('02'.repeat(20)) + word('40') + word('2') + text('7879')
  expect(formatHex(encoded)).toBe(`${word('1')}${word('60')}${word('1')}${tuple}`)
  expect(decodeArguments('uint256,(address,string),bool', encoded)).toEqual([
    1n,
    [new Uint8Array(20).fill(2), 'xy'],
    true,
  ])
})

test('the reason of a failure has Solidity’s encoding', () => {
  expect(formatHex(encodeError('nope'))).toBe(`08c379a0${word('20')}${word('4')}${text('6e6f7065')}`)
})

test('invalid encodings are refused: truncated, out of bounds, too wide, not a boolean', () => {
  const refuses = (types: string, data: string) =>
    expect(() => decodeArguments(types, hex(data))).toThrow('not the ABI encoding expected')
  refuses('uint256', '')
  refuses('uint256', '00'.repeat(31))
  refuses('string', `${word('20') + word('5')}6162`)
  refuses('string', word('ffffffffffffffff'))
  refuses('string', 'ff'.repeat(32))
  refuses('uint64', word(`1${'0'.repeat(16)}`))
  refuses('bool', word('2'))
  expect(decodeArguments('bool', hex(`${word('1')}ff`))).toEqual([true])
  expect(decodeArguments('int256', hex('ff'.repeat(32)))).toEqual([-1n])
})
