/**
 * The policy for reopening the database file. Every page that is read stays mapped, and counts as memory of the process, until
 * the file is closed. Reopening takes one or two milliseconds, and then a page fault for each page that is read again. So it
 * happens only when much is mapped, and at most every 250 ms, because each block can read pages that no other block reads.
 */
import { residentMemory } from './resident-memory.ts'

/** Bytes mapped since the last opening that make a reopening due. */
const MAPPED_LIMIT = 16 * 2 ** 20
/** Minimum time between two openings. */
const MIN_OPEN_MS = 250
/** Rows written between two samples of the mapped memory. A sample costs as much as a few rows. */
const ROWS_PER_SAMPLE = 500
/** Rows written between two openings on a system that does not report mapped memory. */
const ROWS_PER_OPENING = 10_000

export interface ReopenFacts {
  /** Monotonic clock, milliseconds. */
  readonly elapsed?: () => number
  /** Bytes of mapped files; undefined if the system does not report them. */
  readonly mappedBytes?: () => number | undefined
}

export interface ReopenPolicy {
  /** Records that the file is about to be opened. */
  onOpen(): void
  /** Counts a written row. */
  countRow(): void
  /** Whether the file is due to be reopened. Samples the mapped memory at most once per `ROWS_PER_SAMPLE` rows. */
  isDue(): boolean
}

export function createReopenPolicy(facts: ReopenFacts): ReopenPolicy {
  const { elapsed = () => performance.now(), mappedBytes = () => residentMemory()?.mappedBytes } = facts
  let openedAt = 0
  let mappedBefore = 0
  let rows = 0
  let nextSample = ROWS_PER_SAMPLE
  return {
    onOpen() {
      openedAt = elapsed()
      mappedBefore = mappedBytes() ?? 0
      rows = 0
      nextSample = ROWS_PER_SAMPLE
    },
    countRow() {
      rows++
    },
    isDue() {
      if (rows < nextSample || elapsed() - openedAt < MIN_OPEN_MS) return false
      const mapped = mappedBytes()
      nextSample = mapped === undefined ? ROWS_PER_OPENING : rows + ROWS_PER_SAMPLE
      return mapped === undefined ? rows >= ROWS_PER_OPENING : mapped - mappedBefore >= MAPPED_LIMIT
    },
  }
}
