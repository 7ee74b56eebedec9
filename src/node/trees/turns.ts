/**
 * How two threads take turns at the trees of one memory. What one has written there the other sees once it has seen the
 * turn that came after it.
 */
import type { MessagePort } from 'node:worker_threads'
import { MEMORY_UNIT, type TreeGround, type TreeMemory } from '../../store/tree/tree-program.ts'

/** Whose turn it is: what stands in the cell `TURN`. */
export const [
  /** The thread that owns the trees does as it likes. */
  OWN,
  /** Trees are to be written, by who takes them first. */
  OFFERED,
  /** The other thread writes them. */
  TAKEN,
  /** It waits for an answer. */
  ASKING,
  /** The answer was an error. */
  REFUSED,
  /** The trees are written. */
  DONE,
  /** They are not; the error has been posted. */
  FAILED,
] = [0, 1, 2, 3, 4, 5, 6] as const

/** Cells by their index, and how many there are. */
export const TURN = 0
/** Not zero when the other thread has come up. */
export const IS_UP = 1
/** Units of memory that there are, as far as who gave the turn away knows. */
const UNITS = 2
export const TREES = 3
export const VERSION = 4
export const FREED = 5
/** What is asked: one of the questions, and up to three numbers. */
export const QUESTION = 6
export const CELLS = 10

/** Questions are the calls of the program's host. */
export const [READ_PAGE, TAKE_LISTS] = [0, 1] as const

/** What the other thread begins with. */
export interface TreeWorkerData extends TreeGround {
  readonly cells: Int32Array
  /** Where it posts errors. */
  readonly errors: MessagePort
}

/** Gives the turn away. */
export function pass(cells: Int32Array, memory: TreeMemory, turn: number): void {
  cells[UNITS] = memory.buffer.byteLength / MEMORY_UNIT
  Atomics.store(cells, TURN, turn)
  Atomics.notify(cells, TURN)
}

/** Takes note of memory that the other thread has added. */
export function seeGrowth(cells: Int32Array, memory: TreeMemory): void {
  if (cells[UNITS]! > memory.buffer.byteLength / MEMORY_UNIT) memory.grow(0)
}
