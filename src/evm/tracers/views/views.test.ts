import { expect, test } from 'vitest'
import { CALLER, CONTRACT, OTHER } from '../../../../test/support/evm/machine.ts'
import { FUNDS, GAS_PRICE, traced, traceText, type World } from '../../../../test/support/evm/traced.ts'
import { formatHex, formatHex0x, hex } from '../../../primitives/bytes.ts'
import { createAddress } from '../../contract-address.ts'
import { createViewTrace, type TraceView } from './view.ts'

const [caller, contract, other] = [CALLER, CONTRACT, OTHER].map(formatHex0x) as [string, string, string]
const OTHER_HEX = formatHex(OTHER)
const CREATED = formatHex0x(createAddress(CONTRACT, 1n))

const factoryOf = (view: TraceView) => (options: Parameters<typeof createViewTrace>[1]) =>
  createViewTrace(view, options)
/** Returns the values of a view as a list. */
const values = (view: TraceView, world: World): Record<string, unknown>[] =>
  JSON.parse(`[${traceText(factoryOf(view), world)}]`)
const replay = (world: World, parts: Partial<Extract<TraceView, { kind: 'replay' }>>) =>
  traced(
    factoryOf({ kind: 'replay', trace: false, stateDiff: false, vmTrace: false, withHash: false, ...parts }),
    world,
  ) as Record<string, never>

/** Calls OTHER with 5 wei, calls it again in vain, creates a contract of no code, and asks the identity precompile. */
const BUSY: World = {
  code: [
    `5f5f5f5f600573${OTHER_HEX}61fffff150`,
    `5f5f60015f5f73${OTHER_HEX}61fffff150`,
    '5f5f5ff050',
    '5f5f5f5f60045afa50',
  ].join(''),
  // Reverts if it gets data.
  other: '36600557005b5f5ffd',
}

test('calls are a list with paths; a failed one has an error and its output, and a quiet precompile is no call', () => {
  const traces = values({ kind: 'flat' }, BUSY)
  expect(traces.map(({ type, traceAddress, subtraces, error }) => [type, traceAddress, subtraces, error])).toEqual([
    ['call', [], 3, undefined],
    ['call', [0], 0, undefined],
    ['call', [1], 0, 'Reverted'],
    ['create', [2], 0, undefined],
  ])
  expect(traces[1]).toMatchObject({
    action: { callType: 'call', from: contract, to: other, value: '0x5' },
    result: { output: '0x' },
    blockNumber: 1000,
    transactionPosition: 3,
  })
  const destructed = values({ kind: 'flat' }, { code: `73${OTHER_HEX}ff` })
  expect(destructed[1]).toMatchObject({ type: 'suicide', result: null, action: { refundAddress: other } })
  const failed = values({ kind: 'flat' }, { code: 'fe' })
  expect(failed).toMatchObject([{ error: 'Bad instruction', result: null }])
})

test('calls are chosen by path, and by the accounts that they are from or to', () => {
  const paths = (view: Omit<Extract<TraceView, { kind: 'flat' }>, 'kind'>) =>
    values({ kind: 'flat', ...view }, BUSY).map(({ traceAddress }) => traceAddress)
  expect(paths({ path: [1] })).toEqual([[1]])
  expect(paths({ path: [] })).toEqual([[]])
  expect(paths({ path: [7] })).toEqual([])
  expect(paths({ addresses: { from: [CALLER], to: [], needsBoth: false } })).toEqual([[]])
  expect(paths({ addresses: { from: [CALLER], to: [OTHER], needsBoth: false } })).toEqual([[], [0], [1]])
  expect(paths({ addresses: { from: [CALLER], to: [OTHER], needsBoth: true } })).toEqual([])
  expect(paths({ addresses: { from: [CONTRACT], to: [OTHER], needsBoth: true } })).toEqual([[0], [1]])
  expect(paths({ addresses: { from: [], to: [hex(CREATED.slice(2))], needsBoth: true } })).toEqual([[2]])
})

