/** Blocks of a node from its RPC, fetched ahead in batches. */
import { equal, parseBase64, parseHex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { parseRfc3339 } from '../../../primitives/time.ts'
import type { ChainEvent } from '../../../store/types.ts'
import type { NodeBlock } from '../node-block.ts'
import type { BlockSource, NodeTip } from '../source.ts'
import { nodeBlockOf } from './block-of-json.ts'
import { validatorOf } from './header-of-json.ts'
import { listOf } from './json-fields.ts'
import type { NodeRpc, RpcCall, RpcOutcome } from './node-rpc.ts'
import { storeRootOf } from './store-roots.ts'

/** Blocks of a batch: engines from 0.38 on take ten calls, and a block needs three. */
const BATCH_BLOCKS = 3
/** Blocks that are fetched before they are asked for. */
const AHEAD_BLOCKS = 48
/** Bytes of blocks that are kept ahead; those beyond are fetched again when they are needed. */
const AHEAD_BYTES = 64 << 20
/** Validators of a page, and the most of a set, as engines bound them. */
const PAGE = 100
const MOST_VALIDATORS = 10_000

/** Creates the source. One that is asked for single blocks does not read ahead. */
export function createNodeBlocks(rpc: NodeRpc, { readsAhead = true } = {}): BlockSource {
  /** Blocks that were asked for, by height. */
  const fetched = new Map<bigint, Promise<NodeBlock>>()
  /** Sizes of those that are here. Unit: bytes. */
  const sizes = new Map<bigint, number>()
  /** Size of the largest of the latest blocks; earlier ones count less and less. Unit: bytes. */
  let usual = 0
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
      fetched.set(height, block)
      // The caller of `block` receives the failure.
      block.then((found) => note(height, block, found)).catch(() => undefined)
    }
  }

  /** Notes the size of a block that has come, and lets go of it if too much is kept before it. */
  function note(height: bigint, promise: Promise<NodeBlock>, block: NodeBlock): void {
    if (fetched.get(height) !== promise) return
    const size = sizeOf(block)
    sizes.set(height, size)
    usual = Math.max(size, usual * 0.9)
    if (bytesAhead() > AHEAD_BYTES && [...fetched.keys()].some((one) => one < height)) drop(height)
  }

  /** Returns the number of blocks to fetch ahead, fewer after large ones. */
  const blocksAhead = (): bigint =>
    BigInt(Math.min(AHEAD_BLOCKS, Math.max(BATCH_BLOCKS, Math.floor(AHEAD_BYTES / Math.max(usual, 1)))))

  const bytesAhead = (): number => [...sizes.values()].reduce((sum, size) => sum + size, 0)

  function drop(height: bigint): void {
    fetched.delete(height)
    sizes.delete(height)
  }

  async function block(height: bigint, signal: AbortSignal): Promise<NodeBlock> {
    for (const old of fetched.keys()) if (old < height) drop(old)
    if (!fetched.has(height)) fetchBatch(height, 1, signal)
    let last = height
    while (fetched.has(last + 1n)) last++
    const ahead = blocksAhead()
    if (readsAhead && last - height < ahead / 2n) {
      for (let from = last + 1n; from <= known && from - height < ahead; from += BigInt(BATCH_BLOCKS)) {
        const count = known - from + 1n
        fetchBatch(from, Math.min(BATCH_BLOCKS, Number(count)), signal)
      }
    }
    try {
      return await fetched.get(height)!
    } catch (error) {
      drop(height)
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
        const list = listOf(answer['validators'], 'validators')
        found.push(...list)
        if (found.length > MOST_VALIDATORS)
          throw queryError('dataLoss', `the node names more than ${MOST_VALIDATORS} validators of height ${height}`)
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
      for (const one of fetched.keys()) drop(one)
      rpc.turn()
    },
    forget(height) {
      for (const one of fetched.keys()) if (one >= height) drop(one)
    },
  }
}

/** Returns about the bytes that a block takes in memory. */
function sizeOf({ txs, results, blockEvents }: NodeBlock): number {
  const ofEvents = (events: readonly ChainEvent[]): number =>
    events.reduce(
      (sum, { attributes }) => attributes.reduce((n, { key, value }) => n + key.length + value.length, sum),
      0,
    )
  const ofResults = results.reduce((sum, { data, log, events }) => sum + data.length + log.length + ofEvents(events), 0)
  return txs.reduce((sum, { length }) => sum + length, ofResults) + ofEvents(blockEvents)
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

const HEIGHT = /^\d{1,18}$/

function tipOf(status: Readonly<Record<string, unknown>>): NodeTip {
  const info = (status['sync_info'] ?? {}) as Readonly<Record<string, unknown>>
  const node = (status['node_info'] ?? {}) as Readonly<Record<string, unknown>>
  const hash = parseHex(String(info['latest_block_hash'] ?? '').toLowerCase())
  const height = String(info['latest_block_height'] ?? '')
  const earliest = String(info['earliest_block_height'] ?? '1')
  if (!hash || !HEIGHT.test(height) || !HEIGHT.test(earliest))
    throw queryError('dataLoss', 'the node answers `status` without its latest block')
  return {
    chainId: String(node['network'] ?? ''),
    height: BigInt(height),
    hash,
    timeNs: parseRfc3339(String(info['latest_block_time'])) ?? 0n,
    earliest: BigInt(earliest),
  }
}
