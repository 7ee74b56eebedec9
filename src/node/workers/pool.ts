/** The compute pool: it runs jobs in worker threads, and ends a job that exceeds its time or memory, or that is cancelled. */
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Compute, PartTaker } from '../../api/gateway.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { Log } from '../log.ts'
import type { WithContext } from '../state-reader.ts'
import {
  type JobAnswer,
  type JobPart,
  type JobRequest,
  PART_BYTES,
  PART_SLOTS,
  type ReadyMessage,
  type RemoteState,
  unpackError,
  type WorkerSetup,
} from './messages.ts'
import { serveState } from './remote-state.ts'

export interface PoolOptions {
  readonly workers: number
  /** Module that the threads run. */
  readonly entry: URL
  readonly setup: Omit<WorkerSetup, 'cancelled' | 'taken' | 'slots' | 'state'>
  /** Present for a store in memory, which threads cannot open: it reads state for them. */
  readonly withContext?: WithContext | undefined
  readonly memoryBytes: number
  /** Limit of waiting jobs. */
  readonly queue: number
  /** Default time budget of a job, counted from its arrival. */
  readonly timeoutMs: number
  /** Time that a cancelled job has to stop by itself, milliseconds; 150 by default. */
  readonly graceMs?: number
  readonly log: Log
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
}

export interface PoolStats {
  readonly waiting: number
  readonly running: number
  readonly done: number
  readonly refused: number
  /** Threads that were ended because a job did not stop. */
  readonly kills: number
}

export interface ComputePool extends Compute {
  stats(): PoolStats
  stop(): Promise<void>
}

const GRACE_MS = 150
/**
 * Jobs that are sent ahead to a single thread, so that it does not wait for the main thread between two short jobs. With
 * several threads nothing is sent ahead: a job could wait for a long one while another thread is free.
 */
const AHEAD = 8
/** Time that a job over its time has to complete an answer in parts, milliseconds. */
const CLOSING_MS = 200
/**
 * Afterwards, the longest time without a part being taken, milliseconds. Parts that were made in time are delivered while the
 * reader takes them, but for no longer than the job's time budget.
 */
const IDLE_MS = 1000
/** Threads start with the first job, or after this delay, milliseconds, so that the rest of the node starts first. */
const START_MS = 50
/** Delay before a thread that ended during its start is started again, milliseconds. */
const RESTART_MS = 1000

interface Job {
  readonly request: Omit<JobRequest, 'timeoutMs'>
  readonly deadline: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
  /** Receives a long answer in parts. */
  readonly onPart: PartTaker | undefined
  /** Callbacks that release the parts that are not taken yet. */
  readonly parts: Set<() => void>
  /** Number of parts received. */
  passed: number
  settled: boolean
  release: () => void
}

interface Thread {
  worker: Worker
  readonly cancelled: Int32Array
  readonly taken: Int32Array
  readonly slots: SharedArrayBuffer
  ready: boolean
  /** Jobs that were sent to the thread and are not answered, in order; the thread runs the first. */
  jobs: Job[]
  /** Ends the thread if the job does not stop. */
  killTimer: ReturnType<typeof setTimeout> | undefined
}

