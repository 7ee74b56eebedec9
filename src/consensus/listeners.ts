/** Those who are told of what happens to the chain. One that fails keeps neither the others from hearing nor the chain from going on. */
export interface Listeners<Value> {
  /** Returns how to end it. */
  add(listener: (value: Value) => void): () => void
  tell(value: Value): void
  /** Whether anybody is told. */
  isHeard(): boolean
}

/** `onFailure` is told what a listener threw. */
export function createListeners<Value>(onFailure: (error: unknown) => void): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>()
  return {
    isHeard: () => listeners.size > 0,
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(value) {
      for (const listener of listeners) {
        try {
          listener(value)
        } catch (error) {
          onFailure(error)
        }
      }
    },
  }
}