test('a replay has the output of a success and of a revert, and only the chosen parts', () => {
  const returns = { code: '602a5f5260205ff3' }
  expect(replay(returns, {})).toEqual({
    output: `0x${'2a'.padStart(64, '0')}`,
    stateDiff: null,
    trace: [],
    vmTrace: null,
  })
  const reverts = replay({ code: '602a5f5260205ffd' }, { trace: true })
  expect(reverts).toMatchObject({ output: `0x${'2a'.padStart(64, '0')}`, trace: [{ error: 'Reverted' }] })
  expect(Object.keys(reverts['trace']![0]!).sort()).toEqual([
    'action',
    'error',
    'result',
    'subtraces',
    'traceAddress',
    'type',
  ])
})

test('a state difference names what changed, appeared and disappeared', () => {
  // Writes 7 to slot 1, clears slot 2, leaves slot 3, and creates a contract with code 0x00 and 9 wei.
  const code = '60076001555f6002556003545060015f60095f5260015f6009f050'
  const { stateDiff } = replay({ code, storage: { 1: 5, 2: 6, 3: 8 } }, { stateDiff: true })
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
  const diff = stateDiff as unknown as Record<string, Record<string, unknown>>
  expect(diff[contract]!['storage']).toEqual({
    [word(1)]: { '*': { from: word(5), to: word(7) } },
    [word(2)]: { '*': { from: word(6), to: word(0) } },
  })
  expect(diff[contract]).toMatchObject({ code: '=', nonce: { '*': { from: '0x1', to: '0x2' } } })
  expect(diff[CREATED]).toMatchObject({
    balance: { '+': '0x9' },
    code: { '+': '0x' },
    nonce: { '+': '0x1' },
    storage: {},
  })
  expect(diff[caller]).toMatchObject({ nonce: { '*': { from: '0x5', to: '0x6' } }, code: '=', storage: {} })
  const { from, to } = (diff[caller]!['balance'] as { '*': Record<'from' | 'to', string> })['*']
  expect(BigInt(from)).toBe(FUNDS)
  expect((FUNDS - BigInt(to)) % GAS_PRICE).toBe(0n)
  const destroyed = replay(
    { fork: 'Shanghai', code: `73${OTHER_HEX}ff`, other: '00', storage: { 1: 5 } },
    { stateDiff: true },
  )
  expect(destroyed['stateDiff']).toMatchObject({
    [contract]: {
      balance: { '-': '0x3e8' },
      code: { '-': formatHex0x(hex(`73${OTHER_HEX}ff`)) },
      nonce: { '-': '0x1' },
    },
    [other]: { balance: { '*': { from: '0x0', to: '0x3e8' } }, code: '=', nonce: '=' },
  })
})

interface Op {
  readonly op: string
  readonly pc: number
  readonly cost: number
  readonly ex: { readonly mem: unknown; readonly push: string[]; readonly store: unknown; readonly used: number } | null
  readonly sub: VmTrace | null
}
interface VmTrace {
  readonly code: string
  readonly ops: readonly Op[]
}

const vmOf = (world: World): VmTrace => replay(world, { vmTrace: true })['vmTrace'] as unknown as VmTrace

test('every opcode has what it pushed, wrote and stored, and the gas left after it', () => {
  const { code, ops } = vmOf({ code: '602a8060015280600155600151905000' })
  expect(code).toBe('0x602a8060015280600155600151905000')
  expect(ops.map(({ op, ex }) => [op, ex!.push])).toEqual([
    ['PUSH1', ['0x2a']],
    ['DUP1', ['0x2a', '0x2a']],
    ['PUSH1', ['0x1']],
    ['MSTORE', []],
    ['DUP1', ['0x2a', '0x2a']],
    ['PUSH1', ['0x1']],
    ['SSTORE', []],
    ['PUSH1', ['0x1']],
    ['MLOAD', ['0x2a']],
    ['SWAP1', ['0x2a', '0x2a']],
    ['POP', []],
    ['STOP', []],
  ])
  expect(ops[6]!.ex!.store).toEqual({ key: '0x1', val: '0x2a' })
  expect(ops[8]!.ex!.mem).toEqual(ops[3]!.ex!.mem)
  expect(ops[3]!.ex!.mem).toEqual({ data: `0x${'2a'.padStart(64, '0')}`, off: 1 })
  for (const [i, { cost, ex }] of ops.slice(1).entries()) expect(ops[i]!.ex!.used - cost).toBe(ex!.used)
})

