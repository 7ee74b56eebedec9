/** In-memory overlays on a reader: the writes and events of a block, a transaction, a message, a call. */
import { toKey } from '../primitives/bytes.ts'
import { ChainError, type ErrorRow } from '../primitives/errors.ts'
import { openMemory } from './backend/memory.ts'
import { createStaging } from './history/staging.ts'
import { compareTexts, inRange, lowerBound, mergeEntries } from './order.ts'
import type { Branch, ChainEvent, Change, Entry, Range, Reader, RunEntry, Staging } from './types.ts'

/** What a branch wrote under one key. Never changed once made, so that an iteration may hold on to it. */
interface Slot {
  readonly text: string
  readonly key: Uint8Array
  /** Undefined: deleted. */
  readonly value: Uint8Array | undefined
}

/** What a branch wrote to one store. */
interface Layer {
  readonly slots: Map<string, Slot>
  /** The keys in order, as far as an iteration has needed them; `fresh` are those not yet among them. */
  sorted: string[]
  fresh: string[]
}

/** What lies under the lowest overlay of a stack. */
interface Ground {
  reader: Reader
  /** Present once a run has been written; the reader then shows it. */
  staging: Staging | undefined
}

/** One overlay of a stack. */
interface Overlay {
  readonly ground: Ground
  readonly parent: Overlay | undefined
  layers: Map<string, Layer> | undefined
  readonly events: ChainEvent[]
}

const NOTHING: Reader = { get: () => undefined, has: () => false, iterate: () => [][Symbol.iterator]() }

/** A store in memory with nothing in it and nothing under it. */
export function createEmptyBranch(): Branch {
  return createBranch(NOTHING)
}

/** The longest key of a store. A longer one is never there. */
const MAX_KEY_BYTES = 1500
const KEY_TOO_LONG: ErrorRow = { code: 18, status: 'invalidArgument', text: 'invalid request' }

/**
 * A branch on a reader, which must not change while the branch is in use. Keys and values given to `set` become the
 * branch's: the caller does not change them afterwards. An iteration sees the state as it was when it began, whatever
 * is written during it.
 */
export function createBranch(base: Reader): Branch {
  return overlayBranch({
    ground: { reader: base, staging: undefined },
    parent: undefined,
    layers: undefined,
    events: [],
  })
}

function overlayBranch(overlay: Overlay): Branch {
  return {
    events: overlay.events,
    get: (store, key) => read(overlay, store, key),
    has(store, key) {
      const slot = find(overlay, store, key)
      return slot ? slot.value !== undefined : overlay.ground.reader.has(store, key)
    },
    iterate: (store, range) => iterate(overlay, store, range ?? {}),
    set(store, key, value) {
      checkKey(store, key)
      write(overlay, store, { text: toKey(key), key, value })
    },
    delete(store, key) {
      if (key.length <= MAX_KEY_BYTES) write(overlay, store, { text: toKey(key), key, value: undefined })
    },
    branch: () => overlayBranch({ ground: overlay.ground, parent: overlay, layers: undefined, events: [] }),
    merge: () => merge(overlay),
    changes: () => changes(overlay),
    writeRun: (store, entries) => writeRun(overlay, store, entries),
    staged: () => overlay.ground.staging?.staged(),
  }
}

function checkKey(store: string, key: Uint8Array): void {
  if (key.length <= MAX_KEY_BYTES) return
  const detail = `a key of ${key.length} bytes in store ${store}, more than ${MAX_KEY_BYTES}`
  throw new ChainError('sdk', KEY_TOO_LONG, `${detail}: ${KEY_TOO_LONG.text}`)
}

/** A store that there is not would be written for nobody. */
function checkStore({ ground }: Overlay, store: string): void {
  const { stores } = ground.reader
  if (stores && !stores.includes(store)) throw new Error(`there is no store "${store}": an upgrade has to add it`)
}

function writeRun(overlay: Overlay, store: string, entries: Iterable<RunEntry>): void {
  if (overlay.parent) throw new Error('runs are written by the root branch of a block')
  checkStore(overlay, store)
  const { ground } = overlay
  if (!ground.staging) {
    ground.staging = ground.reader.openStaging?.() ?? createStaging(openMemory())
    ground.reader = ground.staging.over(ground.reader)
  }
  ground.staging.write(store, uncovered(overlay, store, entries))
}

