/** Filters that a client polls: new blocks, pending transactions, logs. They expire after five minutes without a poll. */
import { formatHex0x } from '../../../primitives/bytes.ts'
import type { GatewayNode } from '../../gateway.ts'
import { invalidParams, serverError } from '../errors.ts'
import type { LogFilter } from '../params.ts'
import { heightOf } from './block-ref.ts'
import { newId } from './ids.ts'
import { findLogs, rangeOf, within } from './logs.ts'

const EXPIRY_MS = 5 * 60_000
const MAX_FILTERS = 200
/** Limit of hashes stored for one filter between two polls; the oldest are dropped. */
const MAX_WAITING = 10_000

interface Filter {
  lastAskedMs: number
  /** Returns the results since the last poll. */
  changes(signal: AbortSignal): unknown
  readonly logs: LogFilter | undefined
  close(): void
}

export interface Filters {
  newBlocks(): string
  newPending(): string
  newLogs(filter: LogFilter): string
  /** Returns the results of a filter since the last poll. Throws -32000 `filter not found`. */
  changes(id: string, signal: AbortSignal): unknown
  /** Returns all logs that match a log filter. Throws -32000 `filter not found`. */
  logs(id: string, signal: AbortSignal): unknown
  remove(id: string): boolean
  close(): void
}

export function createFilters(node: GatewayNode): Filters {
  const filters = new Map<string, Filter>()

  const remove = (id: string): boolean => {
    filters.get(id)?.close()
    return filters.delete(id)
  }
  const expire = (): void => {
    const limit = node.now() - EXPIRY_MS
    for (const [id, filter] of filters) if (filter.lastAskedMs < limit) remove(id)
  }
  const add = (filter: Omit<Filter, 'lastAskedMs'>): string => {
    const id = newId()
    filters.set(id, { ...filter, lastAskedMs: node.now() })
    return id
  }
  const requireRoom = (): void => {
    expire()
    if (filters.size >= MAX_FILTERS) throw serverError(`too many filters, at most ${MAX_FILTERS}`)
  }
  const find = (id: string): Filter => {
    expire()
    const filter = filters.get(id)
    if (!filter) throw serverError('filter not found')
    filter.lastAskedMs = node.now()
    return filter
  }

  return {
    newBlocks() {
      requireRoom()
      let seen = node.blocks.latestHeight()
      const close = node.driver.onRollback((height) => {
        if (height < seen) seen = height
      })
      const changes = (): readonly string[] => {
        const latest = node.blocks.latestHeight()
        const hashes: string[] = []
        const first = latest - seen > BigInt(MAX_WAITING) ? latest - BigInt(MAX_WAITING) : seen
        for (let height = first + 1n; height <= latest; height++) {
          const header = node.blocks.header(height)
          if (header) hashes.push(formatHex0x(header.hash))
        }
        seen = latest
        return hashes
      }
      return add({ changes, logs: undefined, close })
    },
    newPending() {
      requireRoom()
      let waiting: string[] = []
      const close = node.driver.onPending((tx) => {
        if (!tx.evm) return
        if (waiting.length >= MAX_WAITING) waiting.shift()
        waiting.push(formatHex0x(tx.evm.hash))
      })
      const changes = (): readonly string[] => {
        const hashes = waiting
        waiting = []
        return hashes
      }
      return add({ changes, logs: undefined, close })
    },
    newLogs(filter) {
      requireRoom()
      if (filter.blockHash) throw invalidParams('cannot use a block hash in a filter')
      if (filter.from && filter.to && heightOf(node, filter.from)! > heightOf(node, filter.to)!) {
        throw invalidParams('invalid block range params')
      }
      // A poll returns the logs of blocks from now on; `logs` answers for a range in the past.
      let seen = node.blocks.latestHeight()
      const close = node.driver.onRollback((height) => {
        if (height < seen) seen = height
      })
      const changes = async (signal: AbortSignal): Promise<unknown> => {
        const latest = node.blocks.latestHeight()
        const first = filter.from && 'number' in filter.from ? filter.from.number : 0n
        const last = filter.to && 'number' in filter.to ? filter.to.number : latest
        const range = within({ from: seen + 1n, to: latest }, { from: first, to: last })
        seen = latest
        return range.from > range.to ? [] : findLogs(node, filter, range, signal)
      }
      return add({ changes, logs: filter, close })
    },
    changes: (id, signal) => find(id).changes(signal),
    logs(id, signal) {
      const { logs } = find(id)
      if (!logs) throw serverError('filter not found')
      return findLogs(node, logs, rangeOf(node, logs), signal)
    },
    remove(id) {
      expire()
      return remove(id)
    },
    close() {
      for (const id of filters.keys()) remove(id)
    },
  }
}
