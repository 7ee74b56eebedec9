/** Rows of a table that lie over those on disk: the newest of each key, and the older ones that open views still see. */
import { copyTo, fromKey, toKey } from '../primitives/bytes.ts'
import { createArena } from './arena.ts'
import type { Cover } from './order.ts'
import { createSorted, type Texted } from './sorted.ts'
import type { Range } from './types.ts'

/** A row of a key, and the one that it replaced. */
export interface LaidRow {
  /** Of the write that it came with. */
  readonly number: number
  /** Undefined: the row is gone. */
  readonly value: Uint8Array | undefined
  readonly before: LaidRow | undefined
}

/** A key, in the form of `toKey`, and its newest row; undefined when all were undone. */
export interface LaidKey extends Texted {
  newest: LaidRow | undefined
}

export interface Layer {
  /** Number of the first write whose rows are here. */
  readonly from: number
  /** Lays a row over those of the key. Numbers do not descend. */
  lay(number: number, key: Uint8Array, value: Uint8Array | undefined): void
  /** Takes away the rows of a write, which is the latest. */
  undo(number: number): void
  /** The row of a key, in the form of `toKey`, as of a write. Undefined if the layer has none. */
  find(text: string, upTo: number): LaidRow | undefined
  /** What lies over a range as of a write, in its direction. */
  covers(range: Range, upTo: number): IterableIterator<Cover>
  /** All keys, in order. */
  keys(): readonly LaidKey[]
  /** Rows laid, replaced ones included. */
  rowCount(): number
  /** Bytes of their keys and values. */
  sizeBytes(): number
}

export function createLayer(from: number): Layer {
  const known = new Map<string, LaidKey>()
  const sorted = createSorted<LaidKey>()
  const arena = createArena()
  /** Keys of the latest write. */
  let latest: { readonly number: number; readonly keys: LaidKey[] } = { number: from, keys: [] }
  let rowCount = 0
  let sizeBytes = 0

  function keyOf(text: string): LaidKey {
    let key = known.get(text)
    if (!key) {
      key = { text, newest: undefined }
      known.set(text, key)
      sorted.insert(key)
    }
    return key
  }

  function kept(value: Uint8Array): Uint8Array {
    const copy = arena(value.length)
    copyTo(copy, 0, value)
    return copy
  }

  return {
    from,
    find(text, upTo) {
      const key = known.get(text)
      return key && asOf(key, upTo)
    },
    lay(number, bytes, value) {
      const key = keyOf(toKey(bytes))
      key.newest = { number, value: value && kept(value), before: key.newest }
      if (latest.number !== number) latest = { number, keys: [] }
      latest.keys.push(key)
      rowCount++
      sizeBytes += bytes.length + (value?.length ?? 0)
    },
    undo(number) {
      if (latest.number !== number) return
      for (const key of latest.keys.reverse()) {
        const { value, before } = key.newest!
        rowCount--
        sizeBytes -= key.text.length + (value?.length ?? 0)
        key.newest = before
        if (before) continue
        known.delete(key.text)
        sorted.remove(key.text)
      }
      latest.keys.length = 0
    },
    *covers(range, upTo) {
      for (const key of sorted.walk(range)) {
        const row = asOf(key, upTo)
        if (row) yield { key: fromKey(key.text), value: row.value }
      }
    },
    keys: () => [...sorted.walk({})],
    rowCount: () => rowCount,
    sizeBytes: () => sizeBytes,
  }
}

function asOf({ newest }: LaidKey, upTo: number): LaidRow | undefined {
  let row = newest
  while (row && row.number > upTo) row = row.before
  return row
}
