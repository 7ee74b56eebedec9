import { expect, test } from 'vitest'
import { limitPrinting } from './printed-text.ts'

/** Prints a text of 1,000 characters a number of times, over some seconds. Returns what arrives. */
function printed(times: number, seconds: number): { characters: number; dropped: number } {
  const seen = { characters: 0, dropped: 0 }
  let now = 0
  const print = limitPrinting(
    {
      print: (line) => {
        seen.characters += line.length
      },
      warn: (dropped) => {
        seen.dropped += dropped
      },
    },
    () => now,
  )
  for (let i = 0; i < times; i++) {
    now = (i * seconds * 1000) / times
    print('x'.repeat(1000))
  }
  now += 60_000
  print('end')
  return seen
}

test('a burst is printed whole', () => {
  expect(printed(900, 1)).toEqual({ characters: 900_003, dropped: 0 })
})

test('contracts that print without end print a bounded text each second, and the dropped lines are counted', () => {
  const { characters, dropped } = printed(60_000, 60)
  expect(characters).toBeLessThan(1_000_000 + 61 * 50_000)
  expect(characters).toBeGreaterThan(3_000_000)
  expect(dropped).toBe(60_000 - (characters - 3) / 1000)
})
