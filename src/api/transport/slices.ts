/** Time slices for long work on the main thread. Between slices the event loop serves other requests. */
import { setMaxListeners } from 'node:events'
import { turns as ownTurns, type Share, type Turns } from './turns.ts'

/** Used time with which work begins that is known to be long, so that requests come first. */
const LONG_MS = 25

/** Checks the time between two steps of long work. Returns a promise to await if the slice is over, else undefined. */
export type Pause = () => Promise<void> | undefined

/** Creates the function that makes the pauses of a thread. `elapsed` is the clock of its turns. */
export function pausesOf(
  turns: Pick<Turns, 'share' | 'end' | 'rest'>,
  elapsed: () => number,
): (share?: Share, signal?: AbortSignal) => Pause {
  return (share = turns.share('', LONG_MS), signal = undefined) => {
    let end = turns.end()
    return () => {
      if (elapsed() < end) return undefined
      return turns.rest(share, signal).then((next) => {
        end = next
      })
    }
  }
}

/** Creates the pause of a piece of work on this thread. Work that is usually short has the share of its connection. */
export const createPause = pausesOf(ownTurns, () => performance.now())

/** Addresses of the clients that wait for the work which ends with a signal. */
const clients = new WeakMap<AbortSignal, string>()

/** Notes the address of the client for which the work of a signal is done. */
export function noteClient(signal: AbortSignal, address: string): void {
  clients.set(signal, address)
}

/**
 * Creates the pause of work that is known to be long, and ends with a signal: a pause ends with it too, so the work looks at the
 * signal after each. Its time counts for the client that was noted.
 */
export function createSignalPause(signal: AbortSignal | undefined): Pause {
  // Each piece of work that waits listens, and a client can ask for many at a time.
  if (signal) setMaxListeners(0, signal)
  return createPause(ownTurns.share((signal && clients.get(signal)) ?? '', LONG_MS), signal)
}
