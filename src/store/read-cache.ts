/** What was read of a state, at hand for who reads it again: most of what a transaction reads, one before it in its block has read. */
import { toKey } from '../primitives/bytes.ts'
import type { Reader } from './types.ts'

/** With keys and values of usual length a few megabytes. Code and other long values are read again. */
const MOST_READS = 16_384
const LONGEST_VALUE = 256

/** Stands for a key that is not there. */
const ABSENT = new Uint8Array(0)

/** A reader that asks another once for a key, as far as there is room. The other must not change while this one is in use. */
export function knowReads(base: Reader): Reader {
  const stores = new Map<string, Map<string, Uint8Array>>()
  let count = 0

  function get(store: string, key: Uint8Array): Uint8Array | undefined {
    let known = stores.get(store)
    if (!known) {
      known = new Map()
      stores.set(store, known)
    }
    const text = toKey(key)
    const value = known.get(text)
    if (value) return value === ABSENT ? undefined : value
    const found = base.get(store, key)
    if (count < MOST_READS && !(found && found.length > LONGEST_VALUE)) {
      count++
      known.set(text, found ?? ABSENT)
    }
    return found
  }

  return { ...base, get, has: (store, key) => get(store, key) !== undefined }
}
