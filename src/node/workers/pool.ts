/** The compute pool: it runs jobs in worker threads, and ends a job that exceeds its time or memory, or that is cancelled. */
import type { Compute } from '../../api/gateway.ts'
import { stoppingError } from '../../consensus/halted.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { type Job, settle } from './job.ts'
import { limitJob } from './job-budget.ts'
import { cancelledError } from './job-errors.ts'
import { releaseParts } from './job-parts.ts'
import type { PoolStats } from './pool-stats.ts'
import { sendJob } from './thread.ts'
import { createThreads, type ThreadsOptions } from './threads.ts'

export interface PoolOptions extends ThreadsOptions {
  /** Limit of waiting jobs. */
  readonly queue: number
  /** Default time budget of a job, counted from its arrival. */
  readonly timeoutMs: number
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
}

export interface ComputePool extends Compute {
  stats(): PoolStats
  stop(): Promise<void>
}

/**
 * Jobs that are sent ahead to a single thread, so that it does not wait for the main thread between two short jobs. With
 * several threads nothing is sent ahead: a job could wait for a long one while another thread is free.
 */
const AHEAD = 8

export function createComputePool(options: PoolOptions): ComputePool {
  const queue: Job[] = []
  const threads = createThreads(options, (jobs) => queue.unshift(...jobs), feed)
  const ahead = options.workers === 1 ? AHEAD : 1
  let refused = 0
  let lastId = 0
  let stopped = false

  /** Sends waiting jobs to threads that have room. */
  function feed(): void {
    for (const thread of threads.all) {
      while (thread.ready && thread.jobs.length < ahead && queue.length > 0) {
        const job = queue.shift()!
        if (!job.settled) sendJob(thread, job, job.deadline - options.elapsed())
      }
    }
  }

  /** Returns the number of jobs that do not run yet, in the queue or sent ahead. */
  function waiting(): number {
    return queue.length + threads.all.reduce((sum, { jobs }) => sum + Math.max(0, jobs.length - 1), 0)
  }

  /** Rejects a job at once, and stops it in its thread. */
  function abandon(job: Job, error: (hasBegun: boolean) => ChainError): void {
    if (job.settled) return
    const thread = threads.all.find(({ jobs }) => jobs.includes(job))
    settle(job, () => job.reject(error(thread?.jobs[0] === job)))
    releaseParts(job)
    if (!thread) queue.splice(queue.indexOf(job), 1)
    else if (thread.jobs[0] === job) threads.stopRunning(thread, job)
  }

  return {
    run(name, payload, { height, signal, timeoutMs = options.timeoutMs, onPart }) {
      if (stopped) return Promise.reject(stoppingError())
      if (signal?.aborted) return Promise.reject(cancelledError())
      if (waiting() >= options.queue) {
        refused++
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
          release: () => {},
        }
        job.release = limitJob(job, timeoutMs, signal, options.elapsed, (error) => abandon(job, error))
        queue.push(job)
        threads.start()
        feed()
      })
    },
    stats: () => ({
      waiting: waiting(),
      running: threads.all.filter(({ jobs }) => jobs.length > 0).length,
      done: threads.done(),
      refused,
      kills: threads.kills(),
    }),
    async stop() {
      stopped = true
      for (const job of queue.splice(0)) settle(job, () => job.reject(stoppingError()))
      await threads.stop()
    },
  }
}
