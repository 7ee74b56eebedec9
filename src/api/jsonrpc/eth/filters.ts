/** Filters that a client polls: new blocks, pending transactions, logs. They expire after five minutes without a poll. */
import { formatHex0x } from '../../../primitives/bytes.ts'
import type { GatewayNode } from '../../gateway.ts'
import { invalidParams, serverError } from '../errors.ts'
import type { LogFilter } from '../params.ts'
import { heightOf } from './block-ref.ts'
import { countCriteria, MAX_CRITERIA, MAX_CRITERIA_OF_ADDRESS } from './criteria.ts'
import { newId } from './ids.ts'
import { findLogs, rangeOf, within } from './logs.ts'
import { createPendingHashes } from './pending-hashes.ts'

/** Time of a filter without a poll, as in geth. Beyond: it is removed. */
export const FILTER_EXPIRY_MS = 5 * 60_000
/** Filters of all clients. Beyond: the address with the most filters loses the one that was not polled for the longest time. */
export const MAX_FILTERS = 10_000
/** Hashes of blocks in the answer to one poll. Beyond: the oldest are left out. */
const MAX_BLOCK_HASHES = 10_000
/** Shortest time between two searches for expired filters. */
const EXPIRE_MS = 1000

interface Filter {
  readonly client: string
  lastAskedMs: number
  /** Returns the results since the last poll. */
  changes(signal: AbortSignal): unknown
  readonly logs: LogFilter | undefined
  /** Number of addresses and topics of its logs. */
  readonly criteria: number
  close(): void
}

/** Filters of an address, or of all, and the addresses and topics in them. */
interface Usage {
  readonly filters: number
  readonly criteria: number
}

const NO_USAGE: Usage = { filters: 0, criteria: 0 }

/**
 * Every filter belongs to the address of a client. New ones throw -32000 if that address has `rpc.filters` already, or too many
 * addresses and topics in them.
 */
export interface Filters {
  newBlocks(client: string): string
  newPending(client: string): string
  newLogs(client: string, filter: LogFilter): string
  /** Returns the results of a filter since the last poll. Throws -32000 `filter not found`. */
  changes(id: string, signal: AbortSignal): unknown
  /** Returns all logs that match a log filter. Throws -32000 `filter not found`. */
  logs(id: string, signal: AbortSignal): unknown
  remove(id: string): boolean
  close(): void
}

export function createFilters(node: GatewayNode): Filters {
  /** In the order of their last polls. */
  const filters = new Map<string, Filter>()
  const usages = new Map<string, Usage>()
  const pending = createPendingHashes(node.driver)
  let total = NO_USAGE
  let lastExpiryMs = Number.NEGATIVE_INFINITY

  const count = ({ client, criteria }: Omit<Filter, 'lastAskedMs'>, change: 1 | -1): void => {
    const changed = (usage: Usage): Usage => ({
      filters: usage.filters + change,
      criteria: usage.criteria + change * criteria,
    })
    total = changed(total)
    const usage = changed(usages.get(client) ?? NO_USAGE)
    if (usage.filters > 0) usages.set(client, usage)
    else usages.delete(client)
  }
  const remove = (id: string): boolean => {
    const filter = filters.get(id)
    if (!filter) return false
    filter.close()
    count(filter, -1)
    return filters.delete(id)
  }
  const expire = (): void => {
    const now = node.now()
    // The clock can be set back.
    if (Math.abs(now - lastExpiryMs) < EXPIRE_MS) return
    lastExpiryMs = now
    for (const [id, { lastAskedMs }] of filters) if (lastAskedMs < now - FILTER_EXPIRY_MS) remove(id)
  }
  const add = (filter: Omit<Filter, 'lastAskedMs'>): string => {
    const id = newId()
    filters.set(id, { ...filter, lastAskedMs: node.now() })
    count(filter, 1)
    return id
  }
  /** Removes the filter that was not polled for the longest time at the address with the most of something. */
  const makeRoom = (what: keyof Usage): void => {
    const [most] = [...usages].reduce((a, b) => (b[1][what] > a[1][what] ? b : a))
    for (const [id, filter] of filters) {
      if (filter.client !== most || (what === 'criteria' && filter.criteria === 0)) continue
      remove(id)
      return
    }
  }
  const requireRoom = (client: string, criteria = 0): void => {
    expire()
    const { filterLimit } = node.settings
    const used = usages.get(client) ?? NO_USAGE
    if (used.filters >= filterLimit) {
      throw serverError(`too many filters, at most ${filterLimit} of one address`)
    }
    if (used.criteria + criteria > MAX_CRITERIA_OF_ADDRESS) {
      throw serverError(`too many addresses and topics in filters, at most ${MAX_CRITERIA_OF_ADDRESS} of one address`)
    }
    if (total.filters >= MAX_FILTERS) makeRoom('filters')
    while (total.criteria + criteria > MAX_CRITERIA) makeRoom('criteria')
  }
  const find = (id: string): Filter => {
    expire()
    const filter = filters.get(id)
    if (!filter) throw serverError('filter not found')
    filter.lastAskedMs = node.now()
    filters.delete(id)
    filters.set(id, filter)
    return filter
  }

  return {
    newBlocks(client) {
      requireRoom(client)
      let seen = node.blocks.latestHeight()
      const close = node.driver.onRollback((height) => {
        if (height < seen) seen = height
      })
      const changes = (): readonly string[] => {
        const latest = node.blocks.latestHeight()
        const hashes: string[] = []
        const first = latest - seen > BigInt(MAX_BLOCK_HASHES) ? latest - BigInt(MAX_BLOCK_HASHES) : seen
        for (let height = first + 1n; height <= latest; height++) {
          const header = node.blocks.header(height)
          if (header) hashes.push(formatHex0x(header.hash))
        }
        seen = latest
        return hashes
      }
      return add({ client, changes, logs: undefined, criteria: 0, close })
    },
    newPending(client) {
      requireRoom(client)
      let seen = pending.position()
      const changes = (): readonly string[] => {
        const hashes = pending.since(seen)
        seen = pending.position()
        return hashes
      }
      return add({ client, changes, logs: undefined, criteria: 0, close() {} })
    },
    newLogs(client, filter) {
      const criteria = countCriteria(filter)
      requireRoom(client, criteria)
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
      return add({ client, changes, logs: filter, criteria, close })
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
      pending.close()
    },
  }
}
