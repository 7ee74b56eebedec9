import { expect, test } from 'vitest'
import { OTHER } from '../../../test/support/evm/machine.ts'
import { traced, traceText } from '../../../test/support/evm/traced.ts'
import { formatHex } from '../../primitives/bytes.ts'
import { createStructTraceOf } from './struct.ts'

interface Entry {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly error?: string
  readonly stack?: readonly string[]
  readonly returnData?: string
  readonly memory?: readonly string[]
  readonly storage?: Readonly<Record<string, string>>
  readonly refund?: number
}

interface Result {
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
  readonly structLogs: readonly Entry[]
  readonly truncated?: string
}

const word = (value: number): string => value.toString(16).padStart(64, '0')
const run = (world: Parameters<typeof traced>[1], config?: object): Result => traced('', world, config) as Result

test('an entry has the fields of geth, and the totals are those of the receipt', () => {
  // PUSH1 42, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  const { structLogs, ...totals } = run({ code: '602a5f5260205ff3' })
  expect(totals).toEqual({ gas: 21_000 + 3 + 2 + 6 + 3 + 2, failed: false, returnValue: word(42) })
  expect(structLogs).toEqual([
    { pc: 0, op: 'PUSH1', gas: 179_000, gasCost: 3, depth: 1, stack: [] },
    { pc: 2, op: 'PUSH0', gas: 178_997, gasCost: 2, depth: 1, stack: ['0x2a'] },
    { pc: 3, op: 'MSTORE', gas: 178_995, gasCost: 6, depth: 1, stack: ['0x2a', '0x0'] },
    { pc: 4, op: 'PUSH1', gas: 178_989, gasCost: 3, depth: 1, stack: [] },
    { pc: 6, op: 'PUSH0', gas: 178_986, gasCost: 2, depth: 1, stack: ['0x20'] },
    { pc: 7, op: 'RETURN', gas: 178_984, gasCost: 0, depth: 1, stack: ['0x20', '0x0'] },
  ])
})

test('words of the stack are quantities of any length', () => {
  for (let digits = 1; digits <= 64; digits++) {
    const value = '123456789abcdef0'.repeat(4).slice(0, digits)
    const code = `7f${value.padStart(64, '0')}00`
    expect(run({ code }).structLogs[1]!.stack).toEqual([`0x${value}`])
  }
})

test('storage has the slots that SLOAD and SSTORE of the contract accessed so far', () => {
  // SLOAD 1, SSTORE 2 = 9, SSTORE 1 = 0, SLOAD 1
  const { structLogs } = run({ code: '60015450600960025560006001556001545000', storage: { 1: 5 } })
  const shown = structLogs.filter(({ storage }) => storage)
  expect(shown.map(({ op, storage }) => [op, storage])).toEqual([
    ['SLOAD', { [word(1)]: word(5) }],
    ['SSTORE', { [word(1)]: word(5), [word(2)]: word(9) }],
    ['SSTORE', { [word(1)]: word(0), [word(2)]: word(9) }],
    ['SLOAD', { [word(1)]: word(0), [word(2)]: word(9) }],
  ])
  expect(structLogs.at(-1)!.refund).toBe(4800)
  expect(JSON.stringify(run({ code: '60015450600960025500' }, { disableStorage: true }))).not.toContain('storage')
})

test('an SLOAD shows the value at that step, although later steps of the batch change it', () => {
  const { structLogs } = run({ code: '600154506007600155', storage: { 1: 5 } })
  expect(structLogs.map(({ storage }) => storage?.[word(1)]).filter(Boolean)).toEqual([word(5), word(7)])
})

test("memory is the frame's before the step, return data that of its last call", () => {
  // OTHER returns one word, 42. CONTRACT stores 7 in its memory, calls, and reads.
  const code = `60075f52602060205f5f5f73${formatHex(OTHER)}5af1503d5f5f3e00`
  const { structLogs } = run({ code, other: '602a5f5260205ff3' }, { enableMemory: true, enableReturnData: true })
  const inner = structLogs.filter(({ depth }) => depth === 2)
  expect(inner.map(({ op, memory }) => [op, memory])).toEqual([
    ['PUSH1', undefined],
    ['PUSH0', undefined],
    ['MSTORE', undefined],
    ['PUSH1', [word(42)]],
    ['PUSH0', [word(42)]],
    ['RETURN', [word(42)]],
  ])
  const after = structLogs.slice(structLogs.findLastIndex(({ depth }) => depth === 2) + 1)
  expect(after[0]).toMatchObject({ op: 'POP', memory: [word(7), word(42)], returnData: `0x${word(42)}` })
  expect(after.at(-1)).toMatchObject({ op: 'STOP', memory: [word(42), word(42)] })
  expect(structLogs.find(({ op }) => op === 'CALL')!.returnData).toBeUndefined()
})

test('a step that could not begin has its error, and a failed transaction returns only revert data', () => {
  const underflow = run({ code: '01' })
  expect(underflow.structLogs).toEqual([
    { pc: 0, op: 'ADD', gas: 179_000, gasCost: 3, depth: 1, error: 'stack underflow (0 <=> 2)', stack: [] },
  ])
  expect(underflow).toMatchObject({ gas: 200_000, failed: true, returnValue: '' })
  const reverted = run({ code: '602a5f5260205ffd' })
  expect(reverted).toMatchObject({ failed: true, returnValue: word(42) })
  expect(reverted.structLogs.at(-1)).not.toHaveProperty('error')
})

test('fields are omitted on request', () => {
  const { structLogs } = run({ code: '5f5f5500' }, { disableStack: true, disableStorage: true })
  expect(structLogs[2]).toEqual({ pc: 2, op: 'SSTORE', gas: 178_996, gasCost: 2200, depth: 1 })
})

test('a limit ends the entries but not the execution, and the result says so', () => {
  const whole = run({ code: '5f5f5f5f5f602a60015500' })
  const cut = run({ code: '5f5f5f5f5f602a60015500' }, { limit: 3 })
  expect(cut.structLogs).toEqual(whole.structLogs.slice(0, 3))
  expect(cut).toMatchObject({ gas: whole.gas, failed: false, truncated: 'limit of 3 entries' })
  expect(whole.truncated).toBeUndefined()
  expect(() => traceText('', { code: '00' }, { limit: -1 })).toThrow('output limit cannot be negative, got -1')
})

test('a result over its maximum length is truncated, and says so', () => {
  const text = traceText((options) => createStructTraceOf({ ...options, outputBytes: 300 }), { code: '5f'.repeat(100) })
  const { structLogs, ...totals } = JSON.parse(text) as Result
  // The interpreter formats the records that fit; steps after the budget are not recorded.
  expect(structLogs.length).toBeGreaterThan(0)
  expect(totals).toEqual({ gas: 21_200, failed: false, returnValue: '', truncated: 'budget of 300 bytes' })
})

test('a transaction without code has no entries', () => {
  expect(run({})).toEqual({ structLogs: [], gas: 21_000, failed: false, returnValue: '' })
})

test('a trace longer than the buffers is complete', () => {
  // 2,000 rounds with 60 words on the stack: more than the buffers of records and text.
  const code = `${'60ff'.repeat(60)}6107d05b6001900380607b575f00`
  const { structLogs, gas } = run({ code, gasLimit: 2_000_000n })
  expect(structLogs.length).toBe(60 + 1 + 2000 * 7 + 2)
  expect(structLogs.reduce((sum, { gasCost }) => sum + gasCost, 21_000)).toBe(gas)
})
