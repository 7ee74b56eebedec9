/** Byte order of keys, in the text form of `toKey`. */
import { toKey } from '../primitives/bytes.ts'
import type { Range } from './types.ts'

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
