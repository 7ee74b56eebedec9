/** Functions of the host that the trees call. */

/** Writes the page that starts at a node to PAGE and calls `parsePage`. Throws if the page is missing. */
export declare function readPage(node: i32): void
/** Receives the contents of REPLACED, DROPPED and PAGES, which are empty afterwards. */
export declare function receiveLists(replaced: u32, dropped: u32, pagesEnd: usize): void
/** Returns the number of the next page. */
export declare function nextPage(): u32
/** Writes the SHA-256 of `length` bytes to `out`, for messages that are too long for the lanes. */
export declare function digest(at: usize, length: u32, out: usize): void
/** Throws because memory cannot grow. */
export declare function noMemory(): void
