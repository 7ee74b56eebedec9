/** A cache of state reads within a block. Most keys that a transaction reads were read by an earlier one in its block. */
import { toKey } from '../primitives/bytes.ts'
import type { Reader } from './types.ts'

/** Maximum number of cached keys: a few megabytes. Code and other long values are not cached. */
const MAX_KEYS = 16_384
const MAX_VALUE_BYTES = 256

/** Marks a key without a value. */
const ABSENT = new Uint8Array(0)

/** Returns a reader that caches the reads of `base`, which must not change while it is in use. Iterations are not cached. */
export function cacheReads(base: Reader): Reader {
  const stores = new Map<string, Map<string, Uint8Array>>()
  let count = 0

  function get(store: string, key: Uint8Array): Uint8Array | undefined {
    let cached = stores.get(store)
    if (!cached) {
      cached = new Map()
      stores.set(store, cached)
    }
    const text = toKey(key)
    const value = cached.get(text)
    if (value) return value === ABSENT ? undefined : value
    const found = base.get(store, key)
    if (count < MAX_KEYS && !(found && found.length > MAX_VALUE_BYTES)) {
      count++
      cached.set(text, found ?? ABSENT)
    }
    return found
  }

  return { ...base, get, has: (store, key) => get(store, key) !== undefined }
}
