import { expect, test } from 'vitest'
import { CONTRACT, OTHER } from '../../../test/support/evm/machine.ts'
import { traced, traceText } from '../../../test/support/evm/traced.ts'
import { formatHex, formatHex0x, hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'

interface Frame {
  readonly accessedSlots: Readonly<Record<'reads' | 'writes' | 'transientReads' | 'transientWrites', object>>
  readonly extCodeAccessInfo: readonly string[]
  readonly usedOpcodes: Readonly<Record<string, number>>
  readonly contractSize: object
  readonly outOfGas: boolean
  readonly keccak?: readonly string[]
  readonly calls?: readonly Frame[]
}

const run = (world: Parameters<typeof traced>[1], config?: object) => traced('erc7562Tracer', world, config) as Frame
const OTHER_HEX = formatHex(OTHER)
const other = formatHex0x(OTHER)
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`

test('slots are those of the frame; a slot that was written first is not read', () => {
  // SLOAD 1 twice; SSTORE 2, SLOAD 2; TSTORE 3, TLOAD 3 twice.
  const code = '60015450600154506005600255600254506007' + '60035d60035c5060035c5000'
  const { accessedSlots } = run({ code, storage: { 1: 5 } })
  expect(accessedSlots).toEqual({
    reads: { [word(1)]: [word(5)] },
    writes: { [word(2)]: 1 },
    transientReads: { [word(3)]: 2 },
    transientWrites: { [word(3)]: 1 },
  })
})

test('opcodes are counted except simple ones, and GAS unless a call follows it', () => {
  // GAS, POP; GAS and CALL of OTHER; TIMESTAMP, POP.
  const code = `5a505f5f5f5f5f73${OTHER_HEX}5af1504250`
  const { usedOpcodes, contractSize, calls } = run({ code, other: '4300' })
  expect(usedOpcodes).toEqual({ '0x5a': 1, '0xf1': 1, '0x42': 1, '0x0': 1 })
  expect(contractSize).toEqual({ [other]: { contractSize: 2, opcode: 0xf1 } })
  expect(calls).toMatchObject([{ type: 'CALL', to: other, usedOpcodes: { '0x43': 1, '0x0': 1 }, outOfGas: false }])
  expect(
    run({ code, other: '00' }, { ignoredOpcodes: ['0x42', '0x00', '0xf1', '0x5f', '0x50', '0x73'] }).usedOpcodes,
  ).toEqual({
    '0x5a': 1,
  })
})

test('accounts whose code is read are listed, but not for a check of existence', () => {
  // EXTCODESIZE, ISZERO; then EXTCODESIZE, POP; then EXTCODEHASH, POP.
  const checked = run({ code: `73${OTHER_HEX}3b155000`, other: '00' })
  expect(checked.extCodeAccessInfo).toEqual([])
  expect(checked.contractSize).toEqual({ [other]: { contractSize: 1, opcode: 0x3b } })
  const read = run({ code: `73${OTHER_HEX}3b5073${OTHER_HEX}3f5000`, other: '00' })
  expect(read.extCodeAccessInfo).toEqual([other, other])
})

test('a frame without enough gas says so, the outermost does not', () => {
  // An endless loop in OTHER, called with 5,000 gas.
  const called = run({ code: `5f5f5f5f5f73${OTHER_HEX}611388f15000`, other: '5b5f56' })
  expect(called.outOfGas).toBe(false)
  expect(called.calls).toMatchObject([{ outOfGas: true, error: 'out of gas' }])
  expect(run({ code: '5b5f56' })).toMatchObject({ outOfGas: false, error: 'out of gas' })
})

test('hashed bytes are in the outermost frame, each once and sorted, those of inner frames too', () => {
  // The hash of a word of memory with 1 in its last byte, twice; of no bytes; and OTHER's of 2.
  const hash = (byte: string) => `60${byte}5f5260205f2050`
  const code = `${hash('01')}${hash('01')}5f5f20505f5f5f5f5f73${OTHER_HEX}5af15000`
  const world = { code, other: `${hash('02')}00` }
  const frame = run(world)
  const bytes = ['0x', word(1), word(2)]
  expect(frame.keccak).toEqual(bytes)
  expect(frame.calls![0]).not.toHaveProperty('keccak')
  expect(traced('keccak256PreimageTracer', world)).toEqual(
    Object.fromEntries(bytes.map((one) => [formatHex0x(keccak256(hex(one.slice(2)))), one])),
  )
  expect(run({ code: '00' })).not.toHaveProperty('keccak')
  expect(traced('keccak256PreimageTracer', { code: '00' })).toEqual({})
})

test('memory beyond its end is hashed as zeros, and what no gas could pay for is left out', () => {
  expect(Object.values(traced('keccak256PreimageTracer', { code: '60405f2000' }) as object)).toEqual([
    `0x${'00'.repeat(64)}`,
  ])
  expect(traced('keccak256PreimageTracer', { code: `7f${'ff'.repeat(32)}5f2000` })).toEqual({})
})

test('logs and wrong options are treated as by callTracer', () => {
  const code = '5f5fa000'
  expect(run({ code }, { withLog: true })).toMatchObject({ logs: [{ address: formatHex0x(CONTRACT), topics: [] }] })
  expect(run({ code })).not.toHaveProperty('logs')
  expect(() => run({ code }, { ignoredOpcodes: [1] })).toThrow('ignoredOpcodes must be a list of opcodes')
  expect(() => traceText('keccak256PreimageTracer', { code: '6101005f2000' }, undefined, 100)).toThrow('budget')
})
