/** Limits concurrent long-running operations: they share one thread, and each of them uses memory. */
import { queryError } from '../../primitives/errors.ts'

export interface Semaphore {
  /**
   * Waits for a permit, first come first served. Resolves with the function that releases it. Rejects with
   * `resourceExhausted` if the queue is full.
   */
  acquire(): Promise<() => void>
}

export function createSemaphore({
  permits,
  queueLimit,
}: {
  readonly permits: number
  readonly queueLimit: number
}): Semaphore {
  const waiting: (() => void)[] = []
  let taken = 0

  function release(): void {
    const next = waiting.shift()
    if (next) next()
    else taken--
  }

  return {
    async acquire() {
      if (taken < permits) taken++
      else if (waiting.length >= queueLimit) throw queryError('resourceExhausted', 'too many searches at once')
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return release
    },
  }
}
