import { createRequire } from 'node:module'
import { encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeTransaction } from '../src/evm/transaction/decode.ts'
import { almanac } from '../src/identity/profiles/almanac.ts'
import { type Node, startNode } from '../src/index.ts'
import { packTxData } from '../src/modules/evm/tx-data.ts'
import { ask, post } from './support/rpc.ts'

const { abi, bytecode } = createRequire(import.meta.url)(
  '@openzeppelin/contracts/build/contracts/ERC20PresetFixedSupply.json',
)

interface Receipt {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly transactionHash: Hex
  readonly contractAddress: Hex | null
  readonly logs: readonly { readonly topics: readonly Hex[]; readonly data: Hex }[]
}

let node: Node
let deployed: Receipt
let moved: Receipt
let refused: Receipt
let nonce = 0

/** Timeout for traces: the default of five seconds may pass while a thread starts. */
const timeout = '100s'

/** Returns the result, or the error unchanged. */
async function rpc(method: string, params: readonly unknown[]): Promise<unknown> {
  const options = method === 'debug_traceCall' ? 2 : 1
  const patient = method.startsWith('debug_trace')
    ? params.toSpliced(options, 1, { timeout, ...(params[options] as object | undefined) })
    : params
  const { result, error } = await ask(node, method, patient)
  return error ?? result
}

async function rest(operation: string, query: Readonly<Record<string, string>> = {}) {
  const patient = { 'trace_config.timeout': timeout, ...query }
  const answer = await fetch(`${node.urls.rest}/chain/evm/v1/${operation}?${new URLSearchParams(patient)}`)
  const body = (await answer.json()) as { data?: string; code?: number; message?: string }
  const data = body.data === undefined ? undefined : JSON.parse(Buffer.from(body.data, 'base64').toString('utf8'))
  return { status: answer.status, headers: answer.headers, data, code: body.code, message: body.message }
}

async function send(request: { to?: Hex; data?: Hex; value?: bigint; gas?: bigint }): Promise<Receipt> {
  const raw = await privateKeyToAccount(node.accounts[0]!.privateKey).signTransaction({
    type: 'legacy',
    chainId: node.evmChainId,
    nonce: nonce++,
    gas: 2_000_000n,
    gasPrice: 10n ** 12n,
    ...request,
  })
  const hash = await rpc('eth_sendRawTransaction', [raw])
  return (await rpc('eth_getTransactionReceipt', [hash])) as Receipt
}

const transfer = (amount: bigint): Hex =>
  encodeFunctionData({ abi, functionName: 'transfer', args: [node.accounts[1]!.address, amount] })

beforeAll(async () => {
  node = await startNode({ evm: { timeout: '100s' } })
  const owner = node.accounts[0]!.address
  deployed = await send({ data: encodeDeployData({ abi, bytecode, args: ['Gold', 'GLD', 1000n, owner] }) })
  moved = await send({ to: deployed.contractAddress!, data: transfer(7n) })
  refused = await send({ to: deployed.contractAddress!, data: transfer(5000n) })
})
afterAll(() => node.stop())

const SCRIPT =
  '{count: 0, step: function () { this.count++ }, fault: function () {}, result: function (ctx) { return [this.count, ctx.gasUsed] }}'

test('a transaction is traced by its hash alone, and every tracer reports the gas of the receipt', async () => {
  const gas = Number(moved.gasUsed)
  const hash = moved.transactionHash
  const steps = (await rpc('debug_traceTransaction', [hash])) as { gas: number; failed: boolean; structLogs: unknown[] }
  expect(steps).toMatchObject({ gas, failed: false })
  const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
  expect(await rpc('debug_traceTransaction', [hash, options])).toMatchObject({
    gasUsed: moved.gasUsed,
    logs: moved.logs.map(({ topics, data }) => ({ topics, data })),
  })
  expect(await rpc('debug_traceTransaction', [hash, { tracer: SCRIPT }])).toEqual([steps.structLogs.length, gas])
  const over = await rest('trace_tx', { 'msg.hash': hash, 'trace_config.tracer': 'callTracer' })
  expect(over).toMatchObject({ status: 200, data: { gasUsed: moved.gasUsed } })
})

