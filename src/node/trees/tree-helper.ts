/**
 * A thread that writes large batches to the trees while their owner does other work (ADR 0022). It starts after several large
 * blocks. The owner never waits for an idle thread: it writes the trees itself.
 */
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { TreeHost, TreeRuntime } from '../../store/tree/tree-program.ts'
import type { TreeHelper } from '../../store/tree/tree-writes.ts'
import {
  ASKING,
  CELLS,
  FAILED,
  FREED,
  IS_UP,
  OFFERED,
  OWN,
  passTurn,
  QUESTION,
  READ_PAGE,
  REFUSED,
  refreshMemory,
  TAKEN,
  TREES,
  type TreeWorkerData,
  TURN,
  VERSION,
} from './turns.ts'

/** With fewer changes, a write takes hardly longer than waking a thread. */
const MIN_CHANGES = 256
/** Number of large blocks after which the thread starts: the next ones are probably large too. */
const BLOCKS_BEFORE = 4
/**
 * Number of waits of a second after which a silent thread counts as lost. Waits are counted, since a machine can be
 * suspended.
 */
const MAX_WAITS = 120
const WAIT_MS = 1_000

/** JavaScript memory of the thread in MiB. The trees are outside it. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

interface Thread {
  readonly worker: Worker
  /** Returns the error of the last write. */
  error(): unknown
}

export interface HelperOptions {
  /** Number of processors. */
  readonly parallelism?: number
  readonly minChanges?: number
  readonly blocksBefore?: number
  /** Path of the thread's script. */
  readonly program?: string
  readonly maxWaits?: number
}

export function createTreeHelper(
  { memory, module }: TreeRuntime,
  { readPage, receiveLists }: Pick<TreeHost, 'readPage' | 'receiveLists'>,
  options: HelperOptions = {},
): TreeHelper & { isStarted(): boolean } {
  const {
    parallelism = availableParallelism(),
    minChanges = MIN_CHANGES,
    blocksBefore = BLOCKS_BEFORE,
    program = createRequire(import.meta.url).resolve('#build/trees-worker.cjs'),
    maxWaits = MAX_WAITS,
  } = options
  const cells = new Int32Array(new SharedArrayBuffer(CELLS * 4))
  let thread: Thread | undefined
  let isLost = parallelism < 2
  let largeBlocks = 0

  /** Starts the thread. If that fails, the owner writes all trees. */
  function start(): Thread | undefined {
    const { port1, port2 } = new MessageChannel()
    const workerData: TreeWorkerData = { module, memory, cells, errors: port2 }
    const options = { workerData, transferList: [port2], execArgv: [], resourceLimits: LIMITS }
    let worker: Worker
    try {
      worker = new Worker(program, options)
    } catch {
      isLost = true
      return undefined
    }
    worker.unref()
    // The error is not thrown here: `wait` notices that the thread is lost.
    worker.on('error', () => {
      isLost = true
    })
    return { worker, error: () => receiveMessageOnPort(port1)?.message ?? new Error('the trees could not be written') }
  }

  const turn = () => Atomics.load(cells, TURN)

  function answer(): void {
    const [question, a, b, c] = cells.subarray(QUESTION)
    if (question === READ_PAGE) readPage(a!)
    else receiveLists(a!, b!, c!)
    passTurn(cells, memory, TAKEN)
  }

  /**
   * Withdraws the trees and returns false if the thread has not started. Otherwise waits until it asks or ends, and
   * returns true.
   */
  function wait(): boolean {
    if (Atomics.compareExchange(cells, TURN, OFFERED, OWN) === OFFERED) return false
    for (let waits = 0; turn() === TAKEN || turn() === REFUSED; waits++) {
      isLost ||= waits === maxWaits
      if (isLost) throw new Error('the thread that writes the trees does not answer')
      Atomics.wait(cells, TURN, turn(), WAIT_MS)
    }
    refreshMemory(cells, memory)
    return true
  }

  function cancel(): void {
    while (wait() && turn() === ASKING) passTurn(cells, memory, REFUSED)
    if (turn() === FAILED) thread!.error()
    Atomics.store(cells, TURN, OWN)
  }

  return {
    offer([trees, version, freed], changes) {
      if (isLost || changes < minChanges) return false
      if (!thread && ++largeBlocks === blocksBefore) thread = start()
      if (!thread || Atomics.load(cells, IS_UP) === 0) return false
      cells[TREES] = trees
      cells[VERSION] = version
      cells[FREED] = freed
      passTurn(cells, memory, OFFERED)
      return true
    },
    finish() {
      try {
        while (wait()) {
          if (turn() === ASKING) answer()
          else if (turn() === FAILED) throw thread!.error()
          else return true
        }
        return false
      } finally {
        if (turn() !== OWN) cancel()
      }
    },
    cancel,
    isStarted: () => thread !== undefined,
    async close() {
      isLost = true
      await thread?.worker.terminate()
    },
  }
}
