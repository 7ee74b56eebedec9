/** What the trees ask the host for. */

/** Puts the page that a node begins to PAGE and calls `takePage`. Throws if there is none. */
export declare function readPage(node: i32): void
/** Takes what is in REPLACED, DROPPED and PAGES, which then are empty. */
export declare function takeLists(replaced: u32, dropped: u32, pagesEnd: usize): void
/** The number of the next page. */
export declare function nextPage(): u32
/** Puts the SHA-256 of so many bytes, more than the lanes take, to `out`. */
export declare function digest(at: usize, length: u32, out: usize): void
/** Throws: there is no more memory. */
export declare function noMemory(): void
