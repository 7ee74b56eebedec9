/** Pruning of a stopped chain: up to a height, or up to a time. */
import { storesOf } from '../../app/stores.ts'
import { createIdentity } from '../../identity/identity.ts'
import { openBlockIndex } from '../../indexer/block-index.ts'
import type { BlockIndex } from '../../indexer/types.ts'
import { queryError } from '../../primitives/errors.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import { readTip } from '../../store/history/heights.ts'
import { pruneBefore } from '../../store/history/prune-range.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { openBackend } from '../backend.ts'
import { diskFiles } from '../files.ts'
import type { HomePaths } from '../home-paths.ts'
import { profileOfHome } from '../home-record.ts'
import { requireDatabase } from '../lost-chain.ts'

/** The heights to keep: from a height on, or those of blocks after a time, Unix milliseconds. */
export type PruneTarget = { readonly height: number } | { readonly afterMs: number }

export interface Pruned {
  /** First height that answered queries before, and that does now. */
  readonly from: number
  readonly to: number
}

/**
 * Removes the state of old heights; blocks and receipts stay. The caller holds the lock of the home. `onProgress` receives the
 * heights that are pruned, and those to prune. Rejects with `outOfRange` for a height that the chain has not reached.
 */
export async function pruneHome(
  paths: HomePaths,
  target: PruneTarget,
  onProgress: (done: number, total: number) => void,
): Promise<Pruned> {
  const stores = storesOf(createIdentity(profileOfHome(paths, diskFiles)))
  requireDatabase(paths, diskFiles)
  const backend = await openBackend({ path: paths.data })
  try {
    // Opening checks that trees and state belong together, and removes what a crash has left.
    const store = openVersionedStore(backend, stores)
    const tip = readTip(backend)
    const blocks = openBlockIndex(backend, () => store.latestHeight())
    const height = 'height' in target ? target.height : firstAfter(blocks, tip.earliest, tip.height, target.afterMs)
    if (height > tip.height)
      throw queryError('outOfRange', `height ${height} is not reached: the latest height is ${tip.height}`)
    for (const logFrom of pruneBefore(backend, height))
      onProgress(Math.max(0, logFrom - tip.logFrom), Math.max(0, height - tip.logFrom))
    return { from: tip.earliest, to: readTip(backend).earliest }
  } finally {
    await backend.close()
  }
}

/** Returns the first height whose block is after a time; the latest if none is. */
function firstAfter(blocks: BlockIndex, earliest: number, latest: number, afterMs: number): number {
  let [low, high] = [earliest, latest]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = blocks.header(BigInt(middle))
    if (found && Number(found.header.timeNs / NS_PER_MS) > afterMs) high = middle
    else low = middle + 1
  }
  return low
}
