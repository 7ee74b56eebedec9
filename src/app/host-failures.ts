/**
 * Host failures: failing reads and exhausted memory. No other node has them, so they must never affect a transaction's
 * result (ADR 0021).
 */
import type { Entry, Reader } from '../store/types.ts'

export interface HostFailures {
  /** Returns a reader of the same state that marks the errors of its reads as host failures. */
  mark(base: Reader): Reader
  /** Whether an error was marked, or is a failed allocation. */
  includes(error: unknown): boolean
}

/** V8's messages about failed allocations: of arrays, of WebAssembly memory, of WebAssembly instances. */
const FAILED_ALLOCATION = /out of memory|allocation failed|could not allocate|unable to grow/i

/** Returns an object that detects the host failures of the readers that its `mark` returned. */
export function createHostFailures(): HostFailures {
  const marked = new WeakSet<object>()

  function markError(error: unknown): unknown {
    if (typeof error === 'object' && error !== null) marked.add(error)
    return error
  }

  function markingIterator(entries: IterableIterator<Entry>): IterableIterator<Entry> {
    return {
      [Symbol.iterator]() {
        return this
      },
      next() {
        try {
          return entries.next()
        } catch (error) {
          throw markError(error)
        }
      },
      return(value?: unknown) {
        entries.return?.()
        return { done: true, value }
      },
    }
  }

  return {
    mark: (base) => ({
      ...base,
      get(store, key) {
        try {
          return base.get(store, key)
        } catch (error) {
          throw markError(error)
        }
      },
      has(store, key) {
        try {
          return base.has(store, key)
        } catch (error) {
          throw markError(error)
        }
      },
      iterate: (store, range) => markingIterator(base.iterate(store, range)),
    }),
    includes: (error) =>
      (typeof error === 'object' && error !== null && marked.has(error)) ||
      (error instanceof RangeError && FAILED_ALLOCATION.test(error.message)),
  }
}
