/** `almanac reindex`: rebuilds the derived tables from the blocks. */
import { decodeUint64, encodeUint64 } from '../primitives/bytes.ts'
import type { Tables, TableWrite } from '../store/types.ts'
import { openBlockIndex } from './block-index.ts'
import { openPostings } from './segments.ts'
import { BLOCKS, DERIVED_TABLES } from './tables.ts'
import { termsOf } from './terms.ts'
import { derivedRows } from './writer.ts'

/**
 * Yields batches of writes: first removals that empty the derived tables, then the rows of all stored blocks. Each batch must be
 * written before the next is requested. Returns the number of blocks. `onBlock` receives the number of blocks so far, and that of all.
 */
export function* rebuild(
  tables: Tables,
  batchRows = 10_000,
  onBlock: (done: number, total: number) => void = () => undefined,
): Generator<TableWrite[], number> {
  for (const table of DERIVED_TABLES) {
    for (;;) {
      const removals: TableWrite[] = []
      for (const [key] of tables.iterate(table)) {
        removals.push({ table, key: key.slice(), value: undefined })
        if (removals.length >= batchRows) break
      }
      if (removals.length === 0) break
      yield removals
    }
  }
  const index = openBlockIndex(tables)
  const postings = openPostings(tables)
  const latest = tables.iterate(BLOCKS, { reverse: true }).next()
  let batch: TableWrite[] = []
  let count = 0
  let total = 0
  let next = 0n
  for (;;) {
    const row = tables.iterate(BLOCKS, { start: encodeUint64(next) }).next()
    if (row.done) break
    const height = decodeUint64(row.value[0])
    const block = index.block(height)!
    batch.push(...derivedRows(block), ...postings.add(height, termsOf(block)))
    if (batch.length >= batchRows) {
      yield batch
      batch = []
    }
    count++
    // Blocks are stored without gaps.
    if (count === 1) total = Number(decodeUint64(latest.value![0]) - height) + 1
    onBlock(count, total)
    next = height + 1n
  }
  if (batch.length > 0) yield batch
  return count
}
