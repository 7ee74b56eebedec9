/** Changes as the program of the trees reads them; see `trees/change.ts`. */
import { copyTo } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { AT, BATCH_BYTES, MAX_CHANGES, MAX_KEY, type TreeMemory } from './tree-program.ts'

/** A key with its new value, or removed. */
export interface KeyChange {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Longer values are hashed here. */
const MAX_VALUE = 247
const [REMOVED, HASHED] = [-1, -2] as const
/** Bytes of a change before its key: the hash of its value and two lengths. */
const HEAD_BYTES = 40

const filledUp = (length: number) => (length + 7) & ~7

/** How much of a batch is put down. */
export interface Batch {
  /** Where the next change goes. */
  at: number
  count: number
}

export const emptyBatch = (): Batch => ({ at: AT.batch, count: 0 })

/**
 * Puts changes down behind those of a batch, from one of them on, as many as have room, and returns how many. Throws a
 * `RangeError` for a key that is too long.
 */
export function putChanges({ buffer }: TreeMemory, batch: Batch, changes: readonly KeyChange[], from: number): number {
  const [bytes, words] = [new Uint8Array(buffer), new Int32Array(buffer)]
  const end = AT.batch + BATCH_BYTES
  let { at, count } = batch
  let next = from
  for (; count < MAX_CHANGES && next < changes.length; next++, count++) {
    const { key, value } = changes[next]!
    if (key.length > MAX_KEY) throw new RangeError(`a key of ${key.length} bytes is longer than ${MAX_KEY}`)
    const isShort = value !== undefined && value.length <= MAX_VALUE
    const valueAt = at + HEAD_BYTES + filledUp(key.length)
    const behind = valueAt + (isShort ? filledUp(value.length) : 0)
    if (behind > end) break
    words[AT.changes / 4 + count] = at
    // What fills up the key; of an empty one this is where its length goes.
    words[valueAt / 4 - 2] = 0
    words[valueAt / 4 - 1] = 0
    words[at / 4 + 8] = key.length
    words[at / 4 + 9] = isShort ? value.length : value ? HASHED : REMOVED
    copyTo(bytes, at + HEAD_BYTES, key)
    if (isShort) copyTo(bytes, valueAt, value)
    else if (value) bytes.set(sha256(value), at)
    at = behind
  }
  batch.at = at
  batch.count = count
  return next - from
}
