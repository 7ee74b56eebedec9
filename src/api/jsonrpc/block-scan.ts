/** Searches that execute blocks again, one after the other, within the time budget of a call. */
import type { StoredBlock } from '../../app/records.ts'
import type { BlockIndex } from '../../indexer/types.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { ChainError } from '../../primitives/errors.ts'
import { DISCONNECTED } from '../disconnected.ts'
import { createSemaphore } from '../transport/semaphore.ts'
import { createSignalPause } from '../transport/slices.ts'
import type { RpcCall } from './method.ts'

/** Limits the concurrent searches of one node, so that most of the compute threads' time is left to others. */
const semaphoreOf = cachePerObject((_: BlockIndex) => createSemaphore({ permits: 2, queueLimit: 64 }))

/** Heights to search, both ends included. */
export interface ScanRange {
  readonly from: bigint
  readonly to: bigint
  /** Whether to begin with the highest one. */
  readonly reverse: boolean
}

/**
 * Visits the blocks with EVM transactions until a visit returns true. Resolves with the height of the block at which the time
 * ended; undefined if it did not. Rejects with `resourceExhausted` if too many searches wait, `cancelled` once the client has
 * left, and with the errors of `visit` other than `deadlineExceeded`.
 */
export async function scanBlocks(
  { node, signal }: Pick<RpcCall, 'node' | 'signal'>,
  range: ScanRange,
  visit: (block: StoredBlock, leftMs: number) => boolean | Promise<boolean>,
): Promise<bigint | undefined> {
  const release = await semaphoreOf(node.blocks).acquire()
  const deadline = node.now() + node.settings.evmTimeoutMs
  const pause = createSignalPause(signal())
  try {
    for (const height of node.blocks.evmHeights(range)) {
      await pause()
      if (signal().aborted) throw DISCONNECTED
      const leftMs = deadline - node.now()
      if (leftMs <= 0) return height
      const block = node.blocks.block(height)
      if (!block) continue
      try {
        if (await visit(block, leftMs)) return undefined
      } catch (error) {
        if (error instanceof ChainError && error.status === 'deadlineExceeded') return height
        throw error
      }
    }
    return undefined
  } finally {
    release()
  }
}
