/**
 * The layout of linear memory. `npm run build:evm` generates the host's view, `src/store/tree/layout.ts`, from this file.
 *
 *    8 Ki  SHA-256 lanes, and the number of messages waiting in them
 *   13 Ki  other state between calls, and the trees to write
 *   16 Ki  free lists of keys
 *   32 Ki  the batch: addresses of its changes, and the changes that insert or remove a key
 *   96 Ki  replaced nodes and dropped pages to report to the host
 *  512 Ki  the changes of the batch
 * 1536 Ki  the page being read
 * 1664 Ki  written pages
 * 1920 Ki  nodes to free
 * 2176 Ki  the heap: nodes and keys, up to the end of memory
 *
 * All state between calls is in this memory and none in globals, so two threads with an instance each can call in turn.
 */

/** Four lanes, 256 bytes apart, for each length of messages from 1 to 4 blocks. */
export const LANES: usize = 0x2000
/** u32 cells by message length in blocks: the number of waiting messages and the four addresses of their digests. */
export const WAITING: usize = 0x3000
/** The 32 bytes that receive the digests of empty lanes. */
export const NOWHERE: usize = 0x3100
/** u32 cells by height: the first node of the list of unhashed nodes. */
export const LEVELS: usize = 0x3200
/** u32 cells, initially zero, one for each of the following names. */
const STATE: usize = 0x3400
export const HEAP_USED: usize = STATE
export const FREE_NODES: usize = STATE + 4
export const LISTED_NODES: usize = STATE + 8
export const FRESH_NODES: usize = STATE + 12
export const FRESH_NODES_END: usize = STATE + 16
export const NODE_COUNT: usize = STATE + 20
export const KEY_SLAB: usize = STATE + 24
export const KEY_SLAB_END: usize = STATE + 28
export const REPLACED_COUNT: usize = STATE + 32
export const DROPPED_COUNT: usize = STATE + 36
export const PAGES_BYTES: usize = STATE + 40
export const FROZEN: usize = STATE + 44
export const LISTED_ROOT: usize = STATE + 48
export const IS_LISTING: usize = STATE + 52

/**
 * Three u32 cells for each tree to write: its root, the index of its first change in CHANGES, and the number of its
 * changes.
 */
export const WRITES: usize = 0x3800
/** u32 cells by the size of a key in units of 8 bytes: the first free key of that size. */
export const FREE_KEYS: usize = 0x4000

/** u32 cells: the address of each change of the batch. */
export const CHANGES: usize = 0x8000
/** u32 cells: indexes in CHANGES of the changes that insert or remove a key. */
export const OTHERS: usize = 0x10000
/** u32 cells: nodes that writes replaced and older trees still contain; and the capacity. */
export const REPLACED: usize = 0x18000
export const MAX_REPLACED: u32 = 0x10000
/** u32 cells: pages that the latest trees no longer need; and the capacity. */
export const DROPPED: usize = 0x58000
export const MAX_DROPPED: u32 = 0xa000

/** The changes of the batch, contiguous and aligned to 8 bytes; see `change.ts`. */
export const BATCH: usize = 0x80000
/** The page being read. */
export const PAGE: usize = 0x180000
/**
 * Written pages, contiguous: number (u32), length (u32), bytes. A new page starts only below PAGES_FULL, so that the
 * longest fits.
 */
export const PAGES: usize = 0x1a0000
export const PAGES_FULL: usize = 0x1c0000
/** i32 cells: nodes to free. */
export const FREED: usize = 0x1e0000
/** The start of the heap. */
export const START: usize = 0x220000