test('a failed transaction is traced with its failure', async () => {
  expect(refused.status).toBe('0x0')
  const { data } = await rest('trace_tx', { 'msg.hash': refused.transactionHash, 'trace_config.tracer': 'callTracer' })
  expect(data).toMatchObject({
    error: 'execution reverted',
    revertReason: 'ERC20: transfer amount exceeds balance',
    gasUsed: refused.gasUsed,
  })
})

test('a trace that names another block than the transaction’s is refused', async () => {
  const of = (query: Readonly<Record<string, string>>) =>
    rest('trace_tx', { 'msg.hash': moved.transactionHash, ...query })
  const number = BigInt(moved.blockNumber).toString()
  expect(await of({ block_number: number, block_hash: moved.blockHash.slice(2), chain_id: '6930' })).toMatchObject({
    status: 200,
  })
  expect(await of({ block_max_gas: '-1' })).toMatchObject({ status: 200 })
  expect(await rest('trace_block', { block_number: number, block_max_gas: '-1' })).toMatchObject({ status: 200 })
  for (const query of [
    { block_number: '1' },
    { block_hash: deployed.blockHash },
    { chain_id: '1' },
    { block_time: '2020-01-01T00:00:00Z' },
    { block_max_gas: '7' },
    { 'msg.from': node.accounts[1]!.address },
    { 'trace_config.tracer': 'unknownTracer' },
    { 'trace_config.limit': '-1' },
    { 'trace_config.timeout': 'soon' },
    { 'trace_config.tracer': '{ result: function () {} }' },
  ]) {
    expect(await of(query), JSON.stringify(query)).toMatchObject({ status: 400, code: 3 })
  }
  expect(await rest('trace_tx', { 'msg.hash': `0x${'11'.repeat(32)}` })).toMatchObject({ status: 404, code: 5 })
  expect(await rest('trace_tx')).toMatchObject({ status: 400, code: 3 })
  const both = { block_number: '1', block_hash: moved.blockHash }
  expect(await rest('trace_block', both)).toMatchObject({ status: 400, code: 3 })
})

test('a block is traced by number or hash, with one element for each transaction', async () => {
  const number = BigInt(moved.blockNumber).toString()
  const item = { txHash: moved.transactionHash, result: { gasUsed: moved.gasUsed } }
  const tracer = 'callTracer'
  for (const query of [{ block_number: number }, { block_hash: moved.blockHash }]) {
    expect(await rest('trace_block', { ...query, 'trace_config.tracer': tracer })).toMatchObject({ data: [item] })
  }
  expect(await rpc('debug_traceBlockByNumber', [moved.blockNumber, { tracer }])).toMatchObject([item])
  expect(await rpc('debug_traceBlockByHash', [moved.blockHash, { tracer }])).toMatchObject([item])
  expect(await rest('trace_block', { block_number: '999' })).toMatchObject({ status: 404, code: 5 })
  expect((await rest('trace_block', { block_number: '1' })).data).toEqual([])
  expect(await rpc('debug_traceBlockByNumber', ['0x0'])).toMatchObject({ message: 'genesis is not traceable' })
  expect(await rpc('debug_traceTransaction', [`0x${'22'.repeat(32)}`])).toMatchObject({
    code: -32000,
    message: 'transaction not found',
  })
  const failing = "{step: function () { throw new Error('no') }, fault: function () {}, result: function () {}}"
  expect(await rpc('debug_traceBlockByNumber', [moved.blockNumber, { tracer: failing }])).toEqual([
    { txHash: moved.transactionHash, error: "Error: no    in server-side tracer function 'step'" },
  ])
})

