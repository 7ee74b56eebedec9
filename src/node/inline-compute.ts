/** The compute pool of a node without compute workers: it runs the same jobs in the main thread, with the same time budget. */
import type { JobBudget, Jobs } from '../app/jobs.ts'
import { isIsolated } from '../app/trace-jobs.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { Log } from './log.ts'
import type { WithContext } from './state-reader.ts'
import { timeError } from './workers/job-errors.ts'
import type { ComputePool } from './workers/pool.ts'
import { NO_STATS } from './workers/pool-stats.ts'

/**
 * Size of a trace without compute threads, which is complete before the client receives a byte. Beyond: it is truncated and
 * says so.
 */
const MAX_WAITING_BYTES = 64 << 20

export interface InlineOptions {
  readonly jobs: Jobs
  readonly withContext: WithContext
  readonly timeoutMs: number
  readonly log: Log
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
}

export function createInlineCompute(options: InlineOptions): ComputePool {
  let done = 0

  return {
    async run(name, payload, { height, signal, timeoutMs = options.timeoutMs, onPart }) {
      if (signal?.aborted) throw queryError('cancelled', 'the request was cancelled')
      if (isIsolated(name, payload)) throw queryError('unimplemented', 'scripts do not run in the main thread')
      const deadline = options.elapsed() + timeoutMs
      let stopped = false
      const budget: JobBudget = {
        shouldStop() {
          stopped ||= options.elapsed() >= deadline
          return stopped
        },
        // No client can take a part while this thread runs the job. `outputBytes` bounds the parts instead.
        write: (part) => onPart?.(part, () => {}),
        outputBytes: MAX_WAITING_BYTES,
      }
      try {
        return options.withContext(height, (ctx) => runJob(options.jobs, name, ctx, payload, budget))
      } catch (error) {
        if (stopped) throw timeError(timeoutMs)
        if (error instanceof ChainError) throw error
        options.log('error', 'compute job failed', { job: name, error })
        throw queryError('internal', 'internal error')
      } finally {
        done++
      }
    },
    stats: () => ({ ...NO_STATS, done }),
    stop: async () => {},
  }
}

/** Runs a job by name. Throws `unimplemented` for an unknown name. */
export function runJob(jobs: Jobs, name: string, ctx: ReadContext, payload: unknown, budget: JobBudget): unknown {
  const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined
  if (!job) throw queryError('unimplemented', `there is no computation named ${name}`)
  return job(ctx, payload as never, budget)
}
