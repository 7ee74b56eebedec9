/** One thread of the compute pool: its worker, the memory shared with it, and the jobs sent to it. */
import { MessageChannel, Worker } from 'node:worker_threads'
import type { WithContext } from '../state-reader.ts'
import { type Job, settle } from './job.ts'
import type { PassingPart } from './job-parts.ts'
import {
  type JobAnswer,
  type JobPart,
  type JobRequest,
  PART_BYTES,
  PART_SLOTS,
  type ReadyMessage,
  type RemoteState,
  type WorkerSetup,
} from './messages.ts'
import { serveState } from './remote-state.ts'
import { canMeasure, heapLimits, watchMemory } from './thread-memory.ts'

export interface ThreadOptions {
  /** Module that the threads run. */
  readonly entry: URL
  readonly setup: Omit<WorkerSetup, 'cancelled' | 'taken' | 'slots' | 'state'>
  /** Present for a store in memory, which threads cannot open: it reads state for them. */
  readonly withContext?: WithContext | undefined
  readonly memoryBytes: number
}

export interface Thread {
  readonly worker: Worker
  readonly cancelled: Int32Array
  readonly taken: Int32Array
  readonly slots: SharedArrayBuffer
  readonly passing: PassingPart[]
  ready: boolean
  /** Jobs that were sent to the thread and are not answered, in order; the thread runs the first. */
  jobs: Job[]
  /** Starts to measure the memory of the thread, as long as it has jobs. */
  readonly watch: () => void
  /** Ends the thread if the job does not stop. */
  killTimer: ReturnType<typeof setTimeout> | undefined
}

/** A failure that ended a thread; `code` distinguishes a lack of memory. */
export type ThreadError = Error & { readonly code?: string }

/** The code of Node.js for a thread that exceeded its memory. */
export const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

/** Starts a thread. `onEnd` receives the error that ends it, and is called again when it has ended. */
export function startThread(
  { entry, setup, withContext, memoryBytes }: ThreadOptions,
  onMessage: (thread: Thread, message: JobAnswer | JobPart | ReadyMessage) => void,
  onEnd: (thread: Thread, error: ThreadError) => void,
): Thread {
  const cancelled = new SharedArrayBuffer(4)
  const taken = new SharedArrayBuffer(4)
  const slots = new SharedArrayBuffer(PART_SLOTS * PART_BYTES)
  const state = withContext && offerState(withContext)
  const worker = new Worker(entry, {
    workerData: { ...setup, state, cancelled, taken, slots } satisfies WorkerSetup,
    ...(state && { transferList: [state.port] }),
    resourceLimits: heapLimits(memoryBytes, canMeasure(Worker.prototype)),
    stdout: false,
    stderr: false,
  })
  worker.unref()
  const thread: Thread = {
    worker,
    cancelled: new Int32Array(cancelled),
    taken: new Int32Array(taken),
    slots,
    passing: [],
    ready: false,
    jobs: [],
    watch: watchMemory(worker, memoryBytes, () => thread.jobs.length > 0, endForMemory),
    killTimer: undefined,
  }
  function endForMemory(): void {
    const error = new Error('the thread exceeds its memory')
    onEnd(thread, Object.assign(error, { code: OUT_OF_MEMORY }))
    void worker.terminate()
  }
  worker.on('message', (message) => onMessage(thread, message))
  worker.on('error', (error) => onEnd(thread, error))
  worker.on('exit', () => onEnd(thread, new Error('worker thread ended')))
  return thread
}

/** Sends a job to a thread. Rejects the job if its payload cannot be cloned: a bug of the caller that leaves the thread unaffected. */
export function sendJob(thread: Thread, job: Job, timeoutMs: number): void {
  try {
    thread.worker.postMessage({ ...job.request, timeoutMs } satisfies JobRequest)
    thread.jobs.push(job)
    thread.watch()
  } catch (error) {
    settle(job, () => job.reject(error as Error))
  }
}

/** Opens a channel through which a thread reads this thread's state. */
function offerState(withContext: WithContext): RemoteState {
  const { port1, port2 } = new MessageChannel()
  const answered = new SharedArrayBuffer(4)
  serveState({ port: port1, answered }, withContext)
  return { port: port2, answered }
}