test('a call is traced with its overrides of state and block', async () => {
  const to = `0x${'c0'.repeat(20)}`
  // Returns NUMBER and the first slot.
  const stateOverrides = {
    [to]: {
      code: '0x435f525f5460205260405ff3',
      stateDiff: { [`0x${'0'.repeat(64)}`]: `0x${'0'.repeat(63)}9` },
    },
  }
  const blockOverrides = { number: '0x77' }
  const answer = await rpc('debug_traceCall', [
    { to },
    'latest',
    { tracer: 'callTracer', stateOverrides, blockOverrides },
  ])
  expect(answer).toMatchObject({ output: `0x${'77'.padStart(64, '0')}${'9'.padStart(64, '0')}` })
})

test('a height that does not exist is refused, even if the transaction exists', async () => {
  const future = await rest('trace_tx', { 'msg.hash': moved.transactionHash, height: '99999' })
  expect(future).toMatchObject({ status: 400, code: 11, message: expect.stringContaining('in the future') })
})

test('struct logs stop at their limit and report it, and follow the trace options', async () => {
  const hash = moved.transactionHash
  const cut = (await rpc('debug_traceTransaction', [hash, { limit: 3 }])) as {
    structLogs: unknown[]
    truncated: string
  }
  expect(cut.structLogs.length).toBe(3)
  expect(cut.truncated).toContain('limit')
  const { data } = await rest('trace_tx', {
    'msg.hash': hash,
    'trace_config.disable_stack': 'true',
    'trace_config.enable_memory': 'true',
    'trace_config.limit': '12',
  })
  expect(data.structLogs[0].stack).toBeUndefined()
  expect(data.structLogs.at(-1).memory.length).toBeGreaterThan(0)
})

test('an endless script is terminated at its timeout, and the node answers in the meantime', async () => {
  const tracer = '{step: function () { for (;;) {} }, fault: function () {}, result: function () {}}'
  const query = { 'msg.hash': moved.transactionHash, 'trace_config.tracer': tracer, 'trace_config.timeout': '300ms' }
  const endless = rest('trace_tx', query)
  expect(await rpc('eth_blockNumber', [])).toMatch(/^0x/)
  expect(await endless).toMatchObject({ status: 504, code: 4, message: 'execution timeout' })
  expect(await rpc('debug_traceTransaction', [moved.transactionHash, { tracer: 'opcountTracer' }])).toBeGreaterThan(100)
})

