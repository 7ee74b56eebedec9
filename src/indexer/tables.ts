/** Local tables beside the state: what can be derived from blocks, and the blocks themselves (D29). */
/** Height (8 bytes) to header, ids, transactions, commits. */
export const BLOCKS = 'block'
/** Height to transaction results and block events. */
export const RESULTS = 'results'
/** Height to EVM transactions with receipts and logs. */
export const RECEIPTS = 'receipts'
/** First 16 bytes of a transaction's hash to its place. */
export const TX_PLACES = 'tx'
/** First 16 bytes of an Ethereum hash to its place. */
export const EVM_TX_PLACES = 'evm_tx'
/** Block hash to height. */
export const BLOCK_HASHES = 'block_hash'
/** Height from which a validator set is in force to the set; written when it changes. */
export const VALIDATORS = 'validators'
/** Height to the terms of one block that no segment holds yet. */
export const FRESH_TERMS = 'fresh_terms'
/** First height to the last height of a segment. */
export const SEGMENTS = 'segments'
/** First height of a segment and first term of a page to the page. */
export const SEGMENT_PAGES = 'segment_pages'

/** What `almanac reindex` rebuilds from the blocks. */
export const DERIVED_TABLES: readonly string[] = [
  TX_PLACES,
  EVM_TX_PLACES,
  BLOCK_HASHES,
  FRESH_TERMS,
  SEGMENTS,
  SEGMENT_PAGES,
]
