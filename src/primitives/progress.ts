/** Progress of long work, as counts. The clock and the terminal are with those who show it. */

/**
 * Receives the part that is done, which only grows, and the whole; `also` has counts without a known end, by name. A report must not
 * change the work.
 */
export type Report = (done: number, total: number, also?: Readonly<Record<string, number>>) => void

/** Begins the report of some work, such as `entries imported`. */
export type Progress = (what: string) => Report
