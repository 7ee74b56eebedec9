/** Values that several components show: each is set in one place, and its readers are drawn again. */
import { useEffect, useState } from 'preact/hooks'

export interface Store<Value> {
  get(): Value
  set(value: Value): void
  /** Calls the listener after each change. Returns the function that ends this. */
  subscribe(listener: () => void): () => void
}

export function createStore<Value>(first: Value): Store<Value> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Returns the value of a store, or what `select` makes of it, and draws the component again when that changes. */
export function useStore<Value, Selected = Value>(
  store: Store<Value>,
  select: (value: Value) => Selected = (value) => value as unknown as Selected,
): Selected {
  const [shown, setShown] = useState(() => select(store.get()))
  useEffect(() => {
    const update = (): void => setShown(() => select(store.get()))
    update()
    return store.subscribe(update)
  }, [store])
  return shown
}
