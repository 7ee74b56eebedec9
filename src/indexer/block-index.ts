/** Lookups in the local tables: blocks, transactions by hash, logs, events. */
import { rotateProposers } from '../app/proposers.ts'
import type { StoredBlock } from '../app/records.ts'
import { decodeUint64, encodeUint64, equal, toKey } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import type { Tables } from '../store/types.ts'
import {
  decodeBlockBody,
  decodeBlockHeader,
  decodePosition,
  decodeReceipts,
  decodeResults,
  decodeValidators,
} from './encoding.ts'
import { createLogMatcher } from './log-matcher.ts'
import { higher, lower, type Posting, postingRanges } from './segments.ts'
import {
  BLOCK_HASHES,
  BLOCKS,
  EVM_TX_POSITIONS,
  RECEIPTS,
  RESTORED_BLOCKS,
  RESULTS,
  TX_POSITIONS,
  VALIDATORS,
} from './tables.ts'
import { eventTerm, logAddressTerm, logTopicTerm } from './terms.ts'
import type { BlockIndex, FoundLog, LogQuery } from './types.ts'
import { hashKey } from './writer.ts'

/** Capacity of the cache of decoded blocks. Clients usually request several receipts of a block. */
const CACHED_BLOCKS = 8
/** Capacity of the cache of headers. Every query of state needs that of its height. */
const CACHED_HEADERS = 64

/** Returns a block that decodes results and receipts on first use. */
function readBlock(tables: Tables, key: Uint8Array, row: Uint8Array): StoredBlock {
  const body = decodeBlockBody(row)
  let results: ReturnType<typeof decodeResults> | undefined
  let evmTxs: StoredBlock['evmTxs'] | undefined
  const readResults = () => {
    if (!results) {
      const bytes = tables.get(RESULTS, key)
      const source = () => ({ height: body.header.height, hash: body.hash, evmTxs: readReceipts() })
      results = bytes ? decodeResults(bytes, source) : { results: [], blockEvents: [] }
    }
    return results
  }
  const readReceipts = () => {
    if (!evmTxs) {
      const bytes = tables.get(RECEIPTS, key)
      evmTxs = bytes ? decodeReceipts(bytes) : []
    }
    return evmTxs
  }
  return {
    ...body,
    get results() {
      return readResults().results
    },
    get blockEvents() {
      return readResults().blockEvents
    },
    get evmTxs() {
      return readReceipts()
    },
  }
}

/** Yields the matching logs of a block, in order. */
function* matchingLogs(
  { header, hash }: ReturnType<typeof decodeBlockHeader>,
  evmTxs: StoredBlock['evmTxs'],
  isWanted: ReturnType<typeof createLogMatcher>,
): Iterable<FoundLog> {
  for (const tx of evmTxs) {
    for (let i = 0; i < tx.logs.length; i++) {
      const log = tx.logs[i]!
      if (!isWanted(log)) continue
      const { address, topics, data } = log
      yield {
        height: header.height,
        blockHash: hash,
        timeNs: header.timeNs,
        tx,
        logIndex: tx.firstLogIndex + i,
        address,
        topics,
        data,
      }
    }
  }
}

const ascending = (a: number, b: number): number => a - b

/** Returns the heights at which every group has at least one of its terms, ascending. */
function commonHeights(
  groups: readonly (readonly number[])[],
  occurrences: (terms: readonly number[]) => readonly Posting[],
): readonly bigint[] {
  let common: Set<bigint> | undefined
  for (const group of groups) {
    const heights = new Set<bigint>()
    for (const { height } of occurrences(group)) if (!common || common.has(height)) heights.add(height)
    // Later groups can only exclude more.
    if (heights.size === 0) return []
    common = heights
  }
  return [...common!].sort((a, b) => (a < b ? -1 : 1))
}

/**
 * Opens lookups over tables that can grow: each call sees the latest commit. A producer of blocks passes `knownLatest` to save
 * reading the latest height.
 */
