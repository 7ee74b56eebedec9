/** What is wrong with the machine that a node runs on: no part of what a transaction comes to, since no other node has it (ADR 0021). */
import type { Entry, Reader } from '../store/types.ts'

export interface Environment {
  /** A state whose failing reads are failures of the environment. */
  over(base: Reader): Reader
  /** Whether a failure is one: of a read, or of memory that was not to be had. */
  isToBlame(error: unknown): boolean
}

/** What V8 says of an array, of WebAssembly's memory and of a new instance. */
const NO_MEMORY = /out of memory|allocation failed|could not allocate|unable to grow/i

export function createEnvironment(): Environment {
  const failures = new WeakSet<object>()

  function noted(error: unknown): unknown {
    if (typeof error === 'object' && error !== null) failures.add(error)
    return error
  }

  function watched(entries: IterableIterator<Entry>): IterableIterator<Entry> {
    return {
      [Symbol.iterator]() {
        return this
      },
      next() {
        try {
          return entries.next()
        } catch (error) {
          throw noted(error)
        }
      },
      return(value?: unknown) {
        entries.return?.()
        return { done: true, value }
      },
    }
  }

  return {
    over: (base) => ({
      ...base,
      get(store, key) {
        try {
          return base.get(store, key)
        } catch (error) {
          throw noted(error)
        }
      },
      has(store, key) {
        try {
          return base.has(store, key)
        } catch (error) {
          throw noted(error)
        }
      },
      iterate: (store, range) => watched(base.iterate(store, range)),
    }),
    isToBlame: (error) =>
      (typeof error === 'object' && error !== null && failures.has(error)) ||
      (error instanceof RangeError && NO_MEMORY.test(error.message)),
  }
}
