/**
 * A thread that writes large batches to the trees while their owner does something else (ADR 0022). It is started when
 * blocks turn out to be large, and nobody waits for it that could do the work himself.
 */
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { TreeGround, TreeHost } from '../../store/tree/tree-program.ts'
import type { TreeHelper } from '../../store/tree/tree-writes.ts'
import {
  ASKING,
  CELLS,
  FAILED,
  FREED,
  IS_UP,
  OFFERED,
  OWN,
  pass,
  QUESTION,
  READ_PAGE,
  REFUSED,
  seeGrowth,
  TAKEN,
  TREES,
  type TreeWorkerData,
  TURN,
  VERSION,
} from './turns.ts'

/** With fewer changes, writing them takes hardly longer than waking a thread. */
const LEAST_CHANGES = 256
/** Blocks of so many after which the thread is started: the next will be as large. */
const BLOCKS_BEFORE = 4
/** A thread that is not heard of for so many waits of a second is lost. Waits are counted, as a machine may stand still. */
const MOST_WAITS = 120
const WAIT_MS = 1_000

/** Memory of the thread beside the trees, in MiB. */
const LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

interface Thread {
  readonly worker: Worker
  /** Why the writing failed. */
  error(): unknown
}

export interface HelperOptions {
  /** Processors of the machine. */
  readonly parallelism?: number
  readonly leastChanges?: number
  readonly blocksBefore?: number
  /** File of the thread's program. */
  readonly program?: string
  readonly mostWaits?: number
}

export function createTreeHelper(
  { memory, module }: TreeGround,
  { readPage, takeLists }: Pick<TreeHost, 'readPage' | 'takeLists'>,
  options: HelperOptions = {},
): TreeHelper & { isStarted(): boolean } {
  const {
    parallelism = availableParallelism(),
    leastChanges = LEAST_CHANGES,
    blocksBefore = BLOCKS_BEFORE,
    program = createRequire(import.meta.url).resolve('#build/trees-worker.cjs'),
    mostWaits = MOST_WAITS,
  } = options
  const cells = new Int32Array(new SharedArrayBuffer(CELLS * 4))
  let thread: Thread | undefined
  let isLost = parallelism < 2
  let largeBlocks = 0

  /** Where a thread is not to be had, their owner writes the trees. */
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
    // It ends in the middle of nothing: whoever waits for it counts his waits.
    worker.on('error', () => {
      isLost = true
    })
    return { worker, error: () => receiveMessageOnPort(port1)?.message ?? new Error('the trees could not be written') }
  }

  const turn = () => Atomics.load(cells, TURN)

  function answer(): void {
    const [question, a, b, c] = cells.subarray(QUESTION)
    if (question === READ_PAGE) readPage(a!)
    else takeLists(a!, b!, c!)
    pass(cells, memory, TAKEN)
  }

  /** Takes the trees back, if nobody has begun with them; else waits until the thread asks or has ended. */
  function wait(): boolean {
    if (Atomics.compareExchange(cells, TURN, OFFERED, OWN) === OFFERED) return false
    for (let waits = 0; turn() === TAKEN || turn() === REFUSED; waits++) {
      isLost ||= waits === mostWaits
      if (isLost) throw new Error('the thread that writes the trees does not answer')
      Atomics.wait(cells, TURN, turn(), WAIT_MS)
    }
    seeGrowth(cells, memory)
    return true
  }

  function takeBack(): void {
    while (wait() && turn() === ASKING) pass(cells, memory, REFUSED)
    if (turn() === FAILED) thread!.error()
    Atomics.store(cells, TURN, OWN)
  }

  return {
    offer([trees, version, freed], changes) {
      if (isLost || changes < leastChanges) return false
      if (!thread && ++largeBlocks === blocksBefore) thread = start()
      if (!thread || Atomics.load(cells, IS_UP) === 0) return false
      cells[TREES] = trees
      cells[VERSION] = version
      cells[FREED] = freed
      pass(cells, memory, OFFERED)
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
        if (turn() !== OWN) takeBack()
      }
    },
    takeBack,
    isStarted: () => thread !== undefined,
    async close() {
      isLost = true
      await thread?.worker.terminate()
    },
  }
}
