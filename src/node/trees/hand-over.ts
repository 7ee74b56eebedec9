/**
 * The protocol by which two threads hand the trees of one memory to each other. A thread sees the other's writes to memory once
 * it has read the state that the other stored after them.
 */
import type { MessagePort } from 'node:worker_threads'
import { MEMORY_UNIT, type TreeMemory, type TreeRuntime } from '../../store/tree/tree-program.ts'

/** Values of the cell `STATE`, each with the thread that uses the trees. */
export const [
  /** The owner of the trees uses them. */
  OWN,
  /** Neither thread uses them: the helper thread can take them, and the owner can withdraw them. */
  OFFERED,
  /** The helper thread writes them. */
  TAKEN,
  /** The helper thread waits for an answer. */
  ASKING,
  /** The owner answered with an error. */
  REFUSED,
  /** The trees are written. */
  DONE,
  /** The write failed; the error is posted. */
  FAILED,
] = [0, 1, 2, 3, 4, 5, 6] as const

/** Indexes of the cells, and their number. */
export const STATE = 0
/** The cell that is not zero once the helper thread is ready. */
export const IS_UP = 1
/** The cell with the size of memory in WebAssembly pages, as read by the thread that handed over. */
const UNITS = 2
export const TREES = 3
export const VERSION = 4
export const FREED = 5
/** The first of four cells of a question: its kind, and up to three numbers. */
export const QUESTION = 6
export const CELLS = 10

/** Kinds of questions: the calls of the program to its host. */
export const [READ_PAGE, RECEIVE_LISTS] = [0, 1] as const

/** The data with which the helper thread starts. */
export interface TreeWorkerData extends TreeRuntime {
  readonly cells: Int32Array
  /** The port for errors. */
  readonly errors: MessagePort
}

/** Stores a state and wakes the other thread. */
export function handOver(cells: Int32Array, memory: TreeMemory, state: number): void {
  cells[UNITS] = memory.buffer.byteLength / MEMORY_UNIT
  Atomics.store(cells, STATE, state)
  Atomics.notify(cells, STATE)
}

/** Refreshes the memory's buffer if the other thread has grown the memory. */
export function refreshMemory(cells: Int32Array, memory: TreeMemory): void {
  if (cells[UNITS]! > memory.buffer.byteLength / MEMORY_UNIT) memory.grow(0)
}
