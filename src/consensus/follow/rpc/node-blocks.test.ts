/** Blocks that are read ahead, of nodes that answer without an end. */
import { expect, test } from 'vitest'
import { createNodeBlocks } from './node-blocks.ts'
import type { NodeRpc, RpcCall, RpcOutcome } from './node-rpc.ts'

type Json = Readonly<Record<string, unknown>>

const never = new AbortController().signal
const HASH = 'AB'.repeat(32)
const LAST = 54

/** Answers of a node whose blocks have one transaction of a size. */
function resultOf({ method, params }: RpcCall, txBytes: number): Json {
  const height = String(params['height'])
  if (method === 'block_results') return { height, txs_results: [{ code: 0 }] }
  if (method !== 'block') return {}
  const header = { version: { block: '11' }, chain_id: 'test-1', height, time: '2024-01-01T00:00:00Z' }
  const data = { txs: [Buffer.alloc(txBytes, 1).toString('base64')] }
  return { block_id: { hash: HASH }, block: { header, data, evidence: {}, last_commit: { height: '0' } } }
}

function nodeOf(txBytes: number): { rpc: NodeRpc; asked: Map<string, number> } {
  const asked = new Map<string, number>()
  const answer = (call: RpcCall): RpcOutcome => {
    if (call.method === 'block')
      asked.set(String(call.params['height']), 1 + (asked.get(String(call.params['height'])) ?? 0))
    return { result: resultOf(call, txBytes) }
  }
  const status = {
    node_info: { network: 'test-1' },
    sync_info: { latest_block_hash: HASH, latest_block_height: String(LAST) },
  }
  const rpc: NodeRpc = {
    call: async (method) => (method === 'status' ? status : {}),
    batch: async (calls) => calls.map(answer),
    turn: () => undefined,
  }
  return { rpc, asked }
}

/** Takes all blocks in order, with time for those ahead to come. Returns how often each was asked for. */
async function takeAll(txBytes: number): Promise<number[]> {
  const { rpc, asked } = nodeOf(txBytes)
  const blocks = createNodeBlocks(rpc)
  await blocks.tip(never)
  for (let height = 1n; height <= LAST; height++) {
    const { header, txs } = await blocks.block(height, never)
    expect([header.height, txs[0]!.length]).toEqual([height, txBytes])
    await new Promise((resolve) => setImmediate(resolve))
  }
  return [...asked.values()]
}

test('blocks are read ahead, each once', async () => {
  expect(new Set(await takeAll(1000))).toEqual(new Set([1]))
})

test('of large blocks few are kept ahead, and the others come when they are needed', async () => {
  const asked = await takeAll(4 << 20)
  expect(asked.length).toBe(LAST)
  // Those that the first answers brought beyond 64 MiB are let go; after them few are asked for.
  expect(asked.filter((times) => times > 1).length).toBeGreaterThan(20)
  expect(Math.max(...asked)).toBeLessThan(4)
})

test('single blocks are asked for alone', async () => {
  const asked: string[] = []
  const rpc: Pick<NodeRpc, 'batch' | 'call' | 'turn'> = {
    turn: () => undefined,
    call: async () => ({
      node_info: { network: 'test-1' },
      sync_info: { latest_block_hash: HASH, latest_block_height: '90', latest_block_time: '2024-01-01T00:00:00Z' },
    }),
    async batch(calls) {
      asked.push(...calls.map(({ method, params }) => `${method} ${params['height']}`))
      return calls.map(() => ({ refused: 'not now' }))
    },
  }
  const blocks = createNodeBlocks(rpc, { readsAhead: false })
  await blocks.tip(never)
  await expect(blocks.block(5n, never)).rejects.toThrow('the node does not give block 5: not now')
  expect(asked).toEqual(['block 5', 'block_results 5', 'commit 5'])
})

test('a node that names validators without an end is refused', async () => {
  let pages = 0
  const page = Array.from({ length: 100 }, () => ({ address: '', pub_key: { value: '' }, voting_power: '1' }))
  const rpc = {
    ...nodeOf(1).rpc,
    call: async () => {
      pages++
      return { validators: page, total: '999999999' }
    },
  }
  await expect(createNodeBlocks(rpc).validators(5n, never)).rejects.toMatchObject({
    status: 'dataLoss',
    message: 'the node names more than 10000 validators of height 5',
  })
  expect(pages).toBe(101)
})

test('a status without the first height of the node is refused', async () => {
  const sync = { latest_block_hash: HASH, latest_block_height: '7', earliest_block_height: 'first' }
  const rpc = { ...nodeOf(1).rpc, call: async () => ({ sync_info: sync }) }
  await expect(createNodeBlocks(rpc).tip(never)).rejects.toMatchObject({ status: 'dataLoss' })
})
