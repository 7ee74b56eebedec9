/**
 * The byte arrays of transactions that this process has. An engine sends a transaction several times, to the pool, in a proposal and in a
 * block, each time as another array. What was decoded and recovered from it is cached by the array, so all uses get the first.
 */
import { toKey } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'

interface KnownTx {
  readonly bytes: Uint8Array
  /** sha256 of the bytes, 32 bytes. */
  readonly hash: Uint8Array
}

export interface KnownTxs {
  /** Returns a transaction in its first array: that of the pool, or of the latest proposal. */
  of(bytes: Uint8Array): KnownTx
  /** Returns the transactions of a proposal, which are known until the next one. */
  propose(txs: readonly Uint8Array[]): readonly KnownTx[]
}

/** Returns the arrays that a pool has, and those of a proposal. */
export function createKnownTxs(pool: {
  readonly ofHash: (hash: Uint8Array) => { readonly bytes: Uint8Array } | undefined
}): KnownTxs {
  let proposed: ReadonlyMap<string, Uint8Array> = new Map()

  function of(bytes: Uint8Array): KnownTx {
    const hash = sha256(bytes)
    return { bytes: pool.ofHash(hash)?.bytes ?? proposed.get(toKey(hash)) ?? bytes, hash }
  }

  return {
    of,
    propose(txs) {
      const found = txs.map(of)
      proposed = new Map(found.map(({ bytes, hash }) => [toKey(hash), bytes]))
      return found
    },
  }
}
