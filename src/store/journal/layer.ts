/**
 * Rows of a table that lie over those on disk: the newest of each key, and the older ones that open views still see. They are
 * numbers in a few large arrays, and bytes in the blocks in which they came: an object for each would cost more than its row.
 */

import type { Cover } from '../order.ts'
import type { Range } from '../types.ts'
import type { HashSecret } from './key-hash.ts'
import { createKeyTable, grown } from './key-table.ts'
import { DELETED, type Spot } from './versions.ts'

export interface Layer {
  /** Number of the first write whose rows are here. */
  readonly from: number
  /** Lays a row over those of its key, in bytes that stay as they are. Numbers of writes do not descend. */
  lay(number: number, spot: Spot): void
  /** Takes away the rows of a write, which is the latest. */
  undo(number: number): void
  /** The row of a key whose hash is given as of a write, `DELETED` if it is gone; undefined if the layer has none. */
  find(key: Uint8Array, hash: number, upTo: number): Uint8Array | typeof DELETED | undefined
  /** What lies over a range as of a write, in its direction. */
  covers(range: Range, upTo: number): IterableIterator<Cover>
  /** How many keys there are. */
  keyCount(): number
  /** The newest row of the key at an index of their order; undefined if all of them were taken away. */
  newestAt(index: number): Cover | undefined
  /** Rows laid, replaced ones included. */
  rowCount(): number
  /** Bytes of their keys and values. */
  sizeBytes(): number
}

/** What is known of a row: its write, counted from the layer's first; its key; block, beginning and length of its value; the row before. */
const FIELDS = 6
const LEAST_ROWS = 64
/** Length of the value of a row that is gone. */
const GONE = -1
/** Number of a row where there is none. */
const NONE = -1

export function createLayer(from: number, secret: HashSecret): Layer {
  const blocks: Uint8Array[] = []
  const keys = createKeyTable(blocks, secret)
  let fields = new Int32Array(LEAST_ROWS * FIELDS)
  /** Rows by number of their key. */
  let newest = new Int32Array(LEAST_ROWS)
  let rowCount = 0
  let sizeBytes = 0

  function blockOf(bytes: Uint8Array): number {
    return blocks.at(-1) === bytes ? blocks.length - 1 : blocks.push(bytes) - 1
  }

  /** The newest row of a key that is not of a later write. */
  function asOf(key: number, upTo: number): number {
    let row = newest[key]!
    while (row >= 0 && fields[row * FIELDS]! + from > upTo) row = fields[row * FIELDS + 5]!
    return row
  }

  function bytesOf(row: number): Uint8Array | undefined {
    const at = fields[row * FIELDS + 3]!
    const length = fields[row * FIELDS + 4]!
    return length === GONE ? undefined : blocks[fields[row * FIELDS + 2]!]!.subarray(at, at + length)
  }

  /** Bytes of a row's key and value. */
  const lengthOf = (row: number): number =>
    keys.lengthOf(fields[row * FIELDS + 1]!) + Math.max(fields[row * FIELDS + 4]!, 0)

  return {
    from,
    lay(number, { bytes, keyAt, keyLength, valueAt, valueLength }) {
      const block = blockOf(bytes)
      const known = keys.count()
      const key = keys.add(block, keyAt, keyLength)
      if (key === newest.length) newest = grown(newest)
      const row = rowCount++
      const own = row * FIELDS
      if (own === fields.length) fields = grown(fields)
      fields[own] = number - from
      fields[own + 1] = key
      fields[own + 2] = block
      fields[own + 3] = valueAt
      fields[own + 4] = valueLength ?? GONE
      fields[own + 5] = key < known ? newest[key]! : NONE
      newest[key] = row
      sizeBytes += lengthOf(row)
    },
    undo(number) {
      for (; rowCount > 0 && fields[(rowCount - 1) * FIELDS]! + from === number; rowCount--) {
        const row = rowCount - 1
        sizeBytes -= lengthOf(row)
        newest[fields[row * FIELDS + 1]!] = fields[row * FIELDS + 5]!
      }
    },
    find(bytes, hash, upTo) {
      const key = keys.find(bytes, hash)
      const row = key < 0 ? NONE : asOf(key, upTo)
      return row === NONE ? undefined : (bytesOf(row) ?? DELETED)
    },
    *covers(range, upTo) {
      for (const key of keys.walk(range)) {
        const row = asOf(key, upTo)
        if (row !== NONE) yield { key: keys.keyOf(key), value: bytesOf(row) }
      }
    },
    keyCount: keys.count,
    newestAt(index) {
      const key = keys.at(index)
      const row = newest[key]!
      return row === NONE ? undefined : { key: keys.keyOf(key), value: bytesOf(row) }
    },
    rowCount: () => rowCount,
    sizeBytes: () => sizeBytes,
  }
}
