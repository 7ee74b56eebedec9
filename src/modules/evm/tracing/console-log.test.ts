import { encodeFunctionData, getAddress, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { hex } from '../../../primitives/bytes.ts'
import { consoleText, consoleTracer } from './console-log.ts'

const printed = (signature: string, ...args: unknown[]): string | undefined => {
  const abi = parseAbi([`function ${signature}`] as never) as never
  return consoleText(hex((encodeFunctionData as (of: object) => string)({ abi, args }).slice(2)))
}

test('every form of console.log prints as in the library', () => {
  expect(printed('log(string)', 'hello wörld')).toBe('hello wörld')
  expect(printed('log(string,uint256,address,bool)', 'a', 7n, `0x${'ab'.repeat(20)}`, true)).toBe(
    `a 7 ${getAddress(`0x${'ab'.repeat(20)}`)} true`,
  )
  expect(printed('log(string,uint256,string)', 'n = %d, %s!', 5n, 'yes')).toBe('n = 5, yes!')
  expect(printed('log(int256)', -5n)).toBe('-5')
  expect(printed('logInt(int256)', -6n)).toBe('-6')
  expect(printed('logBytes4(bytes4)', '0x01020304')).toBe('0x01020304')
  expect(printed('logBytes(bytes)', '0x0102')).toBe('0x0102')
  expect(printed('log()')).toBe('')
  // `log(uint)` of early libraries: keccak256("log(uint)") starts with f5b1bba9.
  expect(consoleText(hex(`f5b1bba9${'2a'.padStart(64, '0')}`))).toBe('42')
})

test('other calls print nothing, and wrong lengths never print bytes beyond the calldata', () => {
  expect(consoleText(hex('01020304'))).toBeUndefined()
  expect(consoleText(hex(`41304fac${'ff'.repeat(32)}`))).toBe('')
})

test('an execution that prints without end prints a bounded text, and says so', () => {
  const lines: string[] = []
  const { enter } = consoleTracer((line) => lines.push(line))
  const input = hex(
    (encodeFunctionData as (of: object) => string)({
      abi: parseAbi(['function log(string)']),
      args: ['x'.repeat(1000)],
    }).slice(2),
  )
  const frame = { input } as Parameters<NonNullable<typeof enter>>[0]
  for (let i = 0; i < 10_000; i++) enter!(frame, {} as Parameters<NonNullable<typeof enter>>[1])
  expect(lines.length).toBeLessThan(300)
  expect(lines.join('').length).toBeLessThan(263_000)
  expect(lines.filter((line) => line.startsWith('the rest is dropped'))).toHaveLength(1)
  expect(lines.at(-1)).toMatch(/^the rest is dropped/)
})
