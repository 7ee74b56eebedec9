/** Blocks of a node from its RPC, fetched ahead in batches. */
import { equal, parseBase64, parseHex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { parseRfc3339 } from '../../../primitives/time.ts'
import type { NodeBlock } from '../node-block.ts'
import type { BlockSource, NodeTip } from '../source.ts'
import { nodeBlockOf, validatorOf } from './block-of-json.ts'
import type { NodeRpc, RpcCall, RpcOutcome } from './node-rpc.ts'
import { storeRootOf } from './store-roots.ts'

/** Blocks of a batch: engines from 0.38 on take ten calls, and a block needs three. */
const BATCH_BLOCKS = 3
/** Blocks that are fetched before they are asked for. */
const AHEAD_BLOCKS = 48
/** Validators of a page. */
const PAGE = 100

export function createNodeBlocks(rpc: NodeRpc): BlockSource {
  /** Blocks that were asked for, by height. */
  const fetched = new Map<bigint, Promise<NodeBlock>>()
  /** The latest height that the node is known to have. */
  let known = 0n

  async function tip(signal: AbortSignal): Promise<NodeTip> {
    const found = tipOf(await rpc.call('status', {}, signal))
    known = found.height
    return found
  }

  /** Fetches consecutive blocks in one request. */
  function fetchBatch(from: bigint, count: number, signal: AbortSignal): void {
    const heights = Array.from({ length: count }, (_, i) => from + BigInt(i))
    const calls = heights.flatMap(callsOf)
    const outcomes = rpc.batch(calls, signal)
    for (const [i, height] of heights.entries()) {
      const block = outcomes.then((all) => blockOf(height, all.slice(i * 3, i * 3 + 3)))
      // The caller of `block` receives the failure.
      block.catch(() => undefined)
      fetched.set(height, block)
    }
  }

  async function block(height: bigint, signal: AbortSignal): Promise<NodeBlock> {
    for (const old of fetched.keys()) if (old < height) fetched.delete(old)
    if (!fetched.has(height)) fetchBatch(height, 1, signal)
    let last = height
    while (fetched.has(last + 1n)) last++
    if (last - height < BigInt(AHEAD_BLOCKS / 2)) {
      for (let from = last + 1n; from <= known && from - height < BigInt(AHEAD_BLOCKS); from += BigInt(BATCH_BLOCKS)) {
        const count = known - from + 1n
        fetchBatch(from, Math.min(BATCH_BLOCKS, Number(count)), signal)
      }
    }
    try {
      return await fetched.get(height)!
    } catch (error) {
      fetched.delete(height)
      throw error
    }
  }

  return {
    block,
    tip,
    async validators(height, signal) {
      const found: unknown[] = []
      for (let page = 1; ; page++) {
        const params = { height: String(height), page: String(page), per_page: String(PAGE) }
        const answer = await rpc.call('validators', params, signal)
        const list = (answer['validators'] ?? []) as readonly unknown[]
        found.push(...list)
        if (list.length === 0 || found.length >= Number(answer['total'] ?? 0)) return found.map(validatorOf)
      }
    },
    async appHashAfter(height, signal) {
      const { response } = (await rpc.call('abci_info', {}, signal)) as { readonly response?: Record<string, unknown> }
      if (String(response?.['last_block_height']) !== String(height)) return undefined
      return parseBase64(String(response?.['last_block_app_hash'] ?? ''))
    },
    storeRoot: (height, store, signal) => storeRootOf(rpc, height, store, signal),
    turn() {
      fetched.clear()
      rpc.turn()
    },
    forget(height) {
      for (const one of fetched.keys()) if (one >= height) fetched.delete(one)
    },
  }
}

const callsOf = (height: bigint): readonly RpcCall[] =>
  ['block', 'block_results', 'commit'].map((method) => ({ method, params: { height: String(height) } }))

function blockOf(height: bigint, [block, results, commit]: readonly RpcOutcome[]): NodeBlock {
  for (const [outcome, what] of [
    [block, 'block'],
    [results, 'the results of block'],
  ] as const) {
    if (!outcome || 'refused' in outcome)
      throw queryError('notFound', `the node does not give ${what} ${height}: ${outcome?.refused ?? 'no answer'}`)
  }
  const [found, ofBlock] = [block, results] as readonly { readonly result: Record<string, unknown> }[]
  const made = nodeBlockOf(found!.result, ofBlock!.result, commit && 'result' in commit ? commit.result : undefined)
  if (made.header.height !== height)
    throw queryError('dataLoss', `the node answers block ${made.header.height} for block ${height}`)
  if (made.results.length !== made.txs.length)
    throw queryError(
      'dataLoss',
      `the node has ${made.txs.length} transactions and ${made.results.length} results of block ${height}`,
    )
  if (made.commit && !equal(made.commit.blockId.hash, made.blockId.hash)) return { ...made, commit: undefined }
  return made
}

function tipOf(status: Readonly<Record<string, unknown>>): NodeTip {
  const info = (status['sync_info'] ?? {}) as Readonly<Record<string, unknown>>
  const node = (status['node_info'] ?? {}) as Readonly<Record<string, unknown>>
  const hash = parseHex(String(info['latest_block_hash'] ?? '').toLowerCase())
  const height = String(info['latest_block_height'] ?? '')
  if (!hash || !/^\d{1,18}$/.test(height))
    throw queryError('dataLoss', 'the node answers `status` without its latest block')
  return {
    chainId: String(node['network'] ?? ''),
    height: BigInt(height),
    hash,
    timeNs: parseRfc3339(String(info['latest_block_time'])) ?? 0n,
    earliest: BigInt(String(info['earliest_block_height'] ?? '1')),
  }
}
