/** How much long work of a kind goes on at a time: it shares one thread, and each piece of it holds memory. */
import { queryError } from '../primitives/errors.ts'

export interface Seats {
  /** Waits for a seat, in order; resolves with how to leave it. Rejects `resourceExhausted` where too many wait. */
  take(): Promise<() => void>
}

export function createSeats({ most, mostWaiting }: { readonly most: number; readonly mostWaiting: number }): Seats {
  const waiting: (() => void)[] = []
  let taken = 0

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else taken--
  }

  return {
    async take() {
      if (taken < most) taken++
      else if (waiting.length >= mostWaiting) throw queryError('resourceExhausted', 'too many searches at once')
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return leave
    },
  }
}
