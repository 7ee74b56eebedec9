/** In-memory overlays on a reader: the writes and events of a block, a transaction, a message, a call. */
import { toKey } from '../primitives/bytes.ts'
import { ChainError, type ErrorRow } from '../primitives/errors.ts'
import { openMemory } from './backend/memory.ts'
import { createStaging } from './history/staging.ts'
import { undeclaredStore } from './history/store-changes.ts'
import { mergeEntries } from './merge.ts'
import { compareTexts, inRange, lowerBound } from './order.ts'
import type { Branch, ChainEvent, Change, Entry, Range, Reader, RunEntry, Staging } from './types.ts'

/** The write of a branch to one key. It never changes, so an iteration can keep a reference to it. */
interface Slot {
  readonly text: string
  readonly key: Uint8Array
  /** Undefined: deleted. */
  readonly value: Uint8Array | undefined
}

/** The writes of a branch to one store. */
interface StoreWrites {
  readonly slots: Map<string, Slot>
  /** The keys in order, as of the last iteration. `fresh` are the keys added since. */
  sorted: string[]
  fresh: string[]
}

/** The reader under the lowest overlay of a stack. */
interface Base {
  reader: Reader
  /** Set when a run has been written; the reader then includes it. */
  staging: Staging | undefined
}

/** One overlay of a stack. */
interface Overlay {
  readonly base: Base
  readonly parent: Overlay | undefined
  writes: Map<string, StoreWrites> | undefined
  readonly events: ChainEvent[]
}

const NOTHING: Reader = { get: () => undefined, has: () => false, iterate: () => [][Symbol.iterator]() }

/** Creates an empty store in memory. */
export function createEmptyBranch(): Branch {
  return createBranch(NOTHING)
}

/** Maximum length of a key. Reading a longer key finds nothing. */
const MAX_KEY_BYTES = 1500
const KEY_TOO_LONG: ErrorRow = { code: 18, status: 'invalidArgument', text: 'invalid request' }

/**
 * Creates a branch on a reader, which must not change while the branch is in use. The branch stores the keys and values passed to
 * `set` without copying them, so the caller must not change them afterwards. An iteration shows the state at its beginning, without later writes.
 */
export function createBranch(base: Reader): Branch {
  return overlayBranch({
    base: { reader: base, staging: undefined },
    parent: undefined,
    writes: undefined,
    events: [],
  })
}

function overlayBranch(overlay: Overlay): Branch {
  return {
    events: overlay.events,
    get: (store, key) => read(overlay, store, key),
    has(store, key) {
      const slot = find(overlay, store, key)
      return slot ? slot.value !== undefined : overlay.base.reader.has(store, key)
    },
    iterate: (store, range) => iterate(overlay, store, range ?? {}),
    set(store, key, value) {
      checkKey(store, key)
      write(overlay, store, { text: toKey(key), key, value })
    },
    delete(store, key) {
      if (key.length <= MAX_KEY_BYTES) write(overlay, store, { text: toKey(key), key, value: undefined })
    },
    branch: () => overlayBranch({ base: overlay.base, parent: overlay, writes: undefined, events: [] }),
    merge: () => merge(overlay),
    changes: () => changes(overlay),
    writeRun: (store, entries) => writeRun(overlay, store, entries),
    staged: () => overlay.base.staging?.staged(),
  }
}

function checkKey(store: string, key: Uint8Array): void {
  if (key.length <= MAX_KEY_BYTES) return
  const detail = `a key of ${key.length} bytes in store ${store}, more than ${MAX_KEY_BYTES}`
  throw new ChainError('sdk', KEY_TOO_LONG, `${detail}: ${KEY_TOO_LONG.text}`)
}

/** Throws for a store that the reader does not list, because its writes would be lost. */
function checkStore({ base }: Overlay, store: string): void {
  const { stores } = base.reader
  if (stores && !stores.includes(store)) throw undeclaredStore(store)
}

function writeRun(overlay: Overlay, store: string, entries: Iterable<RunEntry>): void {
  if (overlay.parent) throw new Error('runs are written by the root branch of a block')
  checkStore(overlay, store)
  const { base } = overlay
  if (!base.staging) {
    base.staging = base.reader.openStaging?.() ?? createStaging(openMemory())
    base.reader = base.staging.over(base.reader)
  }
  base.staging.write(store, uncovered(overlay, store, entries))
}

