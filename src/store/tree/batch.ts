/** Changes in the binary form that the tree program reads; see `trees/change.ts`. */
import { copyTo } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import * as regions from './layout.ts'
import { BATCH_BYTES, MAX_CHANGES, MAX_KEY, type TreeMemory } from './tree-program.ts'

/** A key with its new value; undefined removes the key. */
export interface KeyChange {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Maximum length of a value that the tree program hashes. Longer ones are hashed here. */
const MAX_VALUE = 247
const [REMOVED, HASHED] = [-1, -2] as const
/** Size of a change before its key: the hash of the value and two lengths. */
const HEAD_BYTES = 40

const padded = (length: number) => (length + 7) & ~7

/** The extent of a batch so far. */
export interface Batch {
  /** Address of the next change. */
  at: number
  count: number
}

export const emptyBatch = (): Batch => ({ at: regions.BATCH, count: 0 })

/**
 * Appends changes from index `from` to a batch until it is full. Returns the number of appended changes. Throws a `RangeError`
 * for a key that is too long.
 */
export function putChanges({ buffer }: TreeMemory, batch: Batch, changes: readonly KeyChange[], from: number): number {
  const [bytes, words] = [new Uint8Array(buffer), new Int32Array(buffer)]
  const end = regions.BATCH + BATCH_BYTES
  let { at, count } = batch
  let next = from
  for (; count < MAX_CHANGES && next < changes.length; next++, count++) {
    const { key, value } = changes[next]!
    if (key.length > MAX_KEY) throw new RangeError(`a key of ${key.length} bytes is longer than ${MAX_KEY}`)
    const isShort = value !== undefined && value.length <= MAX_VALUE
    const valueAt = at + HEAD_BYTES + padded(key.length)
    const valueEnd = valueAt + (isShort ? padded(value.length) : 0)
    if (valueEnd > end) break
    words[regions.CHANGES / 4 + count] = at
    // Zero padding of the key. For an empty key these words are the lengths, which are written after.
    words[valueAt / 4 - 2] = 0
    words[valueAt / 4 - 1] = 0
    words[at / 4 + 8] = key.length
    words[at / 4 + 9] = isShort ? value.length : value ? HASHED : REMOVED
    copyTo(bytes, at + HEAD_BYTES, key)
    if (isShort) copyTo(bytes, valueAt, value)
    else if (value) bytes.set(sha256(value), at)
    at = valueEnd
  }
  batch.at = at
  batch.count = count
  return next - from
}
