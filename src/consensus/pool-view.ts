/** The view of a pool that gateways have, and the block that would be made of it now. The same for every engine. */
import { NS_PER_MS } from '../primitives/time.ts'
import type { PoolView } from './driver.ts'
import type { Pool } from './solo/pool.ts'
import { draft } from './solo/propose.ts'
import { roomForTxs, type Tip } from './tip.ts'

interface Dependencies {
  readonly pool: Pool
  readonly tip: () => Tip
  /** Returns the time of the block that would be made now. */
  readonly nextTimeNs: () => bigint
  /** Returns the validators whose keys this process has; none where another process signs. */
  readonly signers?: () => Parameters<typeof draft>[3]
}

/** Returns the room of the block after a tip. */
export const blockRoom = (before: Tip) => ({ maxBytes: roomForTxs(before), maxGas: before.maxGas })

export function createPoolView({ pool, tip, nextTimeNs, signers = () => [] }: Dependencies): PoolView {
  return {
    pending: pool.pending,
    pendingCount: pool.pendingCount,
    ofEvmHash: pool.ofEvmHash,
    ofSender: pool.ofSender,
    evmCounts: pool.evmCounts,
    hasReady: pool.hasReady,
    flush: pool.flush,
    version: pool.version,
    nextTimeNs,
    next(most) {
      const before = tip()
      const txs = most > 0 ? pool.select(blockRoom(before)).slice(0, most) : []
      const bytes = txs.map((tx) => tx.bytes)
      const { input, blockId } = draft(before, bytes, nextTimeNs(), signers())
      return { input, blockId, lastCommit: before.commit }
    },
  }
}

/** Returns the time of a block that an engine would make now: the clock's, but after that of the tip. Unit: nanoseconds. */
export const timeAfter = (tip: Tip, nowNs: bigint): bigint => {
  const least = tip.timeNs + NS_PER_MS
  return nowNs > least ? nowNs : least
}
