/** The layout of the tree program's memory. Generated from `trees/layout.ts` by `npm run build:evm`: do not edit. */

/** Four lanes, 256 bytes apart, for each length of messages from 1 to 4 blocks. */
export const LANES = 0x2000
/** u32 cells by message length in blocks: the number of waiting messages and the four addresses of their digests. */
export const WAITING = 0x3000
/** The 32 bytes that receive the digests of empty lanes. */
export const NOWHERE = 0x3100
/** u32 cells by height: the first node of the list of unhashed nodes. */
export const LEVELS = 0x3200
/** u32 cells, initially zero, one for each of the following names. */
const STATE = 0x3400
export const HEAP_USED = STATE
export const FREE_NODES = STATE + 4
export const LISTED_NODES = STATE + 8
export const FRESH_NODES = STATE + 12
export const FRESH_NODES_END = STATE + 16
export const NODE_COUNT = STATE + 20
export const KEY_SLAB = STATE + 24
export const KEY_SLAB_END = STATE + 28
export const REPLACED_COUNT = STATE + 32
export const DROPPED_COUNT = STATE + 36
export const PAGES_BYTES = STATE + 40
export const FROZEN = STATE + 44
export const LISTED_ROOT = STATE + 48
export const IS_LISTING = STATE + 52
/**
 * Three u32 cells for each tree to write: its root, the index of its first change in CHANGES, and the number of its
 * changes.
 */
export const WRITES = 0x3800
/** u32 cells by the size of a key in units of 8 bytes: the first free key of that size. */
export const FREE_KEYS = 0x4000
/** u32 cells: the address of each change of the batch. */
export const CHANGES = 0x8000
/** u32 cells: indexes in CHANGES of the changes that insert or remove a key. */
export const OTHERS = 0x10000
/** u32 cells: nodes that writes replaced and older trees still contain; and the capacity. */
export const REPLACED = 0x18000
export const MAX_REPLACED = 0x10000
/** u32 cells: pages that the latest trees no longer need; and the capacity. */
export const DROPPED = 0x58000
export const MAX_DROPPED = 0xa000
/** The changes of the batch, contiguous and aligned to 8 bytes; see `change.ts`. */
export const BATCH = 0x80000
/** The page being read. */
export const PAGE = 0x180000
/**
 * Written pages, contiguous: number (u32), length (u32), bytes. A new page starts only below PAGES_FULL, so that the
 * longest fits.
 */
export const PAGES = 0x1a0000
export const PAGES_FULL = 0x1c0000
/** i32 cells: nodes to free. */
export const FREED = 0x1e0000
/** The start of the heap. */
export const START = 0x220000
