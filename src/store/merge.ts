/** Merges of ordered sequences. */
import { compare, toKey } from '../primitives/bytes.ts'
import type { Change, Entry } from './types.ts'

/** An entry of an overlay: it replaces the entry of its key below, or deletes it if the value is undefined. */
export interface OverlayEntry {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Merges the changes of a block with later ones: each key once, with its last value, by store and key. */
export function mergeChanges(earlier: readonly Change[], later: readonly Change[]): Change[] {
  const merged = new Map<string, Change>()
  for (const change of earlier) merged.set(`${change.store}\0${toKey(change.key)}`, change)
  for (const change of later) merged.set(`${change.store}\0${toKey(change.key)}`, change)
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change)
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
