/** Long work in slices: between them the thread is everybody's, and of all such work only one slice runs in a turn of its loop. */

const SLICE_MS = 5

/** Work that waits for its next slice, in order. */
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

/** To be called between two pieces of work: a promise to be waited for where the slice is over, else nothing. */
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
