import { expect, test } from 'vitest'
import { CALLER, CONTRACT, OTHER } from '../../../test/support/evm/machine.ts'
import { traced, traceText } from '../../../test/support/evm/traced.ts'
import { encodeUint, formatHex, formatHex0x, hex } from '../../primitives/bytes.ts'
import { createAddress } from '../contract-address.ts'

interface Frame {
  readonly type: string
  readonly gasUsed: string
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly Frame[]
  readonly logs?: readonly { readonly position: string; readonly index: string }[]
}

const run = (world: Parameters<typeof traced>[1], config?: object) => traced('callTracer', world, config) as Frame
const [caller, contract, other] = [CALLER, CONTRACT, OTHER].map(formatHex0x) as [string, string, string]
const OTHER_HEX = formatHex(OTHER)

test('the outermost call has the gas of the transaction and of its receipt', () => {
  expect(run({ code: '602a5f5260205ff3', data: hex('aabbccdd'), valueWei: 3n })).toEqual({
    from: caller,
    gas: '0x30d40',
    // 21,000, four bytes of data at 16, and 19 in the code; the floor of EIP-7623 is 21,160.
    gasUsed: '0x52a8',
    to: contract,
    input: '0xaabbccdd',
    output: `0x${'2a'.padStart(64, '0')}`,
    value: '0x3',
    type: 'CALL',
  })
})

test("every call, creation and destruction is a frame; a static call has no value, a delegated call has its caller's", () => {
  const code = [
    `5f5f5f5f600573${OTHER_HEX}61fffff1`, // CALL with 5 wei
    `5f5f5f5f600673${OTHER_HEX}61fffff2`, // CALLCODE with 6
    `5f5f5f5f73${OTHER_HEX}61fffff4`, // DELEGATECALL
    `5f5f5f5f73${OTHER_HEX}61fffffa`, // STATICCALL
    '5f5f5ff05f5f5f5ff5', // CREATE and CREATE2 of no code
    `73${OTHER_HEX}ff`,
  ].join('')
  const { calls } = run({
    code,
    other: '00',
    valueWei: 9n,
  })
  expect(
    calls!.map(({ type, ...frame }) => [type, (frame as { value?: string }).value, (frame as { to?: string }).to]),
  ).toEqual([
    ['CALL', '0x5', other],
    ['CALLCODE', '0x6', other],
    ['DELEGATECALL', '0x9', other],
    ['STATICCALL', undefined, other],
    ['CREATE', '0x0', formatHex0x(createAddress(CONTRACT, 1n))],
    ['CREATE2', '0x0', expect.stringMatching(/^0x[0-9a-f]{40}$/)],
    // 1,000 and 9, less the 5 sent; CALLCODE sends to itself.
    ['SELFDESTRUCT', `0x${(1004).toString(16)}`, other],
  ])
  expect(calls!.every((frame) => (frame as unknown as { from: string }).from === contract)).toBe(true)
})

test('a revert reports its reason, any other failure consumes all gas', () => {
  const reason = `08c379a0${'20'.padStart(64, '0')}${'04'.padStart(64, '0')}${'6e6f7065'.padEnd(64, '0')}`
  // The reason follows the code, which copies it.
  const code = `6064600a5f3960645ffd${reason}`
  expect(run({ code })).toMatchObject({ error: 'execution reverted', revertReason: 'nope', output: `0x${reason}` })
  expect(run({ code: 'fe' })).toMatchObject({ error: 'invalid opcode: INVALID', gasUsed: '0x30d40' })
  expect(run({ code: 'fe' })).not.toHaveProperty('output')
  const panic = '634e487b7160e01b5f52601160045260245ffd'
  expect(run({ code: panic })).toMatchObject({ revertReason: 'arithmetic underflow or overflow' })
})

test('a creation has an address only if it succeeds', () => {
  const made = run({ creates: true, data: hex('60015ff3') })
  expect(made).toMatchObject({ type: 'CREATE', to: formatHex0x(createAddress(CALLER, 5n)), output: '0x00' })
  const failed = run({ creates: true, data: hex('5f5ffd') })
  expect(failed).toMatchObject({ type: 'CREATE', error: 'execution reverted' })
  expect(failed).not.toHaveProperty('to')
})

test('logs have their position in the frame and their index in the block; those of failed frames are removed', () => {
  // LOG0, a call that logs and reverts, a call that logs, LOG0.
  const call = `5f5f5f5f5f73${OTHER_HEX}61fffff150`
  const withValue = `5f5f5f5f600173${OTHER_HEX}61fffff150`
  const world = { code: `5f5fa0${call}${withValue}5f5fa000`, other: '5f5fa034600a575f5ffd5b00' }
  const { logs, calls } = run(world, { withLog: true })
  expect(logs!.map(({ position, index }) => [position, index])).toEqual([
    ['0x0', '0x7'],
    ['0x2', '0x9'],
  ])
  expect(calls!.map((frame) => frame.logs?.map(({ index }) => index))).toEqual([undefined, ['0x8']])
  expect(calls![0]!.error).toBe('execution reverted')
  expect(run(world).logs).toBeUndefined()
  const top = run(world, { withLog: true, onlyTopCall: true })
  expect(top.calls).toBeUndefined()
  expect(top.logs!.length).toBe(2)
  expect(run({ ...world, code: `5f5fa0${call}fe` }, { withLog: true }).logs).toBeUndefined()
})

test('calls that are not allowed are frames with an error', () => {
  const { calls } = run({ code: `5f5f5f5f61ffff73${OTHER_HEX}61fffff100` })
  expect(calls).toMatchObject([{ error: 'insufficient balance for transfer', gasUsed: '0x0', value: '0xffff' }])
})

