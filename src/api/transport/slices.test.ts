import { expect, test } from 'vitest'
import { createPause, type Pause } from './slices.ts'

/** Checks the time until the slice is over. */
function rest(pause: Pause): Promise<void> {
  for (;;) {
    const promise = pause()
    if (promise) return promise
  }
}

test('one slice of all long work runs in a turn of the event loop, in order', async () => {
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
        await rest(pause)
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
