/** Proposals: the transactions of a block that this node proposes, and the judgement of another's. */
import { maxBlockBytes } from '../../modules/consensus/keeper.ts'
import { toKey } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { Executor } from '../execution.ts'
import type { Pool } from '../solo/pool.ts'
import type { KnownTxs } from './known-txs.ts'

export interface Proposals {
  /**
   * Returns the transactions of a block: the best price first, each sender's by nonce, within the gas of a block. `engineTxs` are
   * those of the engine's pool, `maxTxBytes` bounds their encoding in the block.
   */
  prepare(engineTxs: readonly Uint8Array[], maxTxBytes: bigint): readonly Uint8Array[]
  /**
   * Whether an honest proposer can have made a block of these transactions. All nodes agree on it, since it depends only on the
   * block and the state before it.
   */
  isHonest(txs: readonly Uint8Array[]): boolean
}

/** Returns the bytes of a transaction in a block: a tag, its length and itself. */
function bytesInBlock({ length }: Uint8Array): number {
  let varint = 1
  for (let rest = length; rest > 0x7f; rest = Math.floor(rest / 0x80)) varint++
  return 1 + varint + length
}

/** Returns the first transactions that fit into a block together. */
function fitting(txs: readonly Uint8Array[], maxBytes: number): readonly Uint8Array[] {
  let left = maxBytes
  const end = txs.findIndex((tx) => {
    left -= bytesInBlock(tx)
    return left < 0
  })
  return end < 0 ? txs : txs.slice(0, end)
}

interface Dependencies {
  readonly executor: Pick<Executor, 'tip' | 'checkState'>
  readonly pool: Pick<Pool, 'select' | 'ofHash' | 'offer'>
  readonly known: KnownTxs
  /**
   * Whether proposers can be nodes of another implementation, which orders transactions by arrival. The order and the gas of
   * their blocks are not judged.
   */
  readonly hasStrangers: () => boolean
}

export function createProposals({ executor, pool, known, hasStrangers }: Dependencies): Proposals {
  /** Whether the transactions of each signer follow one another, and their gas fits into the block. */
  function isInOrder(txs: readonly Uint8Array[]): boolean {
    const { maxGas } = executor.tip()
    const next = new Map<string, bigint>()
    let gas = 0n
    for (const bytes of txs) {
      const place = executor.checkState.placeOf(bytes)
      if (!place) return false
      gas += place.gasWanted
      if (maxGas > 0n && gas > maxGas) return false
      for (const { sender, nonce } of place.signers) {
        const expected = next.get(sender)
        if (expected !== undefined && nonce !== expected) return false
        next.set(sender, nonce + 1n)
      }
    }
    return true
  }

  function fits(txs: readonly Uint8Array[]): boolean {
    return txs.reduce((sum, tx) => sum + bytesInBlock(tx), 0) <= Number(maxBlockBytes(executor.tip()))
  }

  return {
    prepare(engineTxs, maxTxBytes) {
      // The engine's pool can have transactions that came before this process started.
      for (const tx of engineTxs) if (!pool.ofHash(sha256(tx))) pool.offer(tx)
      const { maxGas } = executor.tip()
      const maxBytes = Number(maxTxBytes)
      const selected = pool.select({ maxBytes, maxGas }).map(({ bytes }) => bytes)
      return fitting(selected, maxBytes)
    },
    isHonest(given) {
      if (!fits(given)) return false
      const proposed = known.propose(given)
      if (new Set(proposed.map(({ hash }) => toKey(hash))).size < given.length) return false
      const txs = proposed.map(({ bytes }) => bytes)
      if (hasStrangers()) return txs.every((tx) => executor.checkState.placeOf(tx) !== undefined)
      return isInOrder(txs)
    },
  }
}
