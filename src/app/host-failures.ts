/**
 * Host failures: errors in a block that are no `ChainError`, and every error of a read. Another node can be without them, so
 * they must never affect a transaction's result (ADR 0021).
 */
import { formatHex } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import { isOfMachine } from '../primitives/host-errors.ts'
import type { Entry, Reader } from '../store/types.ts'

export interface HostFailures {
  /** Returns a reader of the same state that marks the errors of its reads. None of them is a `ChainError`. */
  mark(base: Reader): Reader
  /** Whether an error was marked, or is of the stack or of memory. */
  includes(error: unknown): boolean
}

/** Returns an object that detects the host failures of the readers that its `mark` returned. */
export function createHostFailures(): HostFailures {
  const marked = new WeakSet<object>()

  function markError(error: unknown): unknown {
    const failure = error instanceof ChainError ? new Error(error.message, { cause: error }) : error
    if (typeof failure === 'object' && failure !== null) marked.add(failure)
    return failure
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
    includes: (error) => (typeof error === 'object' && error !== null && marked.has(error)) || isOfMachine(error),
  }
}

/** Runs a transaction of a block. What it throws ends the block; the error names the transaction, for the operator. */
export function inTransaction<T>(height: bigint, tx: Uint8Array, run: () => T): T {
  try {
    return run()
  } catch (error) {
    const hash = formatHex(sha256(tx)).toUpperCase()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`transaction ${hash} of block ${height}: ${reason}`, { cause: error })
  }
}
