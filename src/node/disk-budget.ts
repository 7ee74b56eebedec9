/** The budget of a replica's database: beyond it, commits prune the state of the oldest heights. */
import type { ChainEvents } from '../consensus/driver.ts'
import type { VersionedStore } from '../store/versioned.ts'
import type { Log } from './log.ts'

/**
 * Part of the budget that rows can use. The rest is for pages that removed rows have left, and for those of the commit that is
 * being written.
 */
const USED_PART = 0.85
/** Heights that stay however small the budget is. */
const FEWEST_HEIGHTS = 1000

export interface BudgetParts {
  readonly store: Pick<VersionedStore, 'usedBytes' | 'pruneOldest' | 'earliestHeight'>
  readonly onBlock: ChainEvents['onBlock']
  readonly maxBytes: number
  readonly log: Log
}

/**
 * Keeps the database within its budget. A commit prunes a few heights only, so that a lowered budget is reached over many blocks.
 * Logs each pruning, and once that the budget is too small. Returns the function that ends it.
 */
export function keepWithin({ store, onBlock, maxBytes, log }: BudgetParts): () => void {
  const most = maxBytes * USED_PART
  let warned = false
  return onBlock(() => {
    const usedBytes = store.usedBytes()
    if (usedBytes <= most) {
      warned = false
      return
    }
    const from = store.earliestHeight()
    const earliest = store.pruneOldest(FEWEST_HEIGHTS)
    if (earliest !== undefined) {
      log('info', 'prunes the oldest state for follow.max_disk', { from, earliest, used_bytes: usedBytes })
    } else if (usedBytes > maxBytes && !warned) {
      warned = true
      log(
        'warn',
        'the database is larger than follow.max_disk, and the state of the oldest heights is all that can be pruned',
        {
          used_bytes: usedBytes,
          max_bytes: maxBytes,
          earliest: from,
        },
      )
    }
  })
}
