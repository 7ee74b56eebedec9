/** The limits of a job: its time budget, counted from its arrival, and the cancellation by its caller. */
import type { ChainError } from '../../primitives/errors.ts'
import type { Job } from './job.ts'
import { cancelledError, timeError, waitError } from './job-errors.ts'

/** Time that a job over its time has to complete an answer in parts, milliseconds. */
const CLOSING_MS = 200
/**
 * Afterwards, the longest time without a part being taken, milliseconds. Parts that were made in time are delivered while the
 * reader takes them, but for no longer than the job's time budget.
 */
const IDLE_MS = 1000

/** Calls `abandon` when the job exceeds its time or `signal` cancels it. Returns the function that releases both. */
export function limitJob(
  job: Job,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  elapsed: () => number,
  abandon: (error: (hasBegun: boolean) => ChainError) => void,
): () => void {
  // An answer in parts has some time to be completed.
  const closingMs = job.onPart ? CLOSING_MS : 0
  let passedBefore = 0
  const end = (): void => {
    const isMoving = job.parts.size > 0 || job.passed > passedBefore
    passedBefore = job.passed
    if (isMoving && elapsed() < job.deadline + timeoutMs) timer = setTimeout(end, IDLE_MS)
    else abandon((hasBegun) => (hasBegun ? timeError(timeoutMs) : waitError(timeoutMs)))
  }
  let timer = setTimeout(end, timeoutMs + closingMs)
  const abort = () => abandon(cancelledError)
  signal?.addEventListener('abort', abort, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