test('a precompile call is a frame like others', () => {
  const { calls } = run({ code: '5f5f60205f60045afa00' })
  expect(calls).toMatchObject([
    { type: 'STATICCALL', to: `0x${'4'.padStart(40, '0')}`, gasUsed: `0x${(15 + 3).toString(16)}` },
  ])
})

test('a trace over its memory budget fails with the reason, and ends the execution', () => {
  // Calls itself without end, with a kilobyte each time.
  const code = `5b5f5f6104005f5f73${OTHER_HEX}5af150600056`
  expect(() => traceText('callTracer', { code, gasLimit: 16_000_000n }, undefined, 100_000)).toThrow(
    'trace is larger than the budget of 100000 bytes',
  )
})

test('options of the wrong type are refused', () => {
  expect(() => traceText('callTracer', { code: '00' }, { withLog: 'yes' })).toThrow(
    'withLog must be true or false, got a string',
  )
  expect(() => traceText('callTracer', { code: '00' }, [])).toThrow('tracer config: must be an object')
})

test('flatCallTracer lists the same calls with their position in the tree', () => {
  const code = `5f5f60205f60045afa5f5f5f5f5f73${OTHER_HEX}61fffff15f5f5f5f73${OTHER_HEX}61fffffa00`
  const flat = traced('flatCallTracer', { code, other: '5f5ffd' }, { convertParityErrors: true }) as Record<
    string,
    unknown
  >[]
  expect(flat.map(({ traceAddress, subtraces, error, type }) => [traceAddress, subtraces, error, type])).toEqual([
    [[], 2, undefined, 'call'],
    [[0], 0, 'Reverted', 'call'],
    [[1], 0, 'Reverted', 'call'],
  ])
  expect(flat[1]).toEqual({
    action: { callType: 'call', from: contract, gas: '0xffff', input: '0x', to: other, value: '0x0' },
    blockHash: null,
    blockNumber: 1000,
    error: 'Reverted',
    result: { gasUsed: '0x4', output: '0x' },
    subtraces: 0,
    traceAddress: [0],
    transactionHash: null,
    transactionPosition: 3,
    type: 'call',
  })
  expect((flat[2]!['action'] as { value: string }).value).toBe('0x0')
  const all = traced('flatCallTracer', { code, other: '5f5ffd' }, { includePrecompiles: true }) as { error?: string }[]
  expect(all.length).toBe(4)
  expect(all[2]!.error).toBe('execution reverted')
})

test('flatCallTracer has its own forms of creations and destructions, and no result for failures', () => {
  const code = `5f5f5ff05f5f5f5f5f73${OTHER_HEX}61fffff173${OTHER_HEX}ff`
  const flat = traced('flatCallTracer', { code, other: 'fe' }, { convertParityErrors: true }) as Record<
    string,
    unknown
  >[]
  expect(flat[1]).toMatchObject({
    type: 'create',
    action: { creationMethod: 'create', from: contract, init: '0x', value: '0x0' },
    result: { address: formatHex0x(createAddress(CONTRACT, 1n)), code: '0x', gasUsed: '0x0' },
  })
  expect(flat[2]).toMatchObject({ type: 'call', error: 'Bad instruction' })
  expect(flat[2]).not.toHaveProperty('result')
  expect(flat[3]).toMatchObject({
    type: 'suicide',
    action: { address: contract, balance: '0x3e8', refundAddress: other },
  })
  expect(flat[3]).not.toHaveProperty('result')
})

test('4byteTracer counts selectors with the length of their arguments', () => {
  // Twice OTHER with 36 bytes, once the identity precompile, once with three bytes.
  const start = `63aabbccdd60e01b5f52`
  const call = (size: string, to: string) => `5f5f60${size}5f5f${to}61fffff150`
  const code = `${start}${call('24', `73${OTHER_HEX}`)}${call('24', `73${OTHER_HEX}`)}${call('24', '6004')}${call('03', `73${OTHER_HEX}`)}00`
  expect(traced('4byteTracer', { code, other: '00', data: encodeUint(0x11223344n, 4) })).toEqual({
    '0x11223344-0': 1,
    '0xaabbccdd-32': 2,
  })
})

test('muxTracer runs several tracers over one execution', () => {
  const config = {
    callTracer: { onlyTopCall: true },
    '4byteTracer': null,
    noopTracer: {},
    muxTracer: { noopTracer: {} },
  }
  const world = { code: '00', data: hex('11223344') }
  expect(traced('muxTracer', world, config)).toEqual({
    callTracer: traced('callTracer', world, { onlyTopCall: true }),
    '4byteTracer': { '0x11223344-0': 1 },
    noopTracer: {},
    muxTracer: { noopTracer: {} },
  })
  expect(() => traceText('muxTracer', world, { nothing: {} })).toThrow('unknown tracer nothing')
})

test('muxTracer writes a struct log in its turn, although it is formatted while the code runs', () => {
  const world = { code: '600160020100' }
  const own = traced('struct', world)
  expect(own).toMatchObject({ structLogs: [{ op: 'PUSH1' }, { op: 'PUSH1' }, { op: 'ADD' }, { op: 'STOP' }] })
  const parts = { noopTracer: {}, struct: {}, callTracer: {} }
  const joined = traced('muxTracer', world, parts) as object
  expect(joined).toEqual({ noopTracer: {}, struct: own, callTracer: traced('callTracer', world) })
  expect(Object.keys(joined)).toEqual(Object.keys(parts))
})
