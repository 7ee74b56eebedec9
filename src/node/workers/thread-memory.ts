/**
 * The memory of a compute thread. V8's own limit ends a thread only if the heap grows in small steps: one allocation of more
 * than 16 MB beyond the limit, such as the growth of a long list, ends the process. So the heap is measured from outside, and
 * V8's limit is far above. Buffers and the memory of contracts are no part of the heap.
 */
import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits, Worker } from 'node:worker_threads'

/** A worker of Node.js 22.16 or newer, which tells its memory while its code runs. */
type MeasuredWorker = Worker & {
  getHeapStatistics?(): Promise<{ readonly used_heap_size: number }>
}

const MIB = 2 ** 20
/** Limit of new objects, the default of V8 until Node.js 22. They are part of what is measured. */
const YOUNG_MIB = 48
/** Heap of a thread at the most when it contains as much in use as its limit: the rest waits for the garbage collector. */
const GARBAGE_FACTOR = 1.6
/** A list that fills the heap and grows by half is there twice, as itself and as its copy. */
const GROWTH_FACTOR = 2.5
/** Interval of the measurements while a job runs, milliseconds. */
const INTERVAL_MS = 25
/** First major version of Node.js whose compiler takes the check for interrupts out of some loops. */
const FIRST_WITHOUT_CHECKS = 23

/** Returns the size of the heap at which a thread is ended, bytes: its limit, garbage and new objects. */
export const endingBytes = (memoryBytes: number): number => GARBAGE_FACTOR * memoryBytes + YOUNG_MIB * MIB

/** Returns the limits of V8 for a thread: its limit, or several times as much if the thread can be measured. */
export function heapLimits(memoryBytes: number, isMeasured: boolean): ResourceLimits {
  const oldBytes = isMeasured ? GROWTH_FACTOR * endingBytes(memoryBytes) : memoryBytes
  return { maxOldGenerationSizeMb: Math.ceil(oldBytes / MIB), maxYoungGenerationSizeMb: YOUNG_MIB }
}

/** Returns whether this version of Node.js measures threads. */
export const canMeasure = (prototype: MeasuredWorker): boolean => prototype.getHeapStatistics !== undefined

/**
 * Makes every loop of JavaScript interruptible, in the whole process. From Node.js 23 on, a loop that makes an array of fixed
 * length loses its check for interrupts with the unrolling of loops, and then no thread that runs it can be terminated.
 */
export function keepLoopsInterruptible(): void {
  if (Number.parseInt(process.versions.node, 10) >= FIRST_WITHOUT_CHECKS)
    setFlagsFromString('--no-turboshaft-loop-unrolling')
}

/**
 * Measures a thread while `isBusy` returns true, and calls `end` once if it exceeds its memory. The returned function
 * starts the measurements: call it with each job.
 */
export function watchMemory(
  worker: MeasuredWorker,
  memoryBytes: number,
  isBusy: () => boolean,
  end: () => void,
): () => void {
  let watching = false

  async function measure(): Promise<void> {
    if (!isBusy()) {
      watching = false
      return
    }
    try {
      const { used_heap_size } = await worker.getHeapStatistics!()
      if (used_heap_size > endingBytes(memoryBytes)) end()
      else wait()
    } catch {
      // The thread has ended.
    }
  }

  function wait(): void {
    setTimeout(() => void measure(), INTERVAL_MS).unref()
  }

  return () => {
    if (watching || !worker.getHeapStatistics) return
    watching = true
    wait()
  }
}
