/**
 * Where everything lies in linear memory. `src/store/tree/tree-program.ts` says the same to the host: change both.
 *
 *    8 Ki  lanes of SHA-256, then what waits in them
 *   13 Ki  what else is known between two calls, and the trees that are to be written
 *   16 Ki  lists of free room for keys
 *   32 Ki  the batch: addresses of its changes, and those that are not plain new values
 *   96 Ki  nodes and pages that the host is to hear of
 *  512 Ki  the changes of the batch
 * 1536 Ki  a page that is read
 * 1664 Ki  pages that are written
 * 1920 Ki  nodes that are to be freed
 * 2176 Ki  nodes and keys, up to the end
 *
 * What is known between two calls is here and in no variable: two threads with an instance each may call in turn.
 */

/** For messages of 1 to 4 blocks four lanes each, 256 bytes apart. */
export const LANES: usize = 0x2000
/** u32 cells by the blocks of a message: how many wait, and four places for their digests. */
export const WAITING: usize = 0x3000
/** 32 bytes for digests of lanes that are empty. */
export const NOWHERE: usize = 0x3100
/** u32 cells by height: the first of the nodes to be hashed. */
export const LEVELS: usize = 0x3200
/** u32 cells, zero at first: one for each name here. */
const STATE: usize = 0x3400
export const ROOM_TAKEN: usize = STATE
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
export const KEPT: usize = STATE + 44
export const LISTED_ROOT: usize = STATE + 48
export const IS_LISTING: usize = STATE + 52

/** Three u32 cells for each tree that is to be written: its root, the first of its changes in CHANGES, and how many they are. */
export const WRITES: usize = 0x3800
/** u32 cells by the room that a key takes, in units of 8 bytes: the first of those that are free. */
export const FREE_KEYS: usize = 0x4000

/** u32 cells: the address of each change of the batch. */
export const CHANGES: usize = 0x8000
/** u32 cells: which changes insert or remove a key, by their place in CHANGES. */
export const OTHERS: usize = 0x10000
/** u32 cells: nodes that writes replaced and older trees hold, and how many fit. */
export const REPLACED: usize = 0x18000
export const MAX_REPLACED: u32 = 0x10000
/** u32 cells: pages that the latest trees do without, and how many fit. */
export const DROPPED: usize = 0x58000
export const MAX_DROPPED: u32 = 0xa000

/** Changes one behind the other, at addresses that 8 divides; see `change.ts`. */
export const BATCH: usize = 0x80000
/** A page as it was read. */
export const PAGE: usize = 0x180000
/** Pages one behind the other: u32 number, u32 length, bytes. The next is begun while there is room for the longest. */
export const PAGES: usize = 0x1a0000
export const PAGES_FULL: usize = 0x1c0000
/** i32 cells: nodes that are to be freed. */
export const FREED: usize = 0x1e0000
/** From here on nodes and keys. */
export const START: usize = 0x220000
