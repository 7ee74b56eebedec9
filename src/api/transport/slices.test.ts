import { expect, test } from 'vitest'
import { createSignalPause, type Pause, pausesOf } from './slices.ts'
import { createTurns } from './turns.ts'

/** Turns on a clock that only work moves on, so that their order is that of the rules on any machine. */
function openThread() {
  let now = 0
  const elapsed = (): number => now
  return {
    createPause: pausesOf(createTurns(elapsed), elapsed),
    /** Works until the slice is over. */
    work(pause: Pause): Promise<void> {
      for (;;) {
        const promise = pause()
        if (promise) return promise
        now++
      }
    },
  }
}

test('one slice of all long work runs in a turn of the event loop, in order', async () => {
  const { createPause, work: workOn } = openThread()
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const resumed: { readonly work: number; readonly turn: number }[] = []
  await Promise.all(
    [0, 1, 2].map(async (work) => {
      const pause = createPause()
      for (let slice = 0; slice < 3; slice++) {
        await workOn(pause)
        resumed.push({ work, turn: turns })
      }
    }),
  )
  isOver = true
  expect(resumed.slice(0, 3).map(({ work }) => work)).toEqual([0, 1, 2])
  expect(resumed).toHaveLength(9)
  // The work ends with its third slice, which leaves the rest of that turn to others.
  expect(new Set(resumed.slice(0, 6).map(({ turn }) => turn)).size).toBe(6)
})

test('many pieces of work can wait that end with one signal', async () => {
  const warnings: Error[] = []
  const note = (warning: Error): void => void warnings.push(warning)
  process.on('warning', note)
  const ends = new AbortController()
  const pauses = Array.from({ length: 20 }, () => createSignalPause(ends.signal))
  const waits: (Promise<void> | undefined)[] = []
  while (waits.length < pauses.length) {
    const wait = pauses[waits.length]!()
    if (wait) waits.push(wait)
  }
  ends.abort()
  await Promise.all(waits)
  // A warning is emitted in a later turn.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  expect(warnings).toEqual([])
})
