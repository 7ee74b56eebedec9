/** Merges of ordered sequences. */
import { compare } from '../primitives/bytes.ts'
import type { Entry } from './types.ts'

/** An entry of an overlay: it replaces the entry of its key below, or deletes it if the value is undefined. */
export interface OverlayEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Merges entries with those of an overlay. Both have the same order: ascending (1) or descending (-1). */
export function* mergeEntries(
  entries: IterableIterator<Entry>,
  overlay: Iterable<OverlayEntry>,
  direction: 1 | -1,
): IterableIterator<Entry> {
  const upper = overlay[Symbol.iterator]()
  let over = upper.next()
  try {
    for (const entry of entries) {
      let isReplaced = false
      while (!over.done && !isReplaced) {
        const { key, value } = over.value
        const order = compare(key, entry[0]) * direction
        if (order > 0) break
        if (value !== undefined) yield [key, value]
        isReplaced = order === 0
        over = upper.next()
      }
      if (!isReplaced) yield entry
    }
    for (; !over.done; over = upper.next()) {
      const { key, value } = over.value
      if (value !== undefined) yield [key, value]
    }
  } finally {
    entries.return?.()
    upper.return?.()
  }
}
