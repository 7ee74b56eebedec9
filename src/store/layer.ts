/** Rows of a table that lie over those on disk: the newest of each key, and the older ones that open views still see. */
import { fromKey, toKey } from '../primitives/bytes.ts'
import { createArena } from './arena.ts'
import type { Cover } from './order.ts'
import { createSortedTexts } from './sorted-texts.ts'
import type { Range } from './types.ts'

/** A row of a key, and the one that it replaced. */
export interface LaidRow {
  /** Of the write that it came with. */
  readonly number: number
  /** Undefined: the row is gone. */
  readonly value: Uint8Array | undefined
  readonly before: LaidRow | undefined
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
  texts(): string[]
  /** Rows laid, replaced ones included. */
  rowCount(): number
  /** Bytes of their keys and values. */
  sizeBytes(): number
}

export function createLayer(from: number): Layer {
  const newest = new Map<string, LaidRow>()
  const order = createSortedTexts()
  const arena = createArena()
  /** Keys of the latest write. */
  let latest: { readonly number: number; readonly texts: string[] } = { number: from, texts: [] }
  let rowCount = 0
  let sizeBytes = 0

  function find(text: string, upTo: number): LaidRow | undefined {
    let row = newest.get(text)
    while (row && row.number > upTo) row = row.before
    return row
  }

  return {
    from,
    find,
    lay(number, key, value) {
      const text = toKey(key)
      const before = newest.get(text)
      if (!before) order.insert(text)
      const kept = value && arena(value.length)
      if (value) kept?.set(value)
      newest.set(text, { number, value: kept, before })
      if (latest.number !== number) latest = { number, texts: [] }
      latest.texts.push(text)
      rowCount++
      sizeBytes += key.length + (value?.length ?? 0)
    },
    undo(number) {
      if (latest.number !== number) return
      for (const text of latest.texts.reverse()) {
        const { value, before } = newest.get(text)!
        rowCount--
        sizeBytes -= text.length + (value?.length ?? 0)
        if (before) newest.set(text, before)
        else {
          newest.delete(text)
          order.remove(text)
        }
      }
      latest.texts.length = 0
    },
    *covers(range, upTo) {
      for (const text of order.walk(range)) {
        const row = find(text, upTo)
        if (row) yield { key: fromKey(text), value: row.value }
      }
    },
    texts: () => [...order.walk({})],
    rowCount: () => rowCount,
    sizeBytes: () => sizeBytes,
  }
}
