/** Counts of answered requests that an API worker reports to the main process. */
import type { Answered, Observe } from '../api/gateway.ts'
import { createRequestDurations, type DurationCount } from './request-durations.ts'

/** Number of answers of an operation with a status. */
interface AnsweredCount extends Pick<Answered, 'operation' | 'status'> {
  readonly times: number
}

/** Answers since the last report. */
export interface RequestCounts {
  readonly answers: readonly AnsweredCount[]
  readonly durations: readonly DurationCount[]
}

/** Creates the function that counts, and the one that returns the counts since its last call. */
export function createRequestCounts(): { readonly observe: Observe; take(): RequestCounts } {
  const answers = new Map<string, { operation: string; status: Answered['status']; times: number }>()
  const durations = createRequestDurations(() => performance.now())
  return {
    observe(answered) {
      const { operation, status } = answered
      const key = `${operation} ${status}`
      const known = answers.get(key)
      if (known) known.times++
      else answers.set(key, { operation, status, times: 1 })
      durations.add(answered)
    },
    take() {
      const taken = { answers: [...answers.values()], durations: durations.take() }
      answers.clear()
      return taken
    },
  }
}
