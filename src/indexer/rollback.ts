/** Rollback: the rows that restore the tables after an earlier block. */
import type { StoredBlock } from '../app/records.ts'
import { decodeUint64, encodeUint64 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import type { Tables, TableWrite } from '../store/types.ts'
import { openBlockIndex } from './block-index.ts'
import { freshRow, truncatePostings } from './segments.ts'
import { BLOCK_HASHES, BLOCKS, EVM_TX_POSITIONS, RECEIPTS, RESULTS, TX_POSITIONS, VALIDATORS } from './tables.ts'
import { termsOf } from './terms.ts'
import { blockRows, derivedRows, hashKey } from './writer.ts'

/** Returns the rows that remove all blocks above `height` and their index entries. */
export function rollbackRows(tables: Tables, height: bigint): readonly TableWrite[] {
  return [...removals(tables, height)]
}

/** Returns the rows that put a block in the place of the latest one. The indexer must be opened again afterwards. */
export function replacingRows(before: StoredBlock, block: StoredBlock): readonly TableWrite[] {
  return [...rowsOf(before), ...blockRows(block), ...derivedRows(block), freshRow(block.header.height, termsOf(block))]
}

function* removals(tables: Tables, height: bigint): IterableIterator<TableWrite> {
  const blocks = openBlockIndex(tables)
  for (const [key] of tables.iterate(BLOCKS, { start: encodeUint64(height + 1n) })) {
    const block = blocks.block(decodeUint64(key))
    if (block) yield* rowsOf(block)
  }
  // Sets that were in force, or already decided, after the block at `height` stay.
  for (const [key] of tables.iterate(VALIDATORS, { start: encodeUint64(height + 3n) })) {
    yield { table: VALIDATORS, key: key.slice(), value: undefined }
  }
  yield* truncatePostings(tables, height, (at) => termsOf(blocks.block(at)!))
}

function* rowsOf(block: StoredBlock): IterableIterator<TableWrite> {
  const key = encodeUint64(block.header.height)
  for (const table of [BLOCKS, RESULTS, RECEIPTS]) yield { table, key, value: undefined }
  yield { table: BLOCK_HASHES, key: hashKey(block.hash), value: undefined }
  for (const tx of block.txs) yield { table: TX_POSITIONS, key: hashKey(sha256(tx)), value: undefined }
  for (const { hash } of block.evmTxs) yield { table: EVM_TX_POSITIONS, key: hashKey(hash), value: undefined }
}
