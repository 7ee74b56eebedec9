/**
 * Time slices for long work on the main thread. Between slices the event loop serves other requests; in one turn of it only
 * one slice of all such work runs.
 */

const SLICE_MS = 5

/** Long work that waits for its next slice, first come first served. */
const waiting: (() => void)[] = []

function turn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(turn)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(turn)
  })
}

/** Checks the time between two steps of long work. Returns a promise to await if the slice is over, else undefined. */
export type Pause = () => Promise<void> | undefined

export function createPause(): Pause {
  let end = performance.now() + SLICE_MS
  return () => {
    if (performance.now() < end) return undefined
    return nextTurn().then(() => {
      end = performance.now() + SLICE_MS
    })
  }
}
