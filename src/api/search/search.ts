/** Searches over stored transactions and blocks, in time slices (docs/cometbft.md#searches). */
import type { StoredBlock } from '../../app/records.ts'
import type { BlockIndex } from '../../indexer/types.ts'
import { parseHex } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { queryError } from '../../primitives/errors.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import { DISCONNECTED } from '../disconnected.ts'
import { createSemaphore } from '../transport/semaphore.ts'
import { createSignalPause, type Pause } from '../transport/slices.ts'
import { positionsOf } from './either-name.ts'
import { type Condition, matchesEvents, matchesValue, type Query } from './query.ts'

export interface TxPosition {
  readonly height: bigint
  readonly index: number
}

/** Time of one search, without its wait in the queue. Beyond: an error. */
export const SEARCH_BUDGET_MS = 5_000

export interface SearchOptions {
  readonly newestFirst: boolean
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number
  readonly budgetMs: number
  /** Aborts when the client disconnects. */
  readonly signal?: AbortSignal | undefined
}

/** Limits the concurrent searches of one node. */
const semaphoreOf = cachePerObject((_: BlockIndex) => createSemaphore({ permits: 2, queueLimit: 64 }))

async function inTurn<T>(blocks: BlockIndex, { signal }: SearchOptions, search: () => Promise<T>): Promise<T> {
  const release = await semaphoreOf(blocks).acquire()
  try {
    if (signal?.aborted) throw DISCONNECTED
    return await search()
  } finally {
    release()
  }
}

/** Yields the thread every few milliseconds. Rejects with `deadlineExceeded` once the budget is spent, or `cancelled`. */
function createSlicer({ now, budgetMs, signal }: SearchOptions): Pause {
  const deadline = now() + budgetMs
  const pause = createSignalPause(signal)
  const check = (): void => {
    if (signal?.aborted) throw DISCONNECTED
    if (now() < deadline) return
    throw queryError('deadlineExceeded', `search took longer than ${budgetMs} ms: narrow it by height or an equality`)
  }
  return () => pause()?.then(check)
}

interface Plan {
  /** Whether nothing can match. */
  readonly empty: boolean
  readonly from: bigint
  readonly to: bigint
  /** Conditions on events, beyond height, hash and kind. */
  readonly events: Query
}

/** Bounds the stored heights by the conditions on `heightKey`, and collects the conditions on events. */
function planSearch(query: Query, blocks: BlockIndex, heightKey: string, kind: string): Plan {
  let [from, to] = [blocks.earliestHeight(), blocks.latestHeight()]
  const events: Condition[] = []
  let empty = false
  for (const condition of query) {
    if (condition.key === 'tm.event') {
      empty ||= !matchesValue(condition, kind)
    } else if (condition.key === heightKey) {
      const range = heightRange(condition)
      if (!range) throw queryError('invalidArgument', `${heightKey} must be compared with a whole number`)
      if (range.from > from) from = range.from
      if (range.to < to) to = range.to
    } else {
      events.push(condition)
    }
  }
  return { empty: empty || from > to, from, to, events }
}

function heightRange({ operator, operand }: Condition): { readonly from: bigint; readonly to: bigint } | undefined {
  if (operator === 'EXISTS') return { from: 0n, to: MAX_INT64 }
  if (operand.kind !== 'number' && operand.kind !== 'text') return undefined
  if (!/^\d+$/.test(operand.text)) return undefined
  const height = BigInt(operand.text)
  switch (operator) {
    case '=':
      return { from: height, to: height }
    case '<':
      return { from: 0n, to: height - 1n }
    case '<=':
      return { from: 0n, to: height }
    case '>':
      return { from: height + 1n, to: MAX_INT64 }
    case '>=':
      return { from: height, to: MAX_INT64 }
    default:
      return undefined
  }
}

/**
 * Returns the positions of all transactions that match a query, in order. Rejects with `deadlineExceeded` over its budget
 * (time in the queue does not count), `resourceExhausted` if the queue is full, `cancelled` if the client disconnects, and
 * `invalidArgument` for a malformed height.
 */
