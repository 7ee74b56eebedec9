/** Byte order of keys, in the text form of `toKey`, and merging of ordered sequences. */
import { compare, toKey } from '../primitives/bytes.ts'
import type { Entry, Range } from './types.ts'

/** Byte order of the keys behind two texts made by `toKey`. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Index of the first text that is not before the given one. */
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

/** Indexes of the texts in a range: from `from`, before `to`. */
export function inRange(sorted: readonly string[], range: Range): { readonly from: number; readonly to: number } {
  const from = range.start ? lowerBound(sorted, toKey(range.start)) : 0
  const to = range.end ? lowerBound(sorted, toKey(range.end)) : sorted.length
  return { from, to: Math.max(from, to) }
}

/** What lies over an entry: its new value, or undefined where it is deleted. */
export interface Cover {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Entries with covers laid over them; both in the same order, ascending (1) or descending (-1). */
export function* mergeEntries(
  entries: IterableIterator<Entry>,
  covers: Iterable<Cover>,
  direction: 1 | -1,
): IterableIterator<Entry> {
  const upper = covers[Symbol.iterator]()
  let cover = upper.next()
  try {
    for (const entry of entries) {
      let covered = false
      while (!cover.done && !covered) {
        const { key, value } = cover.value
        const order = compare(key, entry[0]) * direction
        if (order > 0) break
        if (value !== undefined) yield [key, value]
        covered = order === 0
        cover = upper.next()
      }
      if (!covered) yield entry
    }
    for (; !cover.done; cover = upper.next()) {
      const { key, value } = cover.value
      if (value !== undefined) yield [key, value]
    }
  } finally {
    entries.return?.()
    upper.return?.()
  }
}
