/**
 * When the file of the database is to be opened anew. Every page that is read stays mapped, and counts as memory of the process,
 * until the file is closed. To open it takes one or two milliseconds, and each page that is read again a fault: so it is
 * done when much is mapped, and not all the time where each block reads pages of its own.
 */
import { residentMemory } from './resident-memory.ts'

/** Bytes that may come to be mapped while the file is open. */
const MOST_MAPPED = 16 * 2 ** 20
/** For how long it stays open at the least. */
const LEAST_MS = 250
/** Rows between two looks at the memory, which cost as much as a few rows. */
const ROWS_PER_LOOK = 500
/** Where the system does not tell what is mapped. */
const ROWS_PER_OPENING = 10_000

export interface OpeningFacts {
  /** Monotonic clock, milliseconds. */
  readonly elapsed?: () => number
  /** Bytes of files that are mapped; undefined where the system does not tell. */
  readonly mappedBytes?: () => number | undefined
}

export interface Openings {
  /** The file is about to be opened. */
  begin(): void
  /** A row was written. */
  count(): void
  /** Whether the file is to be closed. */
  isDue(): boolean
}

export function createOpenings(facts: OpeningFacts): Openings {
  const { elapsed = () => performance.now(), mappedBytes = () => residentMemory()?.mappedBytes } = facts
  let openedAt = 0
  let mappedBefore = 0
  let rows = 0
  let nextLook = ROWS_PER_LOOK
  return {
    begin() {
      openedAt = elapsed()
      mappedBefore = mappedBytes() ?? 0
      rows = 0
      nextLook = ROWS_PER_LOOK
    },
    count() {
      rows++
    },
    isDue() {
      if (rows < nextLook || elapsed() - openedAt < LEAST_MS) return false
      const mapped = mappedBytes()
      nextLook = mapped === undefined ? ROWS_PER_OPENING : rows + ROWS_PER_LOOK
      return mapped === undefined ? rows >= ROWS_PER_OPENING : mapped - mappedBefore >= MOST_MAPPED
    },
  }
}
