/**
 * The transactions that clients have handed to this node and that wait: they are kept outside the process, so that one which was
 * acknowledged is not lost if the process is killed before its peers have it.
 */
import { toKey } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'

/** A place for waiting transactions that survives the end of the process. */
export interface TxJournal {
  /** Returns the kept transactions by arrival. */
  read(): readonly Uint8Array[]
  /** Keeps a further one. */
  add(tx: Uint8Array): void
  /** Keeps these alone. */
  replace(txs: readonly Uint8Array[]): void
}

/** Kept transactions beyond those that wait, from which on the journal is written again. */
const MOST_STALE = 1000

export interface KeptTxs {
  /** Keeps a transaction that was admitted. Throws `unavailable` if it cannot be kept: it must not be acknowledged then. */
  add(hash: Uint8Array, tx: Uint8Array): void
  /** Forgets those that no longer wait. Call it after each block, which a journal that fails does not undo. */
  settle(): void
  /** Offers those of an earlier process to the pool, once. */
  restore(): void
}

interface Dependencies {
  readonly journal: TxJournal
  /** Whether a transaction waits in the pool. */
  readonly waits: (hash: Uint8Array) => boolean
  /** Offers a transaction to the pool. Returns its hash if it was admitted. */
  readonly offer: (tx: Uint8Array) => Uint8Array | undefined
  /** Called with the error of a journal that could not be written. */
  readonly onFailure: (error: unknown) => void
}

export function createKeptTxs({ journal, waits, offer, onFailure }: Dependencies): KeptTxs {
  /** Those that wait, by hash. */
  const kept = new Map<string, { readonly hash: Uint8Array; readonly tx: Uint8Array }>()
  let former: readonly Uint8Array[] | undefined = journal.read()
  /** Number of transactions in the journal. */
  let written = former.length

  function rewrite(): void {
    const txs = [...(former ?? []), ...[...kept.values()].map(({ tx }) => tx)]
    try {
      journal.replace(txs)
      written = txs.length
    } catch (error) {
      // It has more than it should, and is written again after the next block.
      onFailure(error)
    }
  }

  return {
    add(hash, tx) {
      const key = toKey(hash)
      if (kept.has(key)) return
      try {
        journal.add(tx)
      } catch (error) {
        onFailure(error)
        throw queryError('unavailable', 'the transaction waits, but this node cannot keep it over a restart')
      }
      written++
      kept.set(key, { hash, tx })
    },
    settle() {
      for (const [key, { hash }] of kept) if (!waits(hash)) kept.delete(key)
      const waiting = kept.size + (former?.length ?? 0)
      if (written > 0 && (waiting === 0 || written - waiting > MOST_STALE)) rewrite()
    },
    restore() {
      if (!former) return
      const txs = former
      former = undefined
      if (txs.length === 0) return
      for (const tx of txs) {
        const hash = offer(tx)
        if (hash) kept.set(toKey(hash), { hash, tx })
      }
      rewrite()
    },
  }
}

/** Keeps nothing, for a chain that ends with its process. */
export const NO_JOURNAL: TxJournal = { read: () => [], add: () => undefined, replace: () => undefined }
