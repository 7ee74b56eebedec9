/**
 * Writes that are held back: several become durable in one transaction of the backend below, which costs one wait for the disk.
 * Until then they are in memory, as overlays over its tables. A crash loses all held writes and nothing else, so the disk is always
 * as after some write.
 */
import { type Backend, type BackendRead, checkKey } from '../backend/backend.ts'
import { mergeEntries } from '../merge.ts'
import type { Range, TableWrite } from '../types.ts'
import { createByteArena, makeRoom } from './byte-arena.ts'
import { type HashSecret, hashKey } from './key-hash.ts'
import { createOverlay, type Overlay } from './overlay.ts'
import { DELETED, putVersion, versionLength } from './versions.ts'

/** Bytes of keys and values beyond which held writes are made durable. */
const MOST_BYTES = 8_000_000
/** Room that `putVersion` requires beyond the bytes it writes. */
const SPARE_BYTES = 8
const ALL = Number.POSITIVE_INFINITY

/** The held writes, by table. Views keep the overlays of their opening. */
type Overlays = Map<string, Overlay>
type Reads = Omit<BackendRead, 'close'>

/** Returns a backend that can hold writes to another one. `secret` keeps keys that are slow to find from being chosen. */
export function withHeldWrites(base: Backend, secret: HashSecret): Backend {
  if (base.readOnly) return base
  let overlays: Overlays = new Map()
  let arena = createByteArena()
  /** Number of the last held write; 0 if none is held. */
  let last = 0
  /** Whether a write has put the held rows into the base, where its own rows follow. */
  let arePassed = false

  function heldBytes(): number {
    let sum = 0
    for (const overlay of overlays.values()) sum += overlay.sizeBytes()
    return sum
  }

  function hold(rows: Iterable<TableWrite>): void {
    const write = last + 1
    try {
      for (const row of rows) {
        checkKey(row)
        makeRoom(arena, versionLength(row) + SPARE_BYTES)
        let overlay = overlays.get(row.table)
        if (!overlay) {
          overlay = createOverlay(1, secret)
          overlays.set(row.table, overlay)
        }
        overlay.add(write, putVersion(arena, row))
      }
    } catch (error) {
      for (const overlay of overlays.values()) overlay.undo(write)
      throw error
    }
    last = write
    if (heldBytes() > MOST_BYTES) flush()
  }

  function* withHeld(rows: Iterable<TableWrite>): IterableIterator<TableWrite> {
    for (const [table, overlay] of overlays) {
      for (let at = 0; at < overlay.keyCount(); at++) {
        const row = overlay.newestAt(at)
        if (row) yield { table, key: row.key, value: row.value }
      }
    }
    arePassed = true
    yield* rows
  }

  function pass(rows: Iterable<TableWrite>): void {
    if (last === 0) {
      base.write(rows)
      return
    }
    try {
      base.write(withHeld(rows))
      overlays = new Map()
      arena = createByteArena()
      last = 0
    } finally {
      arePassed = false
    }
  }

  function flush(): void {
    if (last > 0) pass([])
  }

  /** Returns reads of the base with overlays over it, as of a held write. */
  function over(below: Reads, current: () => Overlays | undefined, upTo: number): Reads {
    const find = (table: string, key: Uint8Array): Uint8Array | typeof DELETED | undefined =>
      current()
        ?.get(table)
        ?.find(key, hashKey(key, 0, key.length, secret), upTo)
    return {
      get(table, key) {
        const row = find(table, key)
        if (row === undefined) return below.get(table, key)
        return row === DELETED ? undefined : row
      },
      peek(table, key, use) {
        const row = find(table, key)
        if (row === undefined) return below.peek(table, key, use)
        return row === DELETED ? undefined : use(row)
      },
      iterate(table, range: Range = {}) {
        const entries = below.iterate(table, range)
        const overlay = current()?.get(table)
        return overlay ? mergeEntries(entries, overlay.entries(range, upTo), range.reverse ? -1 : 1) : entries
      },
    }
  }

  return {
    ...over(base, () => (arePassed ? undefined : overlays), ALL),
    isolates: base.isolates,
    readOnly: false,
    read() {
      const view = base.read()
      if (!base.isolates) return { ...over(view, () => overlays, ALL), close: view.close }
      if (last === 0) return view
      const seen = overlays
      return { ...over(view, () => seen, last), close: view.close }
    },
    write(rows, isHeld = false) {
      if (isHeld) hold(rows)
      else pass(rows)
    },
    flush,
    sizeBytes: () => base.sizeBytes() + heldBytes(),
    usedBytes: () => base.usedBytes() + heldBytes(),
    async close() {
      try {
        flush()
      } finally {
        await base.close()
      }
    },
  }
}