export function openBlockIndex(tables: Tables, knownLatest?: () => bigint): BlockIndex {
  const cache = new Map<bigint, StoredBlock>()
  const headers = new Map<bigint, ReturnType<typeof decodeBlockHeader>>()

  const edge = (reverse: boolean): bigint => {
    const first = tables.iterate(BLOCKS, { reverse }).next()
    return first.done ? 0n : decodeUint64(first.value[0])
  }

  const latestHeight = knownLatest ?? (() => edge(true))

  const block = (height: bigint): StoredBlock | undefined => {
    if (height < 0n) return undefined
    const cached = cache.get(height)
    if (cached) return cached
    const key = encodeUint64(height)
    const row = tables.get(BLOCKS, key)
    if (!row) return undefined
    const read = readBlock(tables, key, row)
    cache.set(height, read)
    if (cache.size > CACHED_BLOCKS) cache.delete(cache.keys().next().value!)
    return read
  }

  const header = (height: bigint): ReturnType<typeof decodeBlockHeader> | undefined => {
    const cached = headers.get(height)
    if (cached || height < 0n) return cached
    const key = encodeUint64(height)
    const row = tables.get(BLOCKS, key) ?? tables.get(RESTORED_BLOCKS, key)
    if (!row) return undefined
    return keepHeader(decodeBlockHeader(row))
  }

  function keepHeader({ header, hash }: ReturnType<typeof decodeBlockHeader>): ReturnType<typeof decodeBlockHeader> {
    const kept = { header, hash }
    headers.set(header.height, kept)
    if (headers.size > CACHED_HEADERS) headers.delete(headers.keys().next().value!)
    return kept
  }

  /** Reads only the EVM transactions of a block. */
  const receipts = (height: bigint): StoredBlock['evmTxs'] => {
    const cached = cache.get(height)
    if (cached) return cached.evmTxs
    const row = tables.get(RECEIPTS, encodeUint64(height))
    return row ? decodeReceipts(row) : []
  }

  function* logs(query: LogQuery): IterableIterator<FoundLog | bigint> {
    const groups: (readonly number[])[] = []
    if (query.addresses?.length) groups.push(query.addresses.map(logAddressTerm).sort(ascending))
    query.topics?.forEach((wanted, position) => {
      if (wanted?.length) groups.push(wanted.map((topic) => logTopicTerm(position, topic)).sort(ascending))
    })
    const isWanted = createLogMatcher(query)
    let left = query.limit ?? Number.POSITIVE_INFINITY
    for (const { reached, candidates } of logSearch(query, groups)) {
      yield reached
      for (const height of candidates) {
        yield height
        const found = header(height)
        if (!found) continue
        for (const log of matchingLogs(found, receipts(height), isWanted)) {
          if (left-- <= 0) return
          yield log
        }
      }
    }
  }

  /** Each height is a lookup of its own, so that blocks can be committed in between. */
  function* evmHeights(range: Parameters<BlockIndex['evmHeights']>[0]): IterableIterator<bigint> {
    const { reverse } = range
    let [from, to] = [higher(range.from, 0n), range.to]
    while (from <= to) {
      const row = tables.iterate(RECEIPTS, { start: encodeUint64(from), end: encodeUint64(to + 1n), reverse }).next()
      if (row.done) return
      const height = decodeUint64(row.value[0])
      yield height
      if (reverse) to = height - 1n
      else from = height + 1n
    }
  }

  /** Yields candidate heights of matching logs, ascending, range by range. Without a condition, all heights with receipts. */
  function* logSearch(
    query: LogQuery,
    groups: readonly (readonly number[])[],
  ): Iterable<{ readonly reached: bigint; readonly candidates: readonly bigint[] }> {
    const from = higher(query.fromHeight, 0n)
    if (groups.length === 0) {
      const range = { from, to: query.toHeight, reverse: false }
      for (const height of evmHeights(range)) yield { reached: height, candidates: [height] }
      return
    }
    for (const postings of postingRanges(tables, { from, to: lower(query.toHeight, latestHeight()) })) {
      yield { reached: postings.from, candidates: commonHeights(groups, postings.occurrences) }
    }
  }

  function* txsByEvent(
    key: string,
    value: string,
    range: { readonly from?: bigint; readonly to?: bigint; readonly reverse?: boolean } = {},
  ): IterableIterator<{ readonly height: bigint; readonly index: number }> {
    const dot = key.lastIndexOf('.')
    const type = key.slice(0, dot)
    const attribute = key.slice(dot + 1)
    const term = eventTerm(type, attribute, value)
    const from = higher(range.from ?? 0n, 0n)
    const to = lower(range.to ?? latestHeight(), latestHeight())
    for (const { occurrences } of postingRanges(tables, { from, to, reverse: range.reverse ?? false })) {
      const list = range.reverse ? [...occurrences([term])].reverse() : occurrences([term])
      for (const { height, ordinal } of list) {
        const events = block(height)?.results[ordinal]?.events ?? []
        const present = events.some(
          (event) =>
            event.type === type && event.attributes.some((item) => item.key === attribute && item.value === value),
        )
        if (present) yield { height, index: ordinal }
      }
    }
  }

  return {
    latestHeight,
    earliestHeight: () => edge(false),
    block,
    restored(height) {
      const row = tables.get(RESTORED_BLOCKS, encodeUint64(height))
      return row && decodeBlockBody(row)
    },
    header,
    learn: (block) => void keepHeader(block),
    heightOfHash(blockHash) {
      const row = tables.get(BLOCK_HASHES, hashKey(blockHash))
      if (!row) return undefined
      const height = decodeUint64(row)
      const found = tables.get(BLOCKS, encodeUint64(height))
      return found && equal(decodeBlockHeader(found).hash, blockHash) ? height : undefined
    },
    tx(hash) {
      const row = tables.get(TX_POSITIONS, hashKey(hash))
      const position = row && decodePosition(row)
      const bytes = position && block(position.height)?.txs[position.index]
      return position && bytes && equal(sha256(bytes), hash) ? position : undefined
    },
    evmTx(hash) {
      const row = tables.get(EVM_TX_POSITIONS, hashKey(hash))
      const position = row && decodePosition(row)
      const found = position && block(position.height)?.evmTxs[position.index]
      return found && toKey(found.hash) === toKey(hash)
        ? { height: position.height, evmIndex: position.index }
        : undefined
    },
    logs,
    evmHeights,
    txsByEvent,
    evictAbove(height) {
      for (const cached of [cache, headers]) for (const at of cached.keys()) if (at > height) cached.delete(at)
    },
    validators(height) {
      if (height < 0n) return undefined
      const row = tables.iterate(VALIDATORS, { end: encodeUint64(height + 1n), reverse: true }).next()
      if (row.done) return undefined
      const [key, encoded] = row.value
      return rotateProposers(decodeValidators(encoded), height - decodeUint64(key))
    },
  }
}
