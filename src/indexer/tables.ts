/** Local tables beside the state: the blocks themselves, and indexes derived from them (D29). */
import type { TableDeclaration } from '../store/backend/backend.ts'

/** Height (8 bytes) to header, ids, transactions, commits. */
export const BLOCKS = 'block'
/** Height to transaction results and block events. */
export const RESULTS = 'results'
/** Height to EVM transactions with receipts and logs. */
export const RECEIPTS = 'receipts'
/** First 16 bytes of a transaction's hash to its height and index. */
export const TX_POSITIONS = 'tx'
/** First 16 bytes of an Ethereum hash to the transaction's height and index. */
export const EVM_TX_POSITIONS = 'evm_tx'
/** Block hash to height. */
export const BLOCK_HASHES = 'block_hash'
/** Height of a restored state to the record of its block, of which only the header is known. At most one row. */
export const RESTORED_BLOCKS = 'restored_block'
/** First height of a validator set to the set. Written when it changes. */
export const VALIDATORS = 'validators'
/** Height to the terms of a block that is in no segment yet. */
export const FRESH_TERMS = 'fresh_terms'
/** First height to the last height of a segment. */
export const SEGMENTS = 'segments'
/** First height of a segment and first term of a page to the page. */
export const SEGMENT_PAGES = 'segment_pages'

export const INDEX_TABLES: readonly TableDeclaration[] = [
  { name: BLOCKS, placement: 'append' },
  { name: RESULTS, placement: 'append' },
  { name: RECEIPTS, placement: 'append' },
  { name: VALIDATORS, placement: 'shared' },
  { name: RESTORED_BLOCKS, placement: 'shared' },
  { name: TX_POSITIONS, placement: 'shared', isDerived: true },
  { name: EVM_TX_POSITIONS, placement: 'shared', isDerived: true },
  { name: BLOCK_HASHES, placement: 'shared', isDerived: true },
  { name: FRESH_TERMS, placement: 'shared', isDerived: true },
  { name: SEGMENTS, placement: 'shared', isDerived: true },
  { name: SEGMENT_PAGES, placement: 'shared', isDerived: true },
]

/** The tables that `almanac reindex` rebuilds from the blocks. */
export const DERIVED_TABLES: readonly string[] = INDEX_TABLES.filter(({ isDerived }) => isDerived).map(
  ({ name }) => name,
)
