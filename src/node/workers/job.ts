/** A job of the compute pool, from its arrival until it is settled. */
import type { PartTaker } from '../../api/gateway.ts'
import type { JobRequest } from './messages.ts'

export interface Job {
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
  /** Releases its timer and its listener for cancellation. */
  release: () => void
}

/** Settles a job with `finish`, unless it is settled already. */
export function settle(job: Job, finish: () => void): void {
  if (job.settled) return
  job.settled = true
  job.release()
  finish()
}
