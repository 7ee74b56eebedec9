/** The threads of the compute pool: their start, their answers, and the replacement of those that end or do not stop. */
import { stoppingError } from '../../consensus/halted.ts'
import type { Log } from '../log.ts'
import { type Job, settle } from './job.ts'
import { internalError, memoryError } from './job-errors.ts'
import { passPart } from './job-parts.ts'
import { type JobAnswer, type JobPart, type ReadyMessage, unpackError } from './messages.ts'
import { OUT_OF_MEMORY, startThread, type Thread, type ThreadError, type ThreadOptions } from './thread.ts'
import { keepLoopsInterruptible } from './thread-memory.ts'

export interface ThreadsOptions extends ThreadOptions {
  readonly workers: number
  /** Time that a cancelled job has to stop by itself, milliseconds; 150 by default. */
  readonly graceMs?: number
  /** Whether the threads start with the first job only, because few jobs are expected. */
  readonly idle?: boolean
  readonly log: Log
}

export interface Threads {
  readonly all: readonly Thread[]
  /** Number of answers. */
  done(): number
  /** Number of threads that were ended because a job did not stop or exceeded its memory. */
  kills(): number
  /** Starts the threads, unless they have started. */
  start(): void
  /** Tells the running job of a thread to stop, and replaces the thread if it does not. */
  stopRunning(thread: Thread, job: Job): void
  /** Ends the threads and rejects their jobs. */
  stop(): Promise<void>
}

const GRACE_MS = 150
/** Threads start with the first job, or unless `idle` after this delay, milliseconds, so that the rest of the node starts first. */
const START_MS = 50
/** Delay before a thread that ended during its start is started again, milliseconds. */
const RESTART_MS = 1000

/**
 * Creates the threads of a pool. `requeue` receives the jobs that a replaced thread had not started, in order; `onRoom` is
 * called when a thread can receive jobs.
 */
export function createThreads(
  options: ThreadsOptions,
  requeue: (jobs: readonly Job[]) => void,
  onRoom: () => void,
): Threads {
  const { workers, graceMs = GRACE_MS, log } = options
  const threads: Thread[] = []
  let done = 0
  let kills = 0
  let stopped = false
  keepLoopsInterruptible()

  /** Starts a thread, which replaces another if one is given. */
  function spawn(replaced?: Thread): void {
    const fresh = startThread(options, receive, replaceEnded)
    if (replaced) threads[threads.indexOf(replaced)] = fresh
    else threads.push(fresh)
  }

  function receive(thread: Thread, message: JobAnswer | JobPart | ReadyMessage): void {
    if ('slot' in message) {
      passPart(thread.jobs[0], thread, message)
      return
    }
    if ('ready' in message) thread.ready = true
    else finishJob(thread, message)
    onRoom()
  }

  /** Replaces a thread that ended by itself, out of memory or by a bug. */
  function replaceEnded(thread: Thread, error: ThreadError): void {
    if (stopped || !threads.includes(thread)) return
    const [job, ...others] = thread.jobs
    thread.jobs = []
    clearTimeout(thread.killTimer)
    const outOfMemory = error.code === OUT_OF_MEMORY
    if (job) settle(job, () => job.reject(outOfMemory ? memoryError() : internalError()))
    if (outOfMemory) kills++
    requeue(others)
    log(outOfMemory ? 'warn' : 'error', 'compute worker ended', { error, ...(job && { job: job.request.job }) })
    if (thread.ready) spawn(thread)
    else setTimeout(() => stopped || spawn(thread), RESTART_MS).unref()
    onRoom()
  }

  function finishJob(thread: Thread, answer: JobAnswer): void {
    const [job, next] = thread.jobs
    if (!job || job.request.id !== answer.id) return
    clearTimeout(thread.killTimer)
    thread.jobs.shift()
    done++
    // Its caller cancelled it before it started.
    if (next?.settled) stopRunning(thread, next)
    settle(job, () => {
      if (answer.ok) job.resolve(answer.result)
      else if (answer.error.status !== undefined) job.reject(unpackError(answer.error))
      else {
        log('error', 'compute job failed', { job: job.request.job, error: unpackError(answer.error) })
        job.reject(internalError())
      }
    })
  }

  function stopRunning(thread: Thread, job: Job): void {
    Atomics.store(thread.cancelled, 0, job.request.id)
    clearTimeout(thread.killTimer)
    const kill = (): void => {
      if (thread.jobs[0] !== job || stopped) return
      kills++
      requeue(thread.jobs.slice(1))
      thread.jobs = []
      spawn(thread)
      void thread.worker.terminate()
      log('warn', 'compute worker killed: its job did not stop', { job: job.request.job })
    }
    // If this thread was blocked, an answer that came in time can be in the event queue behind the timer.
    thread.killTimer = setTimeout(() => setImmediate(kill), graceMs)
    thread.killTimer.unref()
  }

  function start(): void {
    clearTimeout(startTimer)
    while (threads.length < workers) spawn()
  }
  const startTimer = options.idle ? undefined : setTimeout(start, START_MS)
  startTimer?.unref()

  return {
    all: threads,
    done: () => done,
    kills: () => kills,
    start,
    stopRunning,
    async stop() {
      stopped = true
      clearTimeout(startTimer)
      for (const { jobs, killTimer } of threads) {
        clearTimeout(killTimer)
        for (const job of jobs) settle(job, () => job.reject(stoppingError()))
      }
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}
