/** Changes as the program of the trees reads them; see `trees/change.ts`. */
import { copyTo } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { AT, BATCH_BYTES, MAX_CHANGES, MAX_KEY } from './tree-program.ts'

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

/**
 * Puts changes down, from one of them on, as many as have room, and returns how many. Throws a `RangeError` for a key that is
 * too long.
 */
export function putBatch(view: DataView<ArrayBuffer>, changes: readonly KeyChange[], from: number): number {
  const { buffer } = view
  const [bytes, words] = [new Uint8Array(buffer), new Int32Array(buffer)]
  const end = AT.batch + BATCH_BYTES
  let at = AT.batch
  let count = 0
  for (; count < MAX_CHANGES && from + count < changes.length; count++) {
    const { key, value } = changes[from + count]!
    if (key.length > MAX_KEY) throw new RangeError(`a key of ${key.length} bytes is longer than ${MAX_KEY}`)
    const isShort = value !== undefined && value.length <= MAX_VALUE
    const valueAt = at + HEAD_BYTES + filledUp(key.length)
    const next = valueAt + (isShort ? filledUp(value.length) : 0)
    if (next > end) break
    words[AT.changes / 4 + count] = at
    // What fills up the key; of an empty one this is where its length goes.
    words[valueAt / 4 - 2] = 0
    words[valueAt / 4 - 1] = 0
    words[at / 4 + 8] = key.length
    words[at / 4 + 9] = isShort ? value.length : value ? HASHED : REMOVED
    copyTo(bytes, at + HEAD_BYTES, key)
    if (isShort) copyTo(bytes, valueAt, value)
    else if (value) bytes.set(sha256(value), at)
    at = next
  }
  return count
}