export async function searchTxs(blocks: BlockIndex, query: Query, options: SearchOptions): Promise<TxPosition[]> {
  const hashes = query.filter(({ key }) => key === 'tx.hash')
  const plan = planSearch(
    query.filter(({ key }) => key !== 'tx.hash'),
    blocks,
    'tx.height',
    'Tx',
  )
  if (plan.empty) return []
  const [hash] = hashes
  if (hash) {
    const position = hashes.length === 1 ? positionOfHash(blocks, hash) : undefined
    if (!position || position.height < plan.from || position.height > plan.to) return []
    return isMatch(createBlockReader(blocks), position, plan.events) ? [position] : []
  }
  const driver = plan.events.find(({ operator, operand }) => operator === '=' && operand.kind === 'text')
  return await inTurn(blocks, options, () =>
    driver ? searchByIndex(blocks, plan, driver, options) : searchByScan(blocks, plan, options),
  )
}

function positionOfHash(blocks: BlockIndex, { operator, operand }: Condition): TxPosition | undefined {
  const hash = operator === '=' && operand.kind === 'text' ? parseHex(operand.text) : undefined
  return hash?.length === 32 ? blocks.tx(hash) : undefined
}

/** Returns a reader that caches the last block: neighbouring results are often in one block. */
function createBlockReader(blocks: BlockIndex): (height: bigint) => StoredBlock | undefined {
  let last: StoredBlock | undefined
  return (height) => {
    if (last?.header.height !== height) last = blocks.block(height)
    return last
  }
}

function isMatch(read: (height: bigint) => StoredBlock | undefined, position: TxPosition, events: Query): boolean {
  if (events.length === 0) return true
  const result = read(position.height)?.results[position.index]
  return result !== undefined && matchesEvents(events, result.events)
}

async function searchByIndex(
  blocks: BlockIndex,
  { from, to, events }: Plan,
  driver: Condition,
  options: SearchOptions,
): Promise<TxPosition[]> {
  const others = events.length > 1 ? events : []
  const [pause, read] = [createSlicer(options), createBlockReader(blocks)]
  const found: TxPosition[] = []
  for (const position of positionsOf(blocks, driver, { from, to, reverse: options.newestFirst })) {
    await pause()
    const last = found.at(-1)
    if (last?.height === position.height && last.index === position.index) continue
    if (isMatch(read, position, others)) found.push({ height: position.height, index: position.index })
  }
  return found
}

async function searchByScan(
  blocks: BlockIndex,
  { from, to, events }: Plan,
  options: SearchOptions,
): Promise<TxPosition[]> {
  const found: TxPosition[] = []
  for await (const block of blocksBetween(blocks, from, to, options)) {
    const { height } = block.header
    const matches: TxPosition[] = []
    for (let index = 0; index < block.txs.length; index++) {
      if (isMatch(() => block, { height, index }, events)) matches.push({ height, index })
    }
    if (options.newestFirst) matches.reverse()
    for (const match of matches) found.push(match)
  }
  return found
}

async function* blocksBetween(
  blocks: BlockIndex,
  from: bigint,
  to: bigint,
  options: SearchOptions,
): AsyncIterableIterator<StoredBlock> {
  const pause = createSlicer(options)
  const step = options.newestFirst ? -1n : 1n
  for (let height = options.newestFirst ? to : from; height >= from && height <= to; height += step) {
    await pause()
    const block = blocks.block(height)
    if (block) yield block
  }
}

/** Returns the heights of all blocks that match a query on `block.height` and block events, in order. Rejects with the errors of `searchTxs`. */
export async function searchBlocks(blocks: BlockIndex, query: Query, options: SearchOptions): Promise<bigint[]> {
  const plan = planSearch(query, blocks, 'block.height', 'NewBlock')
  if (plan.empty) return []
  return await inTurn(blocks, options, async () => {
    const found: bigint[] = []
    for await (const block of blocksBetween(blocks, plan.from, plan.to, options)) {
      if (plan.events.length === 0 || matchesEvents(plan.events, block.blockEvents)) found.push(block.header.height)
    }
    return found
  })
}
