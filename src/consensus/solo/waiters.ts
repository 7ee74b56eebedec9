/** Clients that wait for a transaction to be in a committed block. */
import { toKey } from '../../primitives/bytes.ts'
import type { Admission, Inclusion } from '../driver.ts'

type Outcome =
  | { readonly included: Inclusion }
  /** The transaction left the pool without a block, because it no longer passes admission. */
  | { readonly dropped: Admission }

export interface Waiters {
  /** Resolves with the outcome of the transaction. Rejects if the node stops first. */
  wait(hash: Uint8Array): Promise<Outcome>
  settle(hash: Uint8Array, outcome: Outcome): void
  rejectAll(error: Error): void
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, { resolve: (outcome: Outcome) => void; reject: (error: Error) => void }[]>()
  return {
    wait(hash) {
      return new Promise((resolve, reject) => {
        const key = toKey(hash)
        const others = waiting.get(key)
        if (others) others.push({ resolve, reject })
        else waiting.set(key, [{ resolve, reject }])
      })
    },
    settle(hash, outcome) {
      const key = toKey(hash)
      for (const { resolve } of waiting.get(key) ?? []) resolve(outcome)
      waiting.delete(key)
    },
    rejectAll(error) {
      for (const group of waiting.values()) for (const { reject } of group) reject(error)
      waiting.clear()
    },
  }
}
