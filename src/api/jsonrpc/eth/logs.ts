/** Searching logs within budgets of time and number, giving way to other work between pieces of the range. */
import type { BlockIndex, FoundLog } from '../../../indexer/types.ts'
import { oncePerObject } from '../../../primitives/memo.ts'
import type { GatewayNode } from '../../gateway.ts'
import { createSeats } from '../../semaphore.ts'
import { createPause } from '../../slices.ts'
import { invalidParams, limitExceeded, serverError } from '../errors.ts'
import { formatLog, type JsonObject } from '../format.ts'
import type { LogFilter } from '../params.ts'
import { heightOf } from './block-ref.ts'

/** Long searches of one node: each may hold as many logs as an answer does. */
const seatsOf = oncePerObject((_: BlockIndex) => createSeats({ most: 16, mostWaiting: 10_000 }))
/** Most logs in one answer. */
const MAX_LOGS = 10_000

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

/** The part of a range that lies in another; `from` is above `to` when there is none. */
export function within(range: LogRange, bounds: LogRange): LogRange {
  let { from, to } = range
  if (from < bounds.from) from = bounds.from
  if (to > bounds.to) to = bounds.to
  return { from, to }
}

/**
 * The heights that a filter names, within the kept ones. Both bounds default to the latest block.
 * Throws geth's texts: `unknown block`, `invalid block range params`, `exceed maximum block range: N`.
 */
export function rangeOf(node: GatewayNode, filter: LogFilter): LogRange {
  const { blocks, settings } = node
  if (filter.blockHash) {
    const height = blocks.heightOfHash(filter.blockHash)
    if (height === undefined) throw serverError('unknown block')
    return { from: height, to: height }
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
 * The logs of a range that match, formatted, in order. Throws -32005 naming what was covered when they are more than
 * `MAX_LOGS` or the node's time budget for a call is used up; ends early when the client has gone.
 */
export async function findLogs(
  node: GatewayNode,
  filter: LogFilter,
  { from, to }: LogRange,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = []
  const deadline = node.now() + node.settings.evmTimeoutMs
  const pause = createPause()
  const covered = (height: bigint): string =>
    height <= from ? 'nothing was covered' : `covered are blocks ${from} to ${height - 1n}`
  const { addresses, topics } = filter
  let leave: (() => void) | undefined
  try {
    for (const step of node.blocks.logs({ fromHeight: from, toHeight: to, addresses, topics })) {
      if (typeof step !== 'bigint') {
        found.push(format(step))
        if (found.length <= MAX_LOGS) continue
        throw limitExceeded(`query returned more than ${MAX_LOGS} results: ${covered(step.height)}`)
      }
      const rest = pause()
      if (!rest) continue
      leave ??= await seatsOf(node.blocks).take()
      await rest
      if (signal.aborted) break
      if (node.now() > deadline) throw limitExceeded(`query timed out: ${covered(step)}`)
    }
    return found
  } finally {
    leave?.()
  }
}
