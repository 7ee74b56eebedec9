/** Pruning of a store that nothing else has open, up to a height, in steps. */
import type { Backend } from '../backend/backend.ts'
import { readTip, tipRow } from './heights.ts'
import { prune } from './pruning.ts'

/** Heights that one transaction prunes. */
const PER_STEP = 32

/**
 * Removes the state of the heights before one. Each step is a transaction, so that an end between two leaves a whole store.
 * Yields the first height of the log after each; it stays behind the asked one, since the log begins at a checkpoint of the trees.
 */
export function* pruneBefore(backend: Backend, earliest: number): IterableIterator<number> {
  for (;;) {
    const before = readTip(backend)
    const { tip, rows } = prune(backend, before, before.height - earliest + 1, [], PER_STEP)
    let count = 0
    backend.write(
      (function* () {
        for (const row of rows) {
          count++
          yield row
        }
        yield tipRow(tip)
      })(),
    )
    if (count === 0 && tip.logFrom === before.logFrom) return
    yield tip.logFrom
  }
}
