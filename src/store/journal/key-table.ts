/** A hash table of keys in shared buffers. Each key has a number; keys can also be walked in byte order. */

import type { Range } from '../types.ts'
import { type HashSecret, hashKey } from './key-hash.ts'

export interface KeyTable {
  /** Returns the number of a key; -1 if the table does not contain it. `hash` is the key's. */
  find(key: Uint8Array, hash: number): number
  /** Returns the number of a key in a buffer, and adds the key if it is new. Its bytes must then never change. */
  add(buffer: number, at: number, length: number): number
  keyOf(number: number): Uint8Array
  lengthOf(number: number): number
  /** Returns the number of keys. They are numbered from 0 in the order in which they were added. */
  count(): number
  /** Returns the number of the key at an index in byte order. */
  at(index: number): number
  /** Yields the numbers of the keys in a range, in order. Keys added meanwhile do not disturb the iteration. */
  walk(range: Range): IterableIterator<number>
}

/** Numbers per key: buffer, offset, length. */
const FIELDS = 3
const MIN_KEYS = 64

/** Creates an empty table. The caller can append to `buffers`. */
export function createKeyTable(buffers: readonly Uint8Array[], secret: HashSecret): KeyTable {
  let fields = new Int32Array(MIN_KEYS * FIELDS)
  /** Pairs of a hash and a key number + 1; 0 marks a free slot. At most half full. */
  let slots = new Int32Array(4 * MIN_KEYS)
  let count = 0
  /**
   * All key numbers, in sorted runs, and the index at which each run begins. Keys mostly arrive in order, block of the chain by
   * block: a smaller key ends a run, and a run is merged into the one before it if that is at most twice as long.
   */
  let order = new Int32Array(MIN_KEYS)
  const runs: number[] = [0]

  /** Returns the slot of a key, or the free slot where it belongs. */
  function slotOf(hash: number, bytes: Uint8Array, at: number, length: number): number {
    const mask = slots.length - 1
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const number = slots[slot + 1]! - 1
      if (number < 0 || (slots[slot] === hash && isKey(number, bytes, at, length))) return slot
    }
  }

  function isKey(number: number, bytes: Uint8Array, at: number, length: number): boolean {
    if (fields[number * FIELDS + 2] !== length) return false
    const buffer = buffers[fields[number * FIELDS]!]!
    const from = fields[number * FIELDS + 1]!
    for (let i = 0; i < length; i++) if (buffer[from + i] !== bytes[at + i]) return false
    return true
  }

  function grow(): void {
    fields = doubled(fields)
    order = doubled(order)
    const before = slots
    slots = new Int32Array(2 * before.length)
    const mask = slots.length - 1
    for (let from = 0; from < before.length; from += 2) {
      if (before[from + 1] === 0) continue
      let slot = (before[from]! << 1) & mask
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask
      slots[slot] = before[from]!
      slots[slot + 1] = before[from + 1]!
    }
  }

  /** Compares a key with other bytes: negative, zero or positive. */
  function compareWith(number: number, bytes: Uint8Array, at: number, length: number): number {
    const buffer = buffers[fields[number * FIELDS]!]!
    const from = fields[number * FIELDS + 1]!
    const own = fields[number * FIELDS + 2]!
    const common = Math.min(own, length)
    for (let i = 0; i < common; i++) {
      const difference = buffer[from + i]! - bytes[at + i]!
      if (difference !== 0) return difference
    }
    return own - length
  }

  function compareKeys(a: number, b: number): number {
    const buffer = buffers[fields[b * FIELDS]!]!
    return compareWith(a, buffer, fields[b * FIELDS + 1]!, fields[b * FIELDS + 2]!)
  }

  /** Returns the index of the first key between `low` and `high` that is not before the given one. */
  function firstFrom(bytes: Uint8Array, at: number, length: number, low = 0, high = count): number {
    let [from, to] = [low, high]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (compareWith(order[middle]!, bytes, at, length) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Does the same as `firstFrom` for the key of a number, and searches from `high` downwards, since it is near. */
  function lastBefore(number: number, first: number, high: number): number {
    let [low, to, step] = [high - 1, high, 1]
    while (low >= first && compareKeys(order[low]!, number) > 0) {
      to = low
      low -= step
      step *= 2
    }
    // The key at `low` is smaller.
    const from = Math.max(low + 1, first)
    if (from === to) return to
    const buffer = buffers[fields[number * FIELDS]!]!
    return firstFrom(buffer, fields[number * FIELDS + 1]!, fields[number * FIELDS + 2]!, from, to)
  }

  /** Merges the last run, which ends at `end`, into the one before. */
  function merge(end: number): void {
    const middle = runs.pop()!
    const first = runs.at(-1)!
    const later = order.slice(middle, end)
    let [from, to] = [middle, end]
    for (let i = later.length - 1; i >= 0 && from > first; i--) {
      const at = lastBefore(later[i]!, first, from)
      to -= from - at
      order.copyWithin(to, at, from)
      order[--to] = later[i]!
      from = at
    }
    // The remaining keys sort before the whole other run.
    order.set(later.subarray(0, to - from), from)
  }

  /** Merges all runs into one. */
  function arrange(): void {
    while (runs.length > 1) merge(count)
  }

  /** Adds the number of the latest key to the runs. */
  function extendRuns(number: number): void {
    order[number] = number
    if (number === 0 || compareKeys(order[number - 1]!, number) < 0) return
    while (runs.length > 1 && runs.at(-1)! - runs.at(-2)! <= 2 * (number - runs.at(-1)!)) merge(number)
    runs.push(number)
  }

  const keyOf = (number: number): Uint8Array => {
    const from = fields[number * FIELDS + 1]!
    return buffers[fields[number * FIELDS]!]!.subarray(from, from + fields[number * FIELDS + 2]!)
  }

  return {
    find: (key, hash) => slots[slotOf(hash, key, 0, key.length) + 1]! - 1,
    add(buffer, at, length) {
      const bytes = buffers[buffer]!
      const hash = hashKey(bytes, at, length, secret)
      let slot = slotOf(hash, bytes, at, length)
      if (slots[slot + 1] !== 0) return slots[slot + 1]! - 1
      if (4 * count >= slots.length) {
        grow()
        slot = slotOf(hash, bytes, at, length)
      }
      const number = count++
      const own = number * FIELDS
      fields[own] = buffer
      fields[own + 1] = at
      fields[own + 2] = length
      slots[slot] = hash
      slots[slot + 1] = number + 1
      extendRuns(number)
      return number
    },
    keyOf,
    lengthOf: (number) => fields[number * FIELDS + 2]!,
    count: () => count,
    at(index) {
      arrange()
      return order[index]!
    },
    *walk({ start, end, reverse = false }) {
      arrange()
      let known = count
      const [first, last] = reverse ? [end, start] : [start, end]
      let index = first ? firstFrom(first, 0, first.length) : reverse ? count : 0
      if (reverse) index--
      while (index >= 0 && index < count) {
        const number = order[index]!
        const isBehind = last && compareWith(number, last, 0, last.length) >= 0
        if (last && isBehind !== reverse) return
        yield number
        if (known !== count) {
          arrange()
          known = count
          const key = keyOf(number)
          index = firstFrom(key, 0, key.length)
        }
        index += reverse ? -1 : 1
      }
    },
  }
}

/** Returns a copy with room for twice as many numbers. */
export function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}