/** The writes of a run that the overlay does not cover; the others go into it. */
function* uncovered(overlay: Overlay, store: string, entries: Iterable<RunEntry>): IterableIterator<RunEntry> {
  for (const entry of entries) {
    const [key, value] = entry
    checkKey(store, key)
    const layer = overlay.layers?.get(store)
    const text = layer && toKey(key)
    if (text !== undefined && layer!.slots.has(text)) put(layer!, { text, key, value })
    else yield entry
  }
}

function find(overlay: Overlay, store: string, key: Uint8Array): Slot | undefined {
  let text: string | undefined
  for (let at: Overlay | undefined = overlay; at; at = at.parent) {
    const layer = at.layers?.get(store)
    if (!layer) continue
    text ??= toKey(key)
    const slot = layer.slots.get(text)
    if (slot) return slot
  }
  return undefined
}

function read(overlay: Overlay, store: string, key: Uint8Array): Uint8Array | undefined {
  const slot = find(overlay, store, key)
  return slot ? slot.value : overlay.ground.reader.get(store, key)
}

function write(overlay: Overlay, store: string, slot: Slot): void {
  overlay.layers ??= new Map()
  let layer = overlay.layers.get(store)
  if (!layer) {
    if (!overlay.parent) checkStore(overlay, store)
    layer = { slots: new Map(), sorted: [], fresh: [] }
    overlay.layers.set(store, layer)
  }
  put(layer, slot)
}

function put(layer: Layer, slot: Slot): void {
  const before = layer.slots.size
  layer.slots.set(slot.text, slot)
  if (layer.slots.size !== before) layer.fresh.push(slot.text)
}

function merge(overlay: Overlay): void {
  const { parent, layers, events } = overlay
  if (!parent) throw new Error('a root branch has no parent to merge into')
  overlay.layers = undefined
  for (const event of events) parent.events.push(event)
  events.length = 0
  if (!layers) return
  if (!parent.layers) {
    parent.layers = layers
    return
  }
  for (const [store, layer] of layers) {
    const target = parent.layers.get(store)
    if (!target) parent.layers.set(store, layer)
    else for (const slot of layer.slots.values()) put(target, slot)
  }
}

function changes(overlay: Overlay): Change[] {
  const out: Change[] = []
  for (const store of [...(overlay.layers?.keys() ?? [])].sort(compareTexts)) {
    checkStore(overlay, store)
    const layer = overlay.layers!.get(store)!
    for (const text of sortedKeys(layer)) {
      const { key, value } = layer.slots.get(text)!
      out.push({ store, key, value })
    }
  }
  return out
}

/** The keys of a layer in byte order, which is that of their texts. */
function sortedKeys(layer: Layer): readonly string[] {
  const { fresh } = layer
  if (fresh.length > 0) {
    if (fresh.length * 8 < layer.sorted.length && fresh.length < 32) {
      for (const text of fresh) layer.sorted.splice(lowerBound(layer.sorted, text), 0, text)
    } else {
      for (const text of fresh) layer.sorted.push(text)
      layer.sorted.sort(compareTexts)
    }
    layer.fresh = []
  }
  return layer.sorted
}

function iterate(overlay: Overlay, store: string, range: Range): IterableIterator<Entry> {
  const slots: Slot[][] = []
  for (let at: Overlay | undefined = overlay; at; at = at.parent) {
    const layer = at.layers?.get(store)
    const found = layer ? slotsInRange(layer, range) : []
    if (found.length > 0) slots.push(found)
  }
  let entries = overlay.ground.reader.iterate(store, range)
  for (let i = slots.length - 1; i >= 0; i--) entries = mergeEntries(entries, slots[i]!, range.reverse ? -1 : 1)
  return entries
}

function slotsInRange(layer: Layer, range: Range): Slot[] {
  const keys = sortedKeys(layer)
  const { from, to } = inRange(keys, range)
  const found = new Array<Slot>(Math.max(0, to - from))
  for (let i = from; i < to; i++) found[i - from] = layer.slots.get(keys[i]!)!
  return range.reverse ? found.reverse() : found
}
