/** Keys that lie in blocks of memory, each under a number: found by their bytes, and walked in their order. */

import type { Range } from '../types.ts'
import { type HashSecret, hashKey } from './key-hash.ts'

export interface KeyTable {
  /** The number of a key whose hash is given; -1 if it is not here. */
  find(key: Uint8Array, hash: number): number
  /** The number of a key in a block, which is added if it is new: its bytes must then stay as they are. */
  add(block: number, at: number, length: number): number
  keyOf(number: number): Uint8Array
  lengthOf(number: number): number
  /** How many there are: their numbers are those below, in the order of their coming. */
  count(): number
  /** The number of the key at an index of their order. */
  at(index: number): number
  /** Numbers of the keys in a range. Goes on where it was when others come meanwhile. */
  walk(range: Range): IterableIterator<number>
}

/** What is known of a key: its block, where it begins in it, its length. */
const FIELDS = 3
const LEAST_KEYS = 64

/** `blocks` may grow. */
export function createKeyTable(blocks: readonly Uint8Array[], secret: HashSecret): KeyTable {
  let fields = new Int32Array(LEAST_KEYS * FIELDS)
  /** Pairs of a hash and the number of a key that has it, one more than it is: 0 where there is none. At most half full. */
  let slots = new Int32Array(4 * LEAST_KEYS)
  let count = 0
  /**
   * All numbers, in runs of which each is in the order of its keys, and where the runs begin. Keys mostly come in order, those of
   * one block after those of another: a run ends where the next key is smaller, and goes into the one before when that is not much
   * longer.
   */
  let order = new Int32Array(LEAST_KEYS)
  const runs: number[] = [0]

  /** The slot of a key, or the free one where it belongs. */
  function slotOf(hash: number, bytes: Uint8Array, at: number, length: number): number {
    const mask = slots.length - 1
    for (let slot = (hash << 1) & mask; ; slot = (slot + 2) & mask) {
      const number = slots[slot + 1]! - 1
      if (number < 0 || (slots[slot] === hash && isKey(number, bytes, at, length))) return slot
    }
  }

  function isKey(number: number, bytes: Uint8Array, at: number, length: number): boolean {
    if (fields[number * FIELDS + 2] !== length) return false
    const block = blocks[fields[number * FIELDS]!]!
    const from = fields[number * FIELDS + 1]!
    for (let i = 0; i < length; i++) if (block[from + i] !== bytes[at + i]) return false
    return true
  }

  function grow(): void {
    fields = grown(fields)
    order = grown(order)
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

  /** Negative, zero or positive: how a key compares with other bytes. */
  function compareWith(number: number, bytes: Uint8Array, at: number, length: number): number {
    const block = blocks[fields[number * FIELDS]!]!
    const from = fields[number * FIELDS + 1]!
    const own = fields[number * FIELDS + 2]!
    const common = Math.min(own, length)
    for (let i = 0; i < common; i++) {
      const difference = block[from + i]! - bytes[at + i]!
      if (difference !== 0) return difference
    }
    return own - length
  }

  function compareKeys(a: number, b: number): number {
    const block = blocks[fields[b * FIELDS]!]!
    return compareWith(a, block, fields[b * FIELDS + 1]!, fields[b * FIELDS + 2]!)
  }

  /** Index of the first of a run, from `low` to `high`, that is not before a key. */
  function firstFrom(bytes: Uint8Array, at: number, length: number, low = 0, high = count): number {
    let [from, to] = [low, high]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (compareWith(order[middle]!, bytes, at, length) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  /** As `firstFrom`, for the key of a number that is near `high`. */
  function lastBefore(number: number, first: number, high: number): number {
    let [low, to, step] = [high - 1, high, 1]
    while (low >= first && compareKeys(order[low]!, number) > 0) {
      to = low
      low -= step
      step *= 2
    }
    // The one at `low` is smaller.
    const from = Math.max(low + 1, first)
    if (from === to) return to
    const block = blocks[fields[number * FIELDS]!]!
    return firstFrom(block, fields[number * FIELDS + 1]!, fields[number * FIELDS + 2]!, from, to)
  }

  /** Puts the last run, which has an end, into the one before. */
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
    // What is left comes before all of the other run.
    order.set(later.subarray(0, to - from), from)
  }

  /** Puts all keys in order. */
  function arrange(): void {
    while (runs.length > 1) merge(count)
  }

  /** Adds the number of the latest key to the runs. */
  function follow(number: number): void {
    order[number] = number
    if (number === 0 || compareKeys(order[number - 1]!, number) < 0) return
    while (runs.length > 1 && runs.at(-1)! - runs.at(-2)! <= 2 * (number - runs.at(-1)!)) merge(number)
    runs.push(number)
  }

  const keyOf = (number: number): Uint8Array => {
    const from = fields[number * FIELDS + 1]!
    return blocks[fields[number * FIELDS]!]!.subarray(from, from + fields[number * FIELDS + 2]!)
  }

  return {
    find: (key, hash) => slots[slotOf(hash, key, 0, key.length) + 1]! - 1,
    add(block, at, length) {
      const bytes = blocks[block]!
      const hash = hashKey(bytes, at, length, secret)
      let slot = slotOf(hash, bytes, at, length)
      if (slots[slot + 1] !== 0) return slots[slot + 1]! - 1
      if (4 * count >= slots.length) {
        grow()
        slot = slotOf(hash, bytes, at, length)
      }
      const number = count++
      const own = number * FIELDS
      fields[own] = block
      fields[own + 1] = at
      fields[own + 2] = length
      slots[slot] = hash
      slots[slot + 1] = number + 1
      follow(number)
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

/** The same numbers with room for twice as many. */
export function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length)
  larger.set(numbers)
  return larger
}
