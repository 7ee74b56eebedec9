/** Time slices for long work on the main thread. Between slices the event loop serves other requests. */
import { type Share, turns } from './turns.ts'

/** Used time with which work begins that is known to be long, so that requests come first. */
const LONG_MS = 25

/** Checks the time between two steps of long work. Returns a promise to await if the slice is over, else undefined. */
export type Pause = () => Promise<void> | undefined

/** Creates the pause of a piece of work. Work that is usually short has the share of its connection. */
export function createPause(share: Share = turns.share('', LONG_MS)): Pause {
  let end = turns.end()
  return () => {
    if (performance.now() < end) return undefined
    return turns.rest(share).then((next) => {
      end = next
    })
  }
}
