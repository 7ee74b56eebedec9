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
  handOver,
  IS_UP,
  OFFERED,
  OWN,
  QUESTION,
  READ_PAGE,
  REFUSED,
  refreshMemory,
  STATE,
  TAKEN,
  TREES,
  type TreeWorkerData,
  VERSION,
} from './hand-over.ts'

/** Minimum number of changes of a batch: a smaller one takes little longer than waking a thread. */
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
    // The error is not thrown here: `wait` finds that the thread is lost.
    worker.on('error', () => {
      isLost = true
    })
    return { worker, error: () => receiveMessageOnPort(port1)?.message ?? new Error('the trees could not be written') }
  }

  const state = () => Atomics.load(cells, STATE)

  function answer(): void {
    const [question, a, b, c] = cells.subarray(QUESTION)
    if (question === READ_PAGE) readPage(a!)
    else receiveLists(a!, b!, c!)
    handOver(cells, memory, TAKEN)
  }

  /**
   * Withdraws the trees and returns false if the thread has not started. Otherwise waits for its next question or its
   * end, and returns true.
   */
  function wait(): boolean {
    if (Atomics.compareExchange(cells, STATE, OFFERED, OWN) === OFFERED) return false
    for (let waits = 0; state() === TAKEN || state() === REFUSED; waits++) {
      isLost ||= waits === maxWaits
      if (isLost)
        throw new Error(`the thread that writes the trees has not answered for ${(maxWaits * WAIT_MS) / 1_000} s`)
      Atomics.wait(cells, STATE, state(), WAIT_MS)
    }
    refreshMemory(cells, memory)
    return true
  }

  function cancel(): void {
    while (wait() && state() === ASKING) handOver(cells, memory, REFUSED)
    if (state() === FAILED) thread!.error()
    Atomics.store(cells, STATE, OWN)
  }

  return {
    offer([trees, version, freed], changes) {
      if (isLost || changes < minChanges) return false
      if (!thread && ++largeBlocks === blocksBefore) thread = start()
      if (!thread || Atomics.load(cells, IS_UP) === 0) return false
      cells[TREES] = trees
      cells[VERSION] = version
      cells[FREED] = freed
      handOver(cells, memory, OFFERED)
      return true
    },
    finish() {
      try {
        while (wait()) {
          if (state() === ASKING) answer()
          else if (state() === FAILED) throw thread!.error()
          else return true
        }
        return false
      } finally {
        if (state() !== OWN) cancel()
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
