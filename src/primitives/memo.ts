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
