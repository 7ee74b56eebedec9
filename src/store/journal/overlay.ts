/**
 * An overlay of rows over a table: the newest row of each key, and the older rows that open views still read. Rows are numbers
 * in a few large arrays, and bytes in the buffers in which they arrived; an object for each would cost more than its row.
 */

import type { OverlayEntry } from '../merge.ts'
import type { Range } from '../types.ts'
import type { HashSecret } from './key-hash.ts'
import { createKeyTable, doubled } from './key-table.ts'
import { DELETED, type EncodedVersion } from './versions.ts'

export interface Overlay {
  /** Number of the first write whose rows it contains. */
  readonly from: number
  /** Adds the row of a write over the older rows of its key. Its bytes must never change. Write numbers must not descend. */
  add(write: number, version: EncodedVersion): void
  /** Removes the rows of the latest write. */
  undo(write: number): void
  /** Returns a key's row as of a write, `DELETED` for a deletion; undefined if the overlay has no row. `hash` is the key's. */
  find(key: Uint8Array, hash: number, upTo: number): Uint8Array | typeof DELETED | undefined
  /** Yields the rows in a range as of a write, in the range's direction. */
  entries(range: Range, upTo: number): IterableIterator<OverlayEntry>
  keyCount(): number
  /** Returns the newest row of the key at an index in key order; undefined if all its rows were undone. */
  newestAt(index: number): OverlayEntry | undefined
  /** Returns the number of rows, replaced ones included. */
  rowCount(): number
  /** Returns the size of their keys and values in bytes. */
  sizeBytes(): number
}

/** Numbers per row: write minus `from`; key; buffer, offset and length of the value; the key's previous row. */
const FIELDS = 6
const MIN_ROWS = 64
/** Length of the value of a deletion. */
const GONE = -1
/** Number in place of a row. */
const NONE = -1

export function createOverlay(from: number, secret: HashSecret): Overlay {
  const buffers: Uint8Array[] = []
  const keys = createKeyTable(buffers, secret)
  let fields = new Int32Array(MIN_ROWS * FIELDS)
  /** Newest row by key number. */
  let newest = new Int32Array(MIN_ROWS)
  let rowCount = 0
  let sizeBytes = 0

  function bufferOf(bytes: Uint8Array): number {
    return buffers.at(-1) === bytes ? buffers.length - 1 : buffers.push(bytes) - 1
  }

  /** Returns the newest row of a key that no later write than `upTo` added. */
  function asOf(key: number, upTo: number): number {
    let row = newest[key]!
    while (row >= 0 && fields[row * FIELDS]! + from > upTo) row = fields[row * FIELDS + 5]!
    return row
  }

  function valueBytes(row: number): Uint8Array | undefined {
    const at = fields[row * FIELDS + 3]!
    const length = fields[row * FIELDS + 4]!
    return length === GONE ? undefined : buffers[fields[row * FIELDS + 2]!]!.subarray(at, at + length)
  }

  /** Returns the length of a row's key and value. */
  const lengthOf = (row: number): number =>
    keys.lengthOf(fields[row * FIELDS + 1]!) + Math.max(fields[row * FIELDS + 4]!, 0)

  return {
    from,
    add(write, { bytes, keyAt, keyLength, valueAt, valueLength }) {
      const buffer = bufferOf(bytes)
      const known = keys.count()
      const key = keys.add(buffer, keyAt, keyLength)
      if (key === newest.length) newest = doubled(newest)
      const row = rowCount++
      const own = row * FIELDS
      if (own === fields.length) fields = doubled(fields)
      fields[own] = write - from
      fields[own + 1] = key
      fields[own + 2] = buffer
      fields[own + 3] = valueAt
      fields[own + 4] = valueLength ?? GONE
      fields[own + 5] = key < known ? newest[key]! : NONE
      newest[key] = row
      sizeBytes += lengthOf(row)
    },
    undo(write) {
      for (; rowCount > 0 && fields[(rowCount - 1) * FIELDS]! + from === write; rowCount--) {
        const row = rowCount - 1
        sizeBytes -= lengthOf(row)
        newest[fields[row * FIELDS + 1]!] = fields[row * FIELDS + 5]!
      }
    },
    find(bytes, hash, upTo) {
      const key = keys.find(bytes, hash)
      const row = key < 0 ? NONE : asOf(key, upTo)
      return row === NONE ? undefined : (valueBytes(row) ?? DELETED)
    },
    *entries(range, upTo) {
      for (const key of keys.walk(range)) {
        const row = asOf(key, upTo)
        if (row !== NONE) yield { key: keys.keyOf(key), value: valueBytes(row) }
      }
    },
    keyCount: keys.count,
    newestAt(index) {
      const key = keys.at(index)
      const row = newest[key]!
      return row === NONE ? undefined : { key: keys.keyOf(key), value: valueBytes(row) }
    },
    rowCount: () => rowCount,
    sizeBytes: () => sizeBytes,
  }
}
