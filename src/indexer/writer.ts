/** The rows that a block adds to the local tables, in the same commit as its state. */
import type { StoredBlock, Validator } from '../app/records.ts'
import { encodeUint64 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import type { Tables, TableWrite } from '../store/types.ts'
import {
  type BlockBody,
  encodeBlockBody,
  encodePosition,
  encodeReceipts,
  encodeResults,
  encodeValidators,
} from './encoding.ts'
import { openPostings, type SegmentLimits } from './segments.ts'
import {
  BLOCK_HASHES,
  BLOCKS,
  EVM_TX_POSITIONS,
  RECEIPTS,
  RESTORED_BLOCKS,
  RESULTS,
  TX_POSITIONS,
  VALIDATORS,
} from './tables.ts'
import { termsOf } from './terms.ts'

/** Length of a hash in a key: long enough against collisions. */
const HASH_KEY_LENGTH = 16

export const hashKey = (hash: Uint8Array): Uint8Array => hash.subarray(0, HASH_KEY_LENGTH)

export interface Indexer {
  /**
   * Returns the rows of a block. Must be called once per block, in order, since the indexer collects terms for the next
   * segment.
   */
  rows(block: StoredBlock, txHashes?: readonly Uint8Array[]): TableWrite[]
}

/** Opens the indexer of a store, which continues after the last indexed block. */
export function openIndexer(tables: Tables, limits?: SegmentLimits): Indexer {
  const postings = openPostings(tables, limits)
  return {
    rows(block, txHashes) {
      return [...blockRows(block), ...placeRows(block, txHashes), ...postings.add(block.header.height, termsOf(block))]
    },
  }
}

/** Returns the rows of the block itself, which cannot be rebuilt. */
export function blockRows(block: StoredBlock): TableWrite[] {
  const { height } = block.header
  const key = encodeUint64(height)
  const rows: TableWrite[] = [{ table: BLOCKS, key, value: encodeBlockBody(block) }]
  if (block.results.length > 0 || block.blockEvents.length > 0) {
    rows.push({ table: RESULTS, key, value: encodeResults(block, { height, hash: block.hash, evmTxs: block.evmTxs }) })
  }
  if (block.evmTxs.length > 0) rows.push({ table: RECEIPTS, key, value: encodeReceipts(block.evmTxs) })
  return rows
}

/** Returns the row of a block whose state was restored from a snapshot. */
export function restoredBlockRow(block: BlockBody): TableWrite {
  return { table: RESTORED_BLOCKS, key: encodeUint64(block.header.height), value: encodeBlockBody(block) }
}

/** Returns the rows from hashes to heights and indexes. */
function placeRows(block: StoredBlock, txHashes: readonly Uint8Array[] = block.txs.map(sha256)): TableWrite[] {
  const { height } = block.header
  const rows: TableWrite[] = [{ table: BLOCK_HASHES, key: hashKey(block.hash), value: encodeUint64(height) }]
  txHashes.forEach((hash, index) => {
    rows.push({ table: TX_POSITIONS, key: hashKey(hash), value: encodePosition(height, index) })
  })
  for (const { hash, evmIndex } of block.evmTxs) {
    rows.push({ table: EVM_TX_POSITIONS, key: hashKey(hash), value: encodePosition(height, evmIndex) })
  }
  return rows
}

/** Maximum number of blocks between validator-set rows. It bounds the proposer rotations of a lookup. */
export const MAX_ROTATIONS = 1000n

/** Returns the row of a validator set that is in force from a height. */
export function validatorRow(height: bigint, validators: readonly Validator[]): TableWrite {
  return { table: VALIDATORS, key: encodeUint64(height), value: encodeValidators(validators) }
}

/** Returns the rows of a block in the derived tables, for `rebuild`. */
export function derivedRows(block: StoredBlock): TableWrite[] {
  return placeRows(block)
}