export function createComputePool(options: PoolOptions): ComputePool {
  const queue: Job[] = []
  const threads: Thread[] = []
  const counts = { done: 0, refused: 0, kills: 0 }
  const ahead = options.workers === 1 ? AHEAD : 1
  const { graceMs = GRACE_MS } = options
  let lastId = 0
  let stopped = false

  function settle(job: Job, finish: () => void): void {
    if (job.settled) return
    job.settled = true
    job.release()
    finish()
  }

  function spawn(thread?: Thread): void {
    const cancelled = new SharedArrayBuffer(4)
    const taken = new SharedArrayBuffer(4)
    const slots = new SharedArrayBuffer(PART_SLOTS * PART_BYTES)
    const state = options.withContext && offerState(options.withContext)
    const worker = new Worker(options.entry, {
      workerData: { ...options.setup, state, cancelled, taken, slots } satisfies WorkerSetup,
      ...(state && { transferList: [state.port] }),
      resourceLimits: { maxOldGenerationSizeMb: Math.ceil(options.memoryBytes / 2 ** 20) },
      stdout: false,
      stderr: false,
    })
    worker.unref()
    const fresh: Thread = {
      worker,
      cancelled: new Int32Array(cancelled),
      taken: new Int32Array(taken),
      slots,
      ready: false,
      jobs: [],
      killTimer: undefined,
    }
    if (thread) threads[threads.indexOf(thread)] = fresh
    else threads.push(fresh)
    worker.on('message', (message: JobAnswer | JobPart | ReadyMessage) => {
      if ('slot' in message) return pass(fresh, message)
      if ('ready' in message) fresh.ready = true
      else finishJob(fresh, message)
      feed()
    })
    worker.on('error', (error) => replaceThread(fresh, error))
    worker.on('exit', () => replaceThread(fresh, new Error('worker thread ended')))
  }

  /** Passes a part to the caller. The thread reuses the slot when the part is taken. */
  function pass({ jobs, taken, slots }: Thread, { id, slot, length }: JobPart): void {
    const job = jobs[0]
    let isOpen = true
    // After other events: a port otherwise handles messages as long as there are any.
    const done = (): void => {
      if (!isOpen) return
      isOpen = false
      job?.parts.delete(done)
      setImmediate(() => {
        Atomics.add(taken, 0, 1)
        Atomics.notify(taken, 0)
      })
    }
    if (job?.request.id === id && !job.settled && job.onPart) {
      job.parts.add(done)
      job.passed++
      job.onPart(new Uint8Array(slots, slot * PART_BYTES, length), done)
    } else done()
  }

  /** Replaces a thread that ended by itself, out of memory or by a bug. */
  function replaceThread(thread: Thread, error: Error & { code?: string }): void {
    if (stopped || !threads.includes(thread)) return
    const [job, ...others] = thread.jobs
    thread.jobs = []
    clearTimeout(thread.killTimer)
    const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    if (job) settle(job, () => job.reject(outOfMemory ? memoryError() : internalError()))
    if (outOfMemory) counts.kills++
    queue.unshift(...others)
    options.log(outOfMemory ? 'warn' : 'error', 'compute worker ended', { error, ...(job && { job: job.request.job }) })
    if (thread.ready) spawn(thread)
    else setTimeout(() => stopped || spawn(thread), RESTART_MS).unref()
    feed()
  }

  function finishJob(thread: Thread, answer: JobAnswer): void {
    const [job, next] = thread.jobs
    if (!job || job.request.id !== answer.id) return
    clearTimeout(thread.killTimer)
    thread.jobs.shift()
    counts.done++
    // Its caller cancelled it before it started.
    if (next?.settled) stopRunning(thread, next)
    settle(job, () => {
      if (answer.ok) job.resolve(answer.result)
      else if (answer.error.status !== undefined) job.reject(unpackError(answer.error))
      else {
        options.log('error', 'compute job failed', { job: job.request.job, error: unpackError(answer.error) })
        job.reject(internalError())
      }
    })
  }

  /** Tells the running job to stop, and ends its thread if it does not. */
  function stopRunning(thread: Thread, job: Job): void {
    Atomics.store(thread.cancelled, 0, job.request.id)
    clearTimeout(thread.killTimer)
    const kill = (): void => {
      if (thread.jobs[0] !== job || stopped) return
      counts.kills++
      queue.unshift(...thread.jobs.slice(1))
      thread.jobs = []
      spawn(thread)
      void thread.worker.terminate()
      options.log('warn', 'compute worker killed: its job did not stop', { job: job.request.job })
    }
    // If this thread was blocked, an answer that came in time can be in the event queue behind the timer.
    thread.killTimer = setTimeout(() => setImmediate(kill), graceMs)
    thread.killTimer.unref()
  }

  /** Sends waiting jobs to threads that have room. */
  function feed(): void {
    for (const thread of threads) {
      while (thread.ready && thread.jobs.length < ahead && queue.length > 0) {
        const job = queue.shift()!
        if (job.settled) continue
        const timeoutMs = job.deadline - options.elapsed()
        try {
          thread.worker.postMessage({ ...job.request, timeoutMs } satisfies JobRequest)
          thread.jobs.push(job)
        } catch (error) {
          // The payload cannot be cloned: a bug of the caller. The thread is not affected.
          settle(job, () => job.reject(error as Error))
        }
      }
    }
  }

  /** Returns the number of jobs that do not run yet, in the queue or sent ahead. */
  function waiting(): number {
    return queue.length + threads.reduce((sum, { jobs }) => sum + Math.max(0, jobs.length - 1), 0)
  }

  /** Rejects a job at once, and stops it in its thread. */
  function abandon(job: Job, error: () => ChainError): void {
    if (job.settled) return
    const thread = threads.find(({ jobs }) => jobs.includes(job))
    settle(job, () => job.reject(error()))
    // The caller takes no further parts.
    for (const done of [...job.parts]) done()
    if (!thread) queue.splice(queue.indexOf(job), 1)
    else if (thread.jobs[0] === job) stopRunning(thread, job)
  }

  function start(): void {
    clearTimeout(startTimer)
    while (threads.length < options.workers) spawn()
  }
  const startTimer = setTimeout(start, START_MS)
  startTimer.unref()

  return {
    run(name, payload, { height, signal, timeoutMs = options.timeoutMs, onPart }) {
      if (stopped) return Promise.reject(queryError('unavailable', 'the node is stopping'))
      if (signal?.aborted) return Promise.reject(cancelledError())
      if (waiting() >= options.queue) {
        counts.refused++
        return Promise.reject(
          queryError('resourceExhausted', `${waiting()} computations are already waiting; try again`),
        )
      }
      return new Promise((resolve, reject) => {
        const job: Job = {
          request: { id: ++lastId, job: name, payload, height },
          deadline: options.elapsed() + timeoutMs,
          onPart,
          parts: new Set(),
          passed: 0,
          resolve,
          reject,
          settled: false,
          release: () => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', abort)
          },
        }
        // An answer in parts has some time to be completed.
        const closingMs = onPart ? CLOSING_MS : 0
        let passedBefore = 0
        const end = (): void => {
          const isMoving = job.parts.size > 0 || job.passed > passedBefore
          passedBefore = job.passed
          if (isMoving && options.elapsed() < job.deadline + timeoutMs) timer = setTimeout(end, IDLE_MS)
          else abandon(job, () => timeError(timeoutMs))
        }
        let timer = setTimeout(end, timeoutMs + closingMs)
        const abort = () => abandon(job, cancelledError)
        signal?.addEventListener('abort', abort, { once: true })
        queue.push(job)
        start()
        feed()
      })
    },
    stats: () => ({
      waiting: waiting(),
      running: threads.filter(({ jobs }) => jobs.length > 0).length,
      ...counts,
    }),
    async stop() {
      stopped = true
      clearTimeout(startTimer)
      const ended = () => queryError('unavailable', 'the node is stopping')
      for (const job of queue.splice(0)) settle(job, () => job.reject(ended()))
      for (const { jobs, killTimer } of threads) {
        clearTimeout(killTimer)
        for (const job of jobs) settle(job, () => job.reject(ended()))
      }
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

/** Opens a channel through which a thread reads this thread's state. */
function offerState(withContext: WithContext): RemoteState {
  const { port1, port2 } = new MessageChannel()
  const answered = new SharedArrayBuffer(4)
  serveState({ port: port1, answered }, withContext)
  return { port: port2, answered }
}

export function timeError(timeoutMs: number): ChainError {
  return queryError('deadlineExceeded', `the computation took longer than its time budget of ${timeoutMs / 1000} s`)
}

const cancelledError = (): ChainError => queryError('cancelled', 'the request was cancelled')
const memoryError = (): ChainError =>
  queryError('resourceExhausted', 'the computation needed more memory than its budget')
const internalError = (): ChainError => queryError('internal', 'internal error')
