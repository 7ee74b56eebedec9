/** Caches: a bounded one by key, and one that lives as long as its objects. */

export interface Cache<Value> {
  get(key: string): Value | undefined
  /** Stores a value and returns it. */
  set(key: string, value: Value): Value
}

/**
 * Creates a cache of two generations: when the younger one has `size` entries, the older one is dropped. Entries in use stay,
 * since a hit in the older generation moves the entry to the younger one.
 */
export function createCache<Value>(size: number): Cache<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  const set = (key: string, value: Value): Value => {
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    return value
  }
  return {
    set,
    get(key) {
      const known = young.get(key)
      if (known !== undefined) return known
      const older = old.get(key)
      return older === undefined ? undefined : set(key, older)
    },
  }
}

/** Caches the results of a function of objects. A result is released with its object. */
export function cachePerObject<Key extends object, Value extends object | string>(
  make: (object: Key) => Value,
): (object: Key) => Value {
  const made = new WeakMap<Key, Value>()
  return (object) => {
    let value = made.get(object)
    if (value === undefined) {
      value = make(object)
      made.set(object, value)
    }
    return value
  }
}