/** Yields the writes of a run whose keys the overlay does not contain; the others go into the overlay. */
function* uncovered(overlay: Overlay, store: string, entries: Iterable<RunEntry>): IterableIterator<RunEntry> {
  for (const entry of entries) {
    const [key, value] = entry
    checkKey(store, key)
    const written = overlay.writes?.get(store)
    const text = written && toKey(key)
    if (text !== undefined && written!.slots.has(text)) put(written!, { text, key, value })
    else yield entry
  }
}

function find(overlay: Overlay, store: string, key: Uint8Array): Slot | undefined {
  let text: string | undefined
  for (let at: Overlay | undefined = overlay; at; at = at.parent) {
    const written = at.writes?.get(store)
    if (!written) continue
    text ??= toKey(key)
    const slot = written.slots.get(text)
    if (slot) return slot
  }
  return undefined
}

function read(overlay: Overlay, store: string, key: Uint8Array): Uint8Array | undefined {
  const slot = find(overlay, store, key)
  return slot ? slot.value : overlay.base.reader.get(store, key)
}

function write(overlay: Overlay, store: string, slot: Slot): void {
  overlay.writes ??= new Map()
  let written = overlay.writes.get(store)
  if (!written) {
    if (!overlay.parent) checkStore(overlay, store)
    written = { slots: new Map(), sorted: [], fresh: [] }
    overlay.writes.set(store, written)
  }
  put(written, slot)
}

function put(written: StoreWrites, slot: Slot): void {
  const before = written.slots.size
  written.slots.set(slot.text, slot)
  if (written.slots.size !== before) written.fresh.push(slot.text)
}

function merge(overlay: Overlay): void {
  const { parent, writes, events } = overlay
  if (!parent) throw new Error('a root branch has no parent to merge into')
  overlay.writes = undefined
  for (const event of events) parent.events.push(event)
  events.length = 0
  if (!writes) return
  if (!parent.writes) {
    parent.writes = writes
    return
  }
  for (const [store, written] of writes) {
    const target = parent.writes.get(store)
    if (!target) parent.writes.set(store, written)
    else for (const slot of written.slots.values()) put(target, slot)
  }
}

function changes(overlay: Overlay): Change[] {
  const out: Change[] = []
  for (const store of [...(overlay.writes?.keys() ?? [])].sort(compareTexts)) {
    checkStore(overlay, store)
    const written = overlay.writes!.get(store)!
    for (const text of sortedKeys(written)) {
      const { key, value } = written.slots.get(text)!
      out.push({ store, key, value })
    }
  }
  return out
}

/** Returns the keys in byte order, which is also the order of their texts. */
function sortedKeys(written: StoreWrites): readonly string[] {
  const { fresh } = written
  if (fresh.length > 0) {
    if (fresh.length * 8 < written.sorted.length && fresh.length < 32) {
      for (const text of fresh) written.sorted.splice(lowerBound(written.sorted, text), 0, text)
    } else {
      for (const text of fresh) written.sorted.push(text)
      written.sorted.sort(compareTexts)
    }
    written.fresh = []
  }
  return written.sorted
}

function iterate(overlay: Overlay, store: string, range: Range): IterableIterator<Entry> {
  const slots: Slot[][] = []
  for (let at: Overlay | undefined = overlay; at; at = at.parent) {
    const written = at.writes?.get(store)
    const found = written ? slotsInRange(written, range) : []
    if (found.length > 0) slots.push(found)
  }
  let entries = overlay.base.reader.iterate(store, range)
  for (let i = slots.length - 1; i >= 0; i--) entries = mergeEntries(entries, slots[i]!, range.reverse ? -1 : 1)
  return entries
}

function slotsInRange(written: StoreWrites, range: Range): Slot[] {
  const keys = sortedKeys(written)
  const { from, to } = inRange(keys, range)
  const found = new Array<Slot>(Math.max(0, to - from))
  for (let i = from; i < to; i++) found[i - from] = written.slots.get(keys[i]!)!
  return range.reverse ? found.reverse() : found
}
