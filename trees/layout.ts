/**
 * Where everything lies in linear memory. `src/store/tree-program.ts` says the same to the host: change both.
 *
 *    8 Ki  lanes of SHA-256, then what waits in them
 *   16 Ki  lists of free room for keys
 *   20 Ki  the batch: addresses of its changes, and those that are not plain new values
 *   36 Ki  nodes and pages that the host is to hear of
 *   80 Ki  the changes of the batch
 *  256 Ki  a page that is read
 *  384 Ki  pages that are written
 *  640 Ki  nodes and keys, up to the end
 */

/** For messages of 1 to 4 blocks four lanes each, 256 bytes apart. */
export const LANES: usize = 0x2000
/** u32 cells by the blocks of a message: how many wait, and four places for their digests. */
export const WAITING: usize = 0x3000
/** 32 bytes for digests of lanes that are empty. */
export const NOWHERE: usize = 0x3100
/** u32 cells by height: the first of the nodes to be hashed. */
export const LEVELS: usize = 0x3200
/** u32 cells by the room that a key takes, in units of 8 bytes: the first of those that are free. */
export const FREE_KEYS: usize = 0x4000

/** u32 cells: the address of each change of the batch. */
export const CHANGES: usize = 0x5000
/** u32 cells: which changes insert or remove a key, by their place in CHANGES. */
export const OTHERS: usize = 0x7000
/** u32 cells: nodes that writes replaced and older trees hold, and how many fit. */
export const REPLACED: usize = 0x9000
export const MAX_REPLACED: u32 = 8192
/** u32 cells: pages that the latest trees do without, and how many fit. */
export const DROPPED: usize = 0x11000
export const MAX_DROPPED: u32 = 3072

/** Changes one behind the other, at addresses that 8 divides; see `change.ts`. */
export const BATCH: usize = 0x14000
/** A page as it was read. */
export const PAGE: usize = 0x40000
/** Pages one behind the other: u32 number, u32 length, bytes. The next is begun while there is room for the longest. */
export const PAGES: usize = 0x60000
export const PAGES_FULL: usize = 0x80000
/** From here on nodes and keys. */
export const START: usize = 0xa0000
