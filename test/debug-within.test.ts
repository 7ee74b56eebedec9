import { fromRlp, type Hex, keccak256, pad, toRlp } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startNode } from '../src/index.ts'
import { ask as call, type RpcAnswer } from './support/rpc.ts'

const SLOTS = [0, 1, 2, 3, 4]

let node: Node
let sender: ReturnType<typeof privateKeyToAccount>
let nonce = 0
let counter: Hex
let height: bigint
/** Sends three calls of the counter, and creates a contract with five slots between the second and the third. */
let hashes: Hex[]
let made: Hex

const ask = (method: string, ...params: readonly unknown[]): Promise<RpcAnswer> => call(node, method, params)

const sign = (request: { to?: Hex; data?: Hex }): Promise<Hex> =>
  sender.signTransaction({
    type: 'legacy',
    chainId: node.evmChainId,
    nonce: nonce++,
    gas: 300_000n,
    gasPrice: 10n ** 12n,
    ...request,
  })

async function send(request: { to?: Hex; data?: Hex }): Promise<Hex> {
  return (await ask('eth_sendRawTransaction', await sign(request))).result as Hex
}

const addressOf = async (hash: Hex): Promise<Hex> =>
  ((await ask('eth_getTransactionReceipt', hash)).result as { contractAddress: Hex }).contractAddress

const word = (value: number | bigint): Hex => pad(`0x${value.toString(16)}`)
const at = (value: bigint): Hex => `0x${value.toString(16)}`

beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } })
  sender = privateKeyToAccount(node.accounts[0]!.privateKey)
  // SLOAD(0) + 1 into slot 0 and out.
  const runtime = '5f5460010180' + '5f55' + '5f5260205ff3'
  const creation = await send({
    data: `0x61${(runtime.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${runtime}`,
  })
  await node.nextBlock()
  counter = await addressOf(creation)
  const writes = SLOTS.map(
    (slot) => `60${(slot + 10).toString(16).padStart(2, '0')}60${slot.toString(16).padStart(2, '0')}55`,
  )
  hashes = [await send({ to: counter }), await send({ to: counter })]
  const filled = await send({ data: `0x${writes.join('')}5f5ff3` })
  hashes.push(filled, await send({ to: counter }))
  height = await node.nextBlock()
  made = await addressOf(filled)
})
afterAll(() => node.stop())

test('the first block of a chain has no transactions and an empty trace', async () => {
  expect(await ask('debug_traceBlockByNumber', '0x1')).toMatchObject({ result: [] })
  expect((await ask('eth_getBlockTransactionCountByNumber', '0x1')).result).toBe('0x0')
})

test('a call is traced on the state before a given transaction of a block', async () => {
  const trace = async (...options: readonly object[]) =>
    ask('debug_traceCall', { to: counter }, at(height), { tracer: 'callTracer', ...Object.assign({}, ...options) })
  const counted = async (txIndex: Hex) => ((await trace({ txIndex })).result as { output: Hex }).output
  expect(await Promise.all((['0x0', '0x1', '0x2', '0x3'] as const).map(counted))).toEqual([1, 2, 3, 3].map(word))
  expect(await trace()).toMatchObject({ result: { output: word(4) } })
  expect(await trace({ txIndex: '0x4' })).toMatchObject({ error: { message: expect.stringContaining('out of range') } })
  expect(await trace({ txIndex: 1 })).toMatchObject({ error: { message: expect.stringContaining('cannot unmarshal') } })
  const stateOverrides = { [counter]: { stateDiff: { [word(0)]: word(40) } } }
  expect(await trace({ txIndex: '0x1', stateOverrides })).toMatchObject({ result: { output: word(41) } })
})

test('the storage of a contract is paged in the order of the hashes of its slots', async () => {
  const { blockHash } = (await ask('eth_getTransactionReceipt', hashes[0]!)).result as { blockHash: Hex }
  const range = async (txIndex: number, start: Hex, most: number) =>
    (await ask('debug_storageRangeAt', blockHash, txIndex, made, start, most)).result
  const expected = SLOTS.map(
    (slot) => [keccak256(word(slot)), { key: word(slot), value: word(slot + 10) }] as const,
  ).sort(([a], [b]) => (a < b ? -1 : 1))
  const page = (from: number, to: number) => ({
    storage: Object.fromEntries(expected.slice(from, to)),
    nextKey: expected[to]?.[0] ?? null,
  })
  expect(await range(3, '0x', 10)).toEqual(page(0, 5))
  expect(await range(3, '0x', 2)).toEqual(page(0, 2))
  expect(await range(3, expected[2]![0], 2)).toEqual(page(2, 4))
  expect(await range(3, expected[4]![0], 1)).toEqual(page(4, 5))
  expect(await range(3, '0x00', 1)).toEqual(page(0, 1))
  expect(await range(2, '0x', 10)).toEqual({ storage: {}, nextKey: null })
  const refused = await ask('debug_storageRangeAt', blockHash, 9, made, '0x', 1)
  expect(refused).toMatchObject({ error: { message: `transaction index 9 out of range for block ${blockHash}` } })
})

test('a known block in RLP is traced as it ran, an unknown one on the state of its parent', async () => {
  const tracer = { tracer: 'callTracer' }
  const raw = (await ask('debug_getRawBlock', at(height))).result as Hex
  const traced = (await ask('debug_traceBlock', raw, tracer)).result as { txHash: Hex; result: { output?: Hex } }[]
  expect(traced).toEqual((await ask('debug_traceBlockByNumber', at(height), tracer)).result)
  expect(traced.map(({ txHash }) => txHash)).toEqual(hashes)

  // The same block with another time: the trace uses the given time.
  const { timestamp } = (await ask('eth_getBlockByNumber', at(height), false)).result as { timestamp: Hex }
  const digits = timestamp.slice(2).padStart(8, '0')
  const other = raw.replace(`84${digits}`, `84${(BigInt(timestamp) + 5n).toString(16).padStart(8, '0')}`)
  expect(other).not.toBe(raw)
  const run = (await ask('debug_traceBlock', other, tracer)).result as typeof traced
  expect(run.map(({ txHash, result }) => [txHash, result.output])).toEqual(
    traced.map(({ txHash, result }) => [txHash, result.output]),
  )
  expect(run[3]!.result.output).toBe(word(3))

  const { parentHash } = (await ask('eth_getBlockByNumber', at(height), false)).result as { parentHash: Hex }
  const orphan = raw.replace(parentHash.slice(2), 'ab'.repeat(32)) as Hex
  expect(await ask('debug_traceBlock', orphan)).toMatchObject({
    error: { message: `parent 0x${'ab'.repeat(32)} not found` },
  })
  const [header, ...rest] = fromRlp(raw, 'hex') as [Hex[], Hex[], Hex[]]
  const odd = ([2, 8, 9, 11, 13, 15] as const).map((place) =>
    toRlp([header.with(place, `0x${'05'.repeat(1000)}`), ...rest]),
  )
  for (const bad of ['0x', '0xc0', '0xc20102', raw.slice(0, -2), ...odd]) {
    expect(await ask('debug_traceBlock', bad), bad.slice(0, 20)).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('could not decode block') },
    })
  }
})
