/** Log searches within budgets of time, number and size, in time slices. */
import type { BlockIndex, FoundLog } from '../../../indexer/types.ts'
import { cachePerObject } from '../../../primitives/cache.ts'
import type { GatewayNode } from '../../gateway.ts'
import { createSemaphore } from '../../transport/semaphore.ts'
import { createSignalPause } from '../../transport/slices.ts'
import { invalidParams, limitExceeded, serverError } from '../errors.ts'
import { formatLog, type JsonObject, quantity } from '../format.ts'
import { genesisByHash } from '../header.ts'
import type { LogFilter } from '../params.ts'
import { heightOf } from './block-ref.ts'
import { logSize } from './receipts.ts'

/** Limits the long searches of one node: each can buffer as many logs as an answer. */
const semaphoreOf = cachePerObject((_: BlockIndex) => createSemaphore({ permits: 16, queueLimit: 10_000 }))
/** Logs in one answer. Beyond: -32005 with the range to ask for. */
const MAX_LOGS = 10_000
/** Size of one answer with logs as JSON, approximately. Beyond: -32005 with the range to ask for. */
const MAX_BYTES = 8 * 1024 * 1024

export interface LogRange {
  readonly from: bigint
  readonly to: bigint
}

function format(found: FoundLog): JsonObject {
  return formatLog(found, {
    blockHash: found.blockHash,
    height: found.height,
    timeNs: found.timeNs,
    txHash: found.tx.hash,
    evmIndex: found.tx.evmIndex,
    logIndex: found.logIndex,
  })
}

/** Returns the intersection of two ranges; `from` is above `to` if it is empty. */
export function within(range: LogRange, bounds: LogRange): LogRange {
  let { from, to } = range
  if (from < bounds.from) from = bounds.from
  if (to > bounds.to) to = bounds.to
  return { from, to }
}

/**
 * Returns the stored heights that a filter names. Both bounds default to the latest block. Throws in the texts of geth:
 * `unknown block`, `invalid block range params`, `exceed maximum block range: N`.
 */
export function rangeOf(node: GatewayNode, filter: LogFilter): LogRange {
  const { blocks, settings } = node
  if (filter.blockHash) {
    const height = blocks.heightOfHash(filter.blockHash)
    if (height !== undefined) return { from: height, to: height }
    if (genesisByHash(node, filter.blockHash)) return { from: 0n, to: 0n }
    throw serverError('unknown block')
  }
  const latest = blocks.latestHeight()
  const from = filter.from ? heightOf(node, filter.from)! : latest
  const to = filter.to ? heightOf(node, filter.to)! : latest
  if (from > to) throw invalidParams('invalid block range params')
  const limit = BigInt(settings.logsBlockRange)
  if (limit > 0n && to - from >= limit) throw invalidParams(`exceed maximum block range: ${limit}`)
  return within({ from, to }, { from: blocks.earliestHeight(), to: latest })
}

/**
 * Returns the formatted logs of a range that match a filter, in order. Throws -32005 for more than `MAX_LOGS` logs or
 * `MAX_BYTES`, or if the node's time budget for a call is spent, with the range to ask for in a form that clients parse. Stops
 * if the client disconnects.
 */
export async function findLogs(
  node: GatewayNode,
  filter: LogFilter,
  { from, to }: LogRange,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = []
  const deadline = node.now() + node.settings.evmTimeoutMs
  const pause = createSignalPause(signal)
  /** Throws the error for a search that ended before it covered the block of `height`. */
  const end = (reason: string, height: bigint): never => {
    if (height > from) {
      throw limitExceeded(`${reason}. Try with this block range [${quantity(from)}, ${quantity(height - 1n)}].`)
    }
    throw limitExceeded(`${reason} in block ${quantity(from)} alone: narrow it by address or topics, or read receipts`)
  }
  let size = 0
  const { addresses, topics } = filter
  let release: (() => void) | undefined
  try {
    for (const step of node.blocks.logs({ fromHeight: from, toHeight: to, addresses, topics })) {
      if (typeof step !== 'bigint') {
        size += logSize(step)
        if (found.length === MAX_LOGS) end(`query returned more than ${MAX_LOGS} results`, step.height)
        if (size > MAX_BYTES) end(`query returned more than ${MAX_BYTES} bytes`, step.height)
        found.push(format(step))
        continue
      }
      const rest = pause()
      if (!rest) continue
      release ??= await semaphoreOf(node.blocks).acquire()
      await rest
      if (signal.aborted) break
      if (node.now() > deadline) end('query timed out', step)
    }
    return found
  } finally {
    release?.()
  }
}