test('the opcodes of a called contract are below the call; a failed opcode has no effects', () => {
  const { ops } = vmOf({ code: `60205f5f5f5f73${OTHER_HEX}61fffff100`, other: '602a5f5260205ff3' })
  const call = ops.find(({ op }) => op === 'CALL')!
  expect(call.ex).toMatchObject({ push: ['0x1'], mem: { data: `0x${'2a'.padStart(64, '0')}`, off: 0 } })
  expect(call.sub).toMatchObject({ code: '0x602a5f5260205ff3' })
  expect(call.sub!.ops.map(({ op }) => op)).toEqual(['PUSH1', 'PUSH0', 'MSTORE', 'PUSH1', 'PUSH0', 'RETURN'])
  expect(ops.filter(({ op }) => op !== 'CALL').every(({ sub }) => sub === null)).toBe(true)
  const broken = vmOf({ code: '600150fe' }).ops
  expect(broken.at(-1)).toMatchObject({ ex: null })
  const plain = vmOf({ code: `5f5f5f5f5f73${'ee'.repeat(20)}61fffff100` }).ops
  expect(plain.find(({ op }) => op === 'CALL')).toMatchObject({ sub: { code: '0x', ops: [] }, ex: { push: ['0x1'] } })
  const built = vmOf({ code: '5f5f5f5f60045afa00' }).ops
  expect(built.find(({ op }) => op === 'STATICCALL')).toMatchObject({ sub: null, ex: { push: ['0x1'] } })
  expect(vmOf({})).toEqual({ code: '0x', ops: [] })
})

test("Otterscan's entries have every call with its depth; its operations only what took effect", () => {
  expect(values({ kind: 'entries' }, BUSY).map(({ type, depth, to, value }) => [type, depth, to, value])).toEqual([
    ['CALL', 0, contract, '0x0'],
    ['CALL', 1, other, '0x5'],
    ['CALL', 1, other, '0x0'],
    ['CREATE', 1, CREATED, '0x0'],
  ])
  const failed = values({ kind: 'entries' }, { creates: true, data: hex('fe') })
  expect(failed).toMatchObject([{ type: 'CREATE', to: formatHex0x(createAddress(CALLER, 5n)) }])
  expect(values({ kind: 'operations' }, BUSY)).toEqual([
    { type: 0, from: contract, to: other, value: '0x5' },
    { type: 2, from: contract, to: CREATED, value: '0x0' },
  ])
  expect(values({ kind: 'operations' }, { ...BUSY, code: `${BUSY.code}5f5ffd` })).toEqual([])
  expect(values({ kind: 'operations' }, { code: `73${OTHER_HEX}ff` })).toEqual([
    { type: 1, from: contract, to: other, value: '0x3e8' },
  ])
})

test('the output of a failure, the creator of a contract, and the accounts of a transaction are views', () => {
  expect(values({ kind: 'output' }, { code: '602a5f5260205ffd' })).toEqual([`0x${'2a'.padStart(64, '0')}`])
  expect(values({ kind: 'output' }, { code: '602a5f5260205ff3' })).toEqual(['0x'])
  const creatorOf = (address: string, world: World) =>
    values({ kind: 'creator', contract: hex(address.slice(2)) }, world).map(({ creator }) => creator)
  expect(creatorOf(CREATED, BUSY)).toEqual([contract])
  expect(creatorOf(CREATED, { ...BUSY, code: `${BUSY.code}5f5ffd` })).toEqual([])
  expect(creatorOf(other, BUSY)).toEqual([])
  expect(values({ kind: 'participants' }, BUSY)).toEqual([
    [3, caller, contract, other, CREATED, `0x${'4'.padStart(40, '0')}`],
  ])
})

test('a view that outgrows its memory fails with the budget', () => {
  const small = (view: TraceView) => () => traceText(factoryOf(view), BUSY, undefined, 500)
  for (const view of [{ kind: 'flat' }, { kind: 'entries' }] as const) expect(small(view)).toThrow('budget')
  expect(() => traceText(factoryOf({ kind: 'participants' }), BUSY, undefined, 150)).toThrow('budget')
})
