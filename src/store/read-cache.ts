/**
 * A cache of reads of the latest state, which the next block builds on. Most keys that a transaction reads were read by an earlier one
 * in its block, and the hooks of a block read what those of the block before read.
 */
import { toKey } from '../primitives/bytes.ts'
import type { Change, Entry, Range, Reader, Snapshot } from './types.ts'

/** Maximum number of cached keys: a few megabytes. Code and other long values are not cached. */
const MAX_KEYS = 16_384
const MAX_VALUE_BYTES = 512
/** Limits of cached iterations. A longer one reads the state each time. */
const MAX_RANGES = 256
const MAX_ENTRIES = 16
const MAX_ENTRIES_BYTES = 4096

/** Marks a key without a value. */
const ABSENT = new Uint8Array(0)

/** Identifies a state. */
type StateId = Pick<Snapshot, 'height' | 'rollbacks'>
/** No state: nothing is cached. */
const NOTHING: StateId = { height: -1n, rollbacks: 0 }

/** A range of keys, as texts, and its entries at the latest height; undefined if they are too many to cache. */
interface CachedRange {
  readonly start: string
  /** Undefined: without an end. */
  readonly end: string | undefined
  readonly entries: readonly Entry[] | undefined
}

/** The cached reads of one store. */
interface CachedStore {
  readonly values: Map<string, Uint8Array>
  readonly ranges: Map<string, CachedRange>
}

export interface ReadCache {
  /** Returns a reader of the same state, the latest commit. It stays right after that, but then it caches nothing. */
  over(base: Snapshot): Reader
  /** Takes over the changes of the commit after the state that is cached. Other commits and rollbacks empty the cache. */
  advance(height: bigint, changes: readonly Change[]): void
}

/** Creates an empty cache. */
export function createReadCache(): ReadCache {
  /** The cached state; another object after each change of it. */
  let state = NOTHING
  const stores = new Map<string, CachedStore>()
  let keyCount = 0
  let rangeCount = 0

  function clear(): void {
    stores.clear()
    keyCount = 0
    rangeCount = 0
  }

  function storeOf(name: string): CachedStore {
    let found = stores.get(name)
    if (!found) {
      found = { values: new Map(), ranges: new Map() }
      stores.set(name, found)
    }
    return found
  }

  function put({ values }: CachedStore, text: string, value: Uint8Array | undefined): void {
    const isLong = value !== undefined && value.length > MAX_VALUE_BYTES
    const before = values.size
    if (isLong) values.delete(text)
    else if (keyCount < MAX_KEYS || values.has(text)) values.set(text, value ? inOwnMemory(value) : ABSENT)
    keyCount += values.size - before
  }

  function cachedRange(base: Snapshot, store: string, range: Range): CachedRange | undefined {
    const { ranges } = storeOf(store)
    const start = range.start ? toKey(range.start) : ''
    const end = range.end && toKey(range.end)
    const name = `${range.reverse ? '-' : '+'}${start.length} ${start}${end ?? ''}${end === undefined ? '' : '.'}`
    let found = ranges.get(name)
    if (!found && rangeCount < MAX_RANGES) {
      found = { start, end, entries: fewEntries(base.iterate(store, range)) }
      ranges.set(name, found)
      rangeCount++
    }
    return found
  }

  return {
    over(base) {
      if (base.height !== state.height || base.rollbacks !== state.rollbacks) {
        clear()
        state = { height: base.height, rollbacks: base.rollbacks }
      }
      const own = state
      function get(store: string, key: Uint8Array): Uint8Array | undefined {
        if (state !== own) return base.get(store, key)
        const cached = storeOf(store)
        const text = toKey(key)
        const value = cached.values.get(text)
        if (value) return value === ABSENT ? undefined : value
        const found = base.get(store, key)
        put(cached, text, found)
        return found
      }
      return {
        ...base,
        get,
        has: (store, key) => get(store, key) !== undefined,
        iterate(store, range = {}) {
          const entries = state === own ? cachedRange(base, store, range)?.entries : undefined
          return entries ? entries[Symbol.iterator]() : base.iterate(store, range)
        },
      }
    },
    advance(height, changes) {
      const follows = height === state.height + 1n
      if (!follows || keyCount >= MAX_KEYS || rangeCount >= MAX_RANGES) clear()
      state = follows ? { ...state, height } : NOTHING
      if (!follows) return
      for (const { store, key, value } of changes) {
        const cached = storeOf(store)
        const text = toKey(key)
        put(cached, text, value)
        for (const [name, { start, end }] of cached.ranges) {
          if (text < start || (end !== undefined && text >= end)) continue
          cached.ranges.delete(name)
          rangeCount--
        }
      }
    },
  }
}

/** Copies bytes that are a part of larger memory, such as that of a block's rows, which would stay as long as they are cached. */
const inOwnMemory = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()

/** Reads the entries of an iteration if they are few and short. */
function fewEntries(iteration: IterableIterator<Entry>): Entry[] | undefined {
  const entries: Entry[] = []
  let sizeBytes = 0
  for (const entry of iteration) {
    sizeBytes += entry[0].length + entry[1].length
    if (entries.length === MAX_ENTRIES || sizeBytes > MAX_ENTRIES_BYTES) return undefined
    entries.push([inOwnMemory(entry[0]), inOwnMemory(entry[1])])
  }
  return entries
}
