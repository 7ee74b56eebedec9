/** Listeners of the chain. One that throws affects neither the other listeners nor the chain. */
export interface Listeners<Value> {
  /** Returns a function that removes the listener. */
  add(listener: (value: Value) => void): () => void
  notify(value: Value): void
  /** Whether there are listeners. */
  hasListeners(): boolean
}

/** Creates an empty list. `onFailure` receives the errors that listeners throw. */
export function createListeners<Value>(onFailure: (error: unknown) => void): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>()
  return {
    hasListeners: () => listeners.size > 0,
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify(value) {
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
