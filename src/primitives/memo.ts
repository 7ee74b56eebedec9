/** What was worked out lately, so that it need not be worked out again. */

export interface Memo<Value> {
  recall(key: string): Value | undefined
  /** Returns the value. */
  keep(key: string, value: Value): Value
}

/** A memory of two generations: when the younger has `size` entries, the older is forgotten. What is used stays. */
export function createMemo<Value>(size: number): Memo<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  const keep = (key: string, value: Value): Value => {
    if (young.size >= size) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    return value
  }
  return {
    keep,
    recall(key) {
      const known = young.get(key)
      if (known !== undefined) return known
      const older = old.get(key)
      return older === undefined ? undefined : keep(key, older)
    },
  }
}

/** A function of objects that is worked out once for each, and forgotten with it. */
export function oncePerObject<Key extends object, Value extends object | string>(
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
