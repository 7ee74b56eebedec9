import variant from '@jitl/quickjs-wasmfile-release-sync'
import { newQuickJSWASMModuleFromVariant, newVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'
import { expect, test } from 'vitest'
import { CALLER, CONTRACT, machine } from '../../../../test/support/evm/machine.ts'
import { formatHex, formatHex0x } from '../../../primitives/bytes.ts'
import { ChainError } from '../../../primitives/errors.ts'
import { createOutput } from '../output.ts'
import { scriptFactory, scriptOf } from './trace.ts'

const PAGES = 16 << 4
const load = () => {
  const wasmMemory = new WebAssembly.Memory({ initial: PAGES, maximum: 2 * PAGES })
  return newQuickJSWASMModuleFromVariant(newVariant(variant as unknown as QuickJSSyncVariant, { wasmMemory }))
}
let engine = await load()

interface Run {
  readonly code?: string
  readonly other?: string
  readonly config?: unknown
  readonly shouldStop?: () => boolean
  readonly gas?: bigint
}

/** Runs code under a script, and returns the parsed result of the script. */
function traced(
  source: string,
  { code = '602a6001015f5260205ff3', other, config, shouldStop = () => false, gas }: Run = {},
) {
  const chunks: Uint8Array[] = []
  const output = createOutput((chunk) => chunks.push(chunk))
  const precompiles = [new Uint8Array(20).fill(1, 19)]
  const limits = { engine, shouldStop, precompiles }
  const trace = scriptFactory(source, limits)({ config, context: { blockNumber: 7n }, output, memoryBytes: 1 << 20 })
  machine({ code, ...(other === undefined ? {} : { other }), tracer: trace.tracer }).call(
    gas === undefined ? {} : { gas },
  )
  trace.finish()
  output.flush()
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown
}

const RESULT = 'fault: function () {}, result: function () { return this.seen }'

test('a script receives the same data of every step as in geth', () => {
  const source = `{ seen: [], step: function (log) {
    this.seen.push([log.getPC(), log.op.toString(), log.op.toNumber(), log.op.isPush(), log.stack.length(), log.getCost(), log.getDepth(), log.memory.length()])
  }, ${RESULT} }`
  expect(traced(source)).toEqual([
    [0, 'PUSH1', 0x60, true, 0, 3, 1, 0],
    [2, 'PUSH1', 0x60, true, 1, 3, 1, 0],
    [4, 'ADD', 1, false, 2, 3, 1, 0],
    [5, 'PUSH0', 0x5f, true, 1, 2, 1, 0],
    [6, 'MSTORE', 0x52, false, 2, 6, 1, 0],
    [7, 'PUSH1', 0x60, true, 0, 3, 1, 32],
    [9, 'PUSH0', 0x5f, true, 1, 2, 1, 32],
    [10, 'RETURN', 0xf3, false, 2, 0, 1, 32],
  ])
})

test('stack and memory are those before the step, and reading beyond them is an error', () => {
  const source = `{ seen: [], step: function (log) {
    if (log.op.toString() === 'RETURN') this.seen.push(log.stack.peek(1).toString(16), log.memory.getUint(0).toString(), toHex(log.memory.slice(30, 34)))
    if (log.op.toString() === 'MSTORE') this.seen.push(log.stack.peek(1).valueOf(), toHex(log.memory.slice(0, 2)))
  }, ${RESULT} }`
  expect(traced(source)).toEqual([43, '0x0000', '20', '43', '0x002b0000'])
  const peek = `{ step: function (log) { log.stack.peek(0) }, ${RESULT} }`
  expect(() => traced(peek)).toThrow(
    "tracer accessed out of bound stack: size 0, index 0    in server-side tracer function 'step'",
  )
  const memory = `{ step: function (log) { log.memory.getUint(0) }, ${RESULT} }`
  expect(() => traced(memory)).toThrow('tracer accessed out of bound memory: available 0, offset 0, size 32')
})

test('frames, contract and state are available to a script', () => {
  const self = formatHex(CONTRACT)
  const source = `{ seen: [],
    step: function (log, db) {
      if (this.seen.length > 0) return
      this.seen.push(toHex(log.contract.getAddress()), toHex(log.contract.getCaller()), log.contract.getValue().toString(),
        toHex(log.contract.getInput()), db.exists(log.contract.getAddress()), toHex(db.getCode(log.contract.getAddress())).length > 2)
    },
    enter: function (frame) { this.seen.push(frame.getType(), toHex(frame.getFrom()), frame.getValue().toString()) },
    exit: function (left) { this.seen.push(left.getError() || '', toHex(left.getOutput()), left.getGasUsed() > 0) },
    ${RESULT} }`
  const other = '602a5f5260205ffd'
  const seen = traced(source, {
    code: '60205f5f5f5f7300000000000000000000000000000000000000ff61fffff150',
    other,
  }) as unknown[]
  expect(seen.slice(0, 6)).toEqual([`0x${self}`, `0x${formatHex(CALLER)}`, '0', '0x', true, true])
  expect(seen.slice(6, 9)).toEqual(['CALL', `0x${self}`, '0'])
})

test('the result function sees the transaction and its result', () => {
  const source = `{ fault: function () {}, result: function (ctx, db) {
    return { type: ctx.type, to: toHex(ctx.to), block: ctx.block, output: toHex(ctx.output), value: ctx.value.toString(16), error: ctx.error }
  } }`
  expect(traced(source)).toEqual({
    type: 'CALL',
    to: `0x${formatHex(CONTRACT)}`,
    block: 7,
    output: `0x${'2b'.padStart(64, '0')}`,
    value: '0',
  })
  expect(traced(source, { code: 'fe' })).toMatchObject({ error: 'invalid opcode: INVALID' })
})

test('a step that cannot begin is reported once as a step, and one that fails while it runs also as a fault', () => {
  const source = `{ seen: [], step: function (log) { this.seen.push(['step', log.op.toString(), log.getError()]) },
    fault: function (log) { this.seen.push(['fault', log.op.toString(), log.getError()]) }, result: function () { return this.seen } }`
  expect(traced(source, { code: '600456' })).toEqual([
    ['step', 'PUSH1', null],
    ['step', 'JUMP', null],
    ['fault', 'JUMP', 'invalid jump destination'],
  ])
  expect(traced(source, { code: '01' })).toEqual([['step', 'ADD', 'stack underflow (0 <=> 2)']])
})

test('helper functions convert values like geth', () => {
  const source = `{ fault: function () {}, result: function () { return [
    toHex([1, 2, 255]), toHex(toWord('0x1')), toHex(toAddress('abc')), toHex(slice(toWord('0102'), 30, 32)),
    toHex(toContract('0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0', 1)),
    toHex(toContract2('0xdeadbeef00000000000000000000000000000000', '0x000000000000000000000000feed000000000000000000000000000000000000', '0x00')),
    isPrecompiled(toAddress('0x01')), isPrecompiled(toAddress('0x99')),
    bigInt('123456789012345678901234567890').multiply(2).toString(16), bigInt('ff', 16).add(1).toJSNumber(), bigInt(7).divide(2).equals(3),
  ] } }`
  expect(traced(source)).toEqual([
    '0x0102ff',
    `0x${'1'.padStart(64, '0')}`,
    `0x${'abc'.padStart(40, '0')}`,
    '0x0102',
    // Ethereum's own examples: the address of a contract by nonce, and EIP-1014.
    '0x343c43a37d37dff08ae8c4a11544c718abb4fcf8',
    '0xd04116cdd17bebe565eb2422f2497e06cc1c9833',
    true,
    false,
    (123456789012345678901234567890n * 2n).toString(16),
    256,
    true,
  ])
})

test('a script that is not a tracer is refused with the reason', () => {
  const refusal = (source: string): ChainError => {
    try {
      traced(source)
    } catch (error) {
      if (error instanceof ChainError) return error
      throw error
    }
    throw new Error('it was taken')
  }
  expect(refusal('{ fault: function () {} }')).toMatchObject({
    status: 'invalidArgument',
    message: 'trace object must expose a function result()',
  })
  expect(refusal('{ result: function () {} }').message).toBe('trace object must expose a function fault()')
  expect(refusal('{ result() {}, fault() {}, enter() {} }').message).toBe(
    'trace object must expose either both or none of enter() and exit()',
  )
  expect(refusal('{ result: ').status).toBe('invalidArgument')
  expect(refusal('42').message).toBe('trace object must expose a function result()')
})

test('an error thrown by a script ends the trace with its text and the name of the function', () => {
  const body = 'fault: function () {}, result: function () { return 1 }'
  expect(() => traced(`{ step: function () { throw new Error('no') }, ${body} }`)).toThrow(
    "Error: no    in server-side tracer function 'step'",
  )
  expect(() => traced(`{ fault: function () {}, result: function () { throw 'bad' } }`)).toThrow(
    "bad    in server-side tracer function 'result'",
  )
  expect(() =>
    traced(`{ setup: function (text) { throw JSON.parse(text).reason }, ${body} }`, { config: { reason: 'x' } }),
  ).toThrow("x    in server-side tracer function 'setup'")
})

test('a script that does not end or uses too much memory is stopped', async () => {
  const endless = '{ step: function () { for (;;) {} }, fault: function () {}, result: function () {} }'
  let asked = 0
  expect(() => traced(endless, { shouldStop: () => ++asked > 3 })).toThrow('execution timeout')
  const greedy =
    '{ step: function () { var all = []; for (;;) all.push(new Uint8Array(1 << 20)) }, fault: function () {}, result: function () {} }'
  expect(() => traced(greedy)).toThrow(/more memory|out of memory/)
  expect(engine.getWasmMemory().buffer.byteLength).toBeLessThanOrEqual(2 * PAGES * 65_536)
  engine = await load()
})

test('a script or result nested too deeply ends with an error, and a broken engine is not disposed of', async () => {
  const deep = 100_000
  expect(() => traced('('.repeat(deep) + ')'.repeat(deep))).toThrow('cannot be read: InternalError: stack overflow')
  engine = await load()
  const nested = '{ fault: function () {}, result: function () { return eval("(".repeat(50000) + ")".repeat(50000)) } }'
  expect(() => traced(nested)).toThrow('stack overflow')
  engine = await load()
})

test('a result is JSON even if the script replaces global functions', () => {
  const source =
    '(JSON.stringify = function () { return "x" }, { fault: function () {}, result: function () { return [1] } })'
  expect(traced(source)).toEqual([1])
})

test('a script cannot reach the host', () => {
  const source = `{ fault: function () {}, result: function () {
    return ['process', 'require', 'fetch', 'WebAssembly', 'setTimeout', 'console', 'host'].map(function (name) { return typeof globalThis[name] })
  } }`
  expect(traced(source)).toEqual(new Array(7).fill('undefined'))
})

test('named scripts are found, and an unknown bare name is not a script', () => {
  expect(scriptOf('opcountTracer')).toContain('count')
  expect(scriptOf('nothingTracer')).toBeUndefined()
  expect(scriptOf('{ result: 1 }')).toBe('{ result: 1 }')
  expect(traced(scriptOf('opcountTracer')!)).toBe(8)
  expect(traced(scriptOf('bigramTracer')!)).toMatchObject({ 'PUSH1-PUSH1': 1, 'PUSH1-ADD': 1 })
})

test('callTracerLegacy shows a self-destruct with empty input', () => {
  const { calls } = traced(scriptOf('callTracerLegacy')!, { code: `73${'ab'.repeat(20)}ff` }) as { calls: object[] }
  expect(calls).toEqual([
    {
      type: 'SELFDESTRUCT',
      from: formatHex0x(CONTRACT),
      to: `0x${'ab'.repeat(20)}`,
      input: '0x',
      value: expect.any(String),
    },
  ])
})
