import { expect, test } from 'vitest'
import { createStallWatch } from './stall-watch.ts'

test('a stop is reported after half a minute, and every five minutes while it lasts', () => {
  let now = 0
  const reports: number[] = []
  const watch = createStallWatch(
    () => now,
    (seconds) => reports.push(seconds),
  )
  const lookUntil = (end: number): void => {
    for (; now < end; now += 1000) watch.look()
  }
  lookUntil(29_000)
  watch.onBlock()
  lookUntil(58_000)
  expect(reports).toEqual([])
  lookUntil(61_000)
  expect(reports).toEqual([30])
  lookUntil(400_000)
  expect(reports).toEqual([30, 330])
  watch.onBlock()
  lookUntil(440_000)
  expect(reports).toEqual([30, 330, 30])
})
