/**
 * Light calls, which run in the thread that receives them. A call takes a fraction of a millisecond; sending it to another
 * thread and back costs several times that. So a call is first tried here, on a small budget. A call that exceeds the budget
 * starts again in the pool. The answer is the same in both cases.
 */
import type { Compute } from '../api/gateway.ts'
import type { JobBudget, Jobs } from '../app/jobs.ts'
import { LIGHT_JOBS } from '../modules/evm/calls/jobs.ts'
import { TOO_HEAVY } from '../modules/evm/calls/light.ts'
import { ChainError } from '../primitives/errors.ts'
import { runJob } from './inline-compute.ts'
import type { WithContext } from './state-reader.ts'
import type { ComputePool } from './workers/pool.ts'

/** Steps of one try: reads of state, calls, and stretches of code of some microseconds. */
const MAX_WORK = 400
/** Time limit of a try, milliseconds: first by the clock, then by the processor time that follows. */
const MAX_MS = 5
/** Time for which a heavy call is not tried again, milliseconds. */
const HEAVY_MS = 1000
const MAX_SUBJECTS = 10_000
/** Slow tries in a row after which a call counts as heavy. A single slow try can be caused by other threads. */
const SLOW_IN_A_ROW = 4

export interface LightParts {
  readonly jobs: Jobs
  readonly withContext: WithContext
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  /** Processor time of this process, milliseconds. */
  readonly spent?: () => number
}

function spentByProcess(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns a pool that tries light calls in this thread, and runs all other jobs in `pool`. */
export function withLightCalls(pool: ComputePool, parts: LightParts): ComputePool {
  let done = 0
  const attempt = createAttempt(parts)
  return {
    attempt(name, payload, height) {
      const answer = attempt(name, payload, height)
      if (answer) done++
      return answer
    },
    run: pool.run,
    stats() {
      const stats = pool.stats()
      return { ...stats, done: stats.done + done }
    },
    stop: pool.stop,
  }
}

/** Creates the function that tries jobs in this thread. */
export function createAttempt({
  jobs,
  withContext,
  elapsed,
  spent = spentByProcess,
}: LightParts): NonNullable<Compute['attempt']> {
  /** The time of the next try and the number of slow tries in a row, by subject. */
  const troubles = new Map<string, { until: number; slow: number }>()

  function note(subject: string, tooMuch: boolean): void {
    if (troubles.size >= MAX_SUBJECTS) troubles.clear()
    const slow = (troubles.get(subject)?.slow ?? 0) + 1
    const isHeavy = tooMuch || slow >= SLOW_IN_A_ROW
    troubles.set(subject, { slow, until: isHeavy ? elapsed() + HEAVY_MS : 0 })
  }

  return (name, payload, height) => {
    if (!LIGHT_JOBS.has(name)) return undefined
    const started = elapsed()
    let work = 0
    let about: (() => string) | undefined
    let late: number | undefined
    /**
     * The clock also advances while another process runs. Processor time does not, but reading it costs too much for every
     * step.
     */
    const isLate = (): boolean => {
      if (elapsed() - started <= MAX_MS) return false
      late ??= spent()
      return spent() - late > MAX_MS
    }
    const shouldStop = () => ++work > MAX_WORK || isLate()
    const budget: JobBudget = {
      shouldStop,
      light: {
        shouldStop,
        wasHeavy(subject) {
          if (troubles.size > 0 && started < (troubles.get(subject())?.until ?? 0)) return true
          about = subject
          return false
        },
      },
      write: () => {},
      outputBytes: 0,
    }
    try {
      const result = withContext(height, (ctx) => runJob(jobs, name, ctx, payload, budget))
      if (about !== undefined && troubles.size > 0) troubles.delete(about())
      return { result }
    } catch (error) {
      // A bug occurs in the pool as well, which logs it.
      if (error !== TOO_HEAVY && error instanceof ChainError) throw error
      if (about !== undefined) note(about(), work > MAX_WORK)
      return undefined
    }
  }
}
