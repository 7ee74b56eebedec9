/** The times of the main thread of a process, as Linux counts them. */
import { existsSync, readFileSync } from 'node:fs'

/** Times of a thread. Unit: milliseconds. */
export interface Spent {
  /** Processor time. */
  readonly workedMs: number
  /** Time in which it was ready and waited for a processor. */
  readonly queuedMs: number
}

const MS_PER_NS = 1e-6

/** Returns a function that reads the times of the main thread of a process since its start; undefined without `/proc`. */
export function watchThread(pid: number): (() => Spent) | undefined {
  const file = `/proc/${pid}/task/${pid}/schedstat`
  if (!existsSync(file)) return undefined
  return () => {
    const [worked, queued] = readFileSync(file, 'utf8').split(' ').map(Number) as [number, number]
    return { workedMs: worked * MS_PER_NS, queuedMs: queued * MS_PER_NS }
  }
}