test('other calls do not wait for the timeout of an endless script', async () => {
  await using pooled = await startNode({ compute: { workers: 1 }, evm: { timeout: '100s' } })
  const call = { to: pooled.accounts[0]!.address }
  const leaving = new AbortController()
  let isOver = false
  const tracer = '{setup: function () { for (;;) {} }, fault: function () {}, result: function () {}}'
  const endless = ask(pooled, 'debug_traceCall', [call, 'latest', { tracer, timeout: '100s' }], leaving.signal).finally(
    () => {
      isOver = true
    },
  )
  for (let i = 0; i < 3; i++) {
    expect(await ask(pooled, 'eth_call', [call, 'latest'])).toMatchObject({ result: '0x' })
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  expect(isOver).toBe(false)
  leaving.abort()
  await expect(endless).rejects.toThrow('aborted')
  const next = { tracer: 'noopTracer', timeout }
  expect(await ask(pooled, 'debug_traceCall', [call, 'latest', next])).toMatchObject({ result: {} })
})

test('a timeout above the budget is clamped, and the answer reports it', async () => {
  const query = { 'msg.hash': moved.transactionHash, 'trace_config.tracer': 'noopTracer', 'trace_config.timeout': '1h' }
  const { status, headers, data } = await rest('trace_tx', query)
  expect({ status, data }).toEqual({ status: 200, data: {} })
  expect(headers.get('warning')).toContain('above the budget')
})

test('an unmined transaction is traced on the state after the given block', async () => {
  const account = privateKeyToAccount(node.accounts[3]!.privateKey)
  const raw = await account.signTransaction({
    type: 'legacy',
    chainId: node.evmChainId,
    nonce: 0,
    gas: 100_000n,
    gasPrice: 10n ** 12n,
    to: deployed.contractAddress!,
    data: encodeFunctionData({ abi, functionName: 'totalSupply', args: [] }),
  })
  const { typeUrl, value } = packTxData(almanac, decodeTransaction(Buffer.from(raw.slice(2), 'hex')))
  const query = {
    'msg.data.type_url': typeUrl,
    'msg.data.value': Buffer.from(value).toString('base64'),
    'trace_config.tracer': 'callTracer',
  }
  const output = `0x${1000n.toString(16).padStart(64, '0')}`
  for (const operation of ['trace_tx', 'trace_call']) {
    expect(await rest(operation, query), operation).toMatchObject({
      status: 200,
      data: { from: account.address.toLowerCase(), output },
    })
    const wrong = { ...query, 'msg.from': node.accounts[1]!.address }
    expect(await rest(operation, wrong), operation).toMatchObject({ status: 400, code: 3 })
  }
  const before = { ...query, block_number: BigInt(deployed.blockNumber).toString() }
  expect((await rest('trace_call', before)).data).toMatchObject({ output })
  expect((await rest('trace_tx', before)).data.output).toBeUndefined()
})

test('a long result is streamed in full over JSON-RPC and REST, and a disconnecting client frees the worker', async () => {
  await using pooled = await startNode({ compute: { workers: 1 }, evm: { timeout: '100s' } })
  const steps = 40_000
  // JUMPDEST PUSH1 SWAP1 SUB DUP1 PUSH1 JUMPI, repeated as often as the first word says.
  const code = (rounds: number): Hex => `0x63${rounds.toString(16).padStart(8, '0')}5b6001900380600557`
  const call = (rounds: number) => {
    const to = `0x${'c0'.repeat(20)}`
    const options = { timeout, stateOverrides: { [to]: { code: code(rounds) } } }
    return [{ to }, 'latest', options]
  }
  const answer = await post(pooled, 'debug_traceCall', call(Math.floor(steps / 7)))
  const { result } = (await answer.json()) as { result: { structLogs: unknown[]; failed: boolean } }
  expect(answer.headers.get('content-length')).toBeNull()
  expect([result.structLogs.length, result.failed]).toEqual([2 + 7 * Math.floor(steps / 7), false])

  const raw = await privateKeyToAccount(pooled.accounts[0]!.privateKey).signTransaction({
    type: 'legacy',
    chainId: pooled.evmChainId,
    nonce: 0,
    gas: 2_000_000n,
    gasPrice: 10n ** 12n,
    data: code(Math.floor(steps / 7)),
  })
  const { result: hash } = await ask<Hex>(pooled, 'eth_sendRawTransaction', [raw])
  const over = await fetch(`${pooled.urls.rest}/chain/evm/v1/trace_tx?msg.hash=${hash}&trace_config.timeout=${timeout}`)
  const { data } = (await over.json()) as { data: string }
  const trace = JSON.parse(Buffer.from(data, 'base64').toString('utf8')) as { structLogs: unknown[] }
  expect(trace.structLogs.length).toBe(result.structLogs.length)

  const gone = new AbortController()
  const endless = await post(pooled, 'debug_traceCall', call(800_000), gone.signal)
  await endless.body!.getReader().read()
  gone.abort()
  expect(await ask(pooled, 'eth_call', [{ to: `0x${'01'.repeat(20)}` }, 'latest'])).toMatchObject({ result: '0x' })
})

interface Step {
  readonly op: string
  readonly pc: number
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly stack: readonly string[]
}
interface FlatTrace {
  readonly action: { readonly gas: string; readonly init?: string }
  readonly result: { readonly gasUsed: string; readonly code?: string }
}
interface VmOp {
  readonly op: string
  readonly pc: number
  readonly cost: number
  readonly ex: { readonly push: readonly string[]; readonly used: number } | null
  readonly sub: { readonly ops: readonly VmOp[] } | null
}

/** Returns the opcodes of all frames in the order in which they ran, each with its depth. */
const inOrder = (ops: readonly VmOp[], depth = 1): (VmOp & { readonly depth: number })[] =>
  ops.flatMap((op) => [{ ...op, depth }, ...inOrder(op.sub?.ops ?? [], depth + 1)])

test('trace_ methods tell the same of a transaction as the struct log and the flat call tracer', async () => {
  for (const { transactionHash: hash } of [deployed, moved, refused]) {
    const flat = { tracer: 'flatCallTracer', tracerConfig: { convertParityErrors: true } }
    const [traces, expected] = [
      await rpc('trace_transaction', [hash]),
      await rpc('debug_traceTransaction', [hash, flat]),
    ]
    const withoutGas = (all: unknown) =>
      (all as FlatTrace[]).map(({ action, result, ...trace }, i) => ({
        ...trace,
        action: i === 0 ? { ...action, gas: null } : action,
        result: i === 0 ? { ...result, gasUsed: null } : result,
      }))
    expect(withoutGas(traces)).toEqual(withoutGas(expected))
    const { structLogs } = (await rpc('debug_traceTransaction', [hash])) as { structLogs: Step[] }
    const { vmTrace } = (await rpc('trace_replayTransaction', [hash, ['vmTrace']])) as { vmTrace: { ops: VmOp[] } }
    const ops = inOrder(vmTrace.ops)
    // The outermost call has the gas of its code, without that of the transaction itself.
    const { action, result } = (traces as FlatTrace[])[0]!
    expect(Number(action.gas)).toBe(structLogs[0]!.gas)
    const { gas: left, gasCost } = structLogs.at(-1)!
    const deposit = action.init ? 200 * ((result.code!.length - 2) / 2) : 0
    expect(Number(result.gasUsed)).toBe(Number(action.gas) - (left - gasCost) + deposit)
    expect(ops.map(({ op, pc, cost, depth }) => [op, pc, cost, depth])).toEqual(
      structLogs.map(({ op, pc, gasCost, depth }) => [op, pc, gasCost, depth]),
    )
    for (const [i, { ex }] of ops.slice(0, -1).entries()) {
      const next = structLogs[i + 1]!
      if (!ex || next.depth !== structLogs[i]!.depth) continue
      expect(ex.used).toBe(next.gas)
      expect(ex.push).toEqual(next.stack.slice(next.stack.length - ex.push.length))
    }
  }
})

test('a state difference has the changes that prestateTracer finds', async () => {
  const { stateDiff } = (await rpc('trace_replayTransaction', [moved.transactionHash, ['stateDiff']])) as {
    stateDiff: Record<string, { storage: Record<string, unknown> }>
  }
  const options = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }
  const { pre, post } = (await rpc('debug_traceTransaction', [moved.transactionHash, options])) as Record<
    'pre' | 'post',
    Record<string, { storage?: Record<string, string> }>
  >
  expect(Object.keys(stateDiff).sort()).toEqual([...new Set([...Object.keys(pre!), ...Object.keys(post!)])].sort())
  const token = deployed.contractAddress!
  const zero = `0x${'0'.repeat(64)}`
  const [was, now] = [pre![token]!.storage!, post![token]!.storage!]
  const slots = [...new Set([...Object.keys(was), ...Object.keys(now)])]
  expect(slots).toHaveLength(2)
  expect(stateDiff[token]!.storage).toEqual(
    Object.fromEntries(slots.map((slot) => [slot, { '*': { from: was[slot] ?? zero, to: now[slot] ?? zero } }])),
  )
})
