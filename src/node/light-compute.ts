/**
 * Light calls where they arrive. A call that takes a fraction of a millisecond costs several times that on the way to another
 * thread and back, so it is first tried in this one, on a budget too small to be noticed; what exceeds it goes the long way, from the
 * start. Where it ran does not show in its answer.
 */
import type { Compute } from '../api/gateway.ts'
import type { JobBudget, Jobs } from '../app/jobs.ts'
import { TOO_HEAVY } from '../modules/evm/calls/light.ts'
import { LIGHT_JOBS } from '../modules/evm/jobs.ts'
import { ChainError } from '../primitives/errors.ts'
import { runJob } from './inline-compute.ts'
import type { WithContext } from './state-reader.ts'
import type { ComputePool } from './workers/pool.ts'

/** Pieces of work of one try: reads of state, calls, and stretches of code of some microseconds. */
const MOST_WORK = 400
/** The longest that a try may take, milliseconds: first by the clock, and from then on of processor time. */
const MOST_MS = 5
/** For so long a call that was too heavy is not tried again, milliseconds. */
const REMEMBERED_MS = 1000
const MOST_REMEMBERED = 10_000
/** What takes too long may have been held up by other threads; so many times in a row it counts as too heavy. */
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

/** A pool that is asked only for what is not light. */
export function lightenPool(pool: ComputePool, parts: LightParts): ComputePool {
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

/** Tries jobs in this thread. */
export function createAttempt({
  jobs,
  withContext,
  elapsed,
  spent = spentByProcess,
}: LightParts): NonNullable<Compute['attempt']> {
  /** By subject: when it may be tried again, and how often in a row it took too long. */
  const troubles = new Map<string, { until: number; slow: number }>()

  function note(subject: string, tooMuch: boolean): void {
    if (troubles.size >= MOST_REMEMBERED) troubles.clear()
    const slow = (troubles.get(subject)?.slow ?? 0) + 1
    const isHeavy = tooMuch || slow >= SLOW_IN_A_ROW
    troubles.set(subject, { slow, until: isHeavy ? elapsed() + REMEMBERED_MS : 0 })
  }

  return (name, payload, height) => {
    if (!LIGHT_JOBS.has(name)) return undefined
    const started = elapsed()
    let work = 0
    let about: (() => string) | undefined
    let late: number | undefined
    /** The clock runs on while another process has the processor, and on a busy machine that is often; asking for both costs too much. */
    const isLate = (): boolean => {
      if (elapsed() - started <= MOST_MS) return false
      late ??= spent()
      return spent() - late > MOST_MS
    }
    const shouldStop = () => ++work > MOST_WORK || isLate()
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
      // A bug is one elsewhere too, and logged there.
      if (error !== TOO_HEAVY && error instanceof ChainError) throw error
      if (about !== undefined) note(about(), work > MOST_WORK)
      return undefined
    }
  }
}
