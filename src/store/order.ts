/** Byte order of keys, in the text form of `toKey`, and merges of ordered sequences. */
import { compare, toKey } from '../primitives/bytes.ts'
import type { Entry, Range } from './types.ts'

/** Compares the bytes of two keys, given as texts made by `toKey`. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Returns the index of the first text that is not before the given one. */
export function lowerBound(sorted: readonly string[], text: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < text) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the indexes of the texts in a range: from `from` to before `to`. */
export function inRange(sorted: readonly string[], range: Range): { readonly from: number; readonly to: number } {
  const from = range.start ? lowerBound(sorted, toKey(range.start)) : 0
  const to = range.end ? lowerBound(sorted, toKey(range.end)) : sorted.length
  return { from, to: Math.max(from, to) }
}

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
