import { expect, test } from 'vitest'
import { createNextHeader } from './next-header.ts'

/** A chain whose blocks and clock a test sees. */
function chain(tickMs: number) {
  let height = 5n
  let now = 0
  const made: number[] = []
  const nextHeader = createNextHeader({
    latestHeight: () => height,
    async nextBlock() {
      made.push(now)
      height++
    },
    elapsed() {
      now += tickMs
      return now
    },
  })
  return { nextHeader, made, latest: () => height, mine: () => height++ }
}

test('a height whose next header exists resolves at once', async () => {
  const { nextHeader, made } = chain(1)
  await nextHeader(4n)
  expect(made).toEqual([])
})

test('concurrent waits at the tip share one block', async () => {
  const { nextHeader, made, latest } = chain(1)
  await Promise.all([nextHeader(5n), nextHeader(5n), nextHeader(5n)])
  expect([made.length, latest()]).toEqual([1, 6n])
})

test('blocks made only for proofs are a second apart, and another block in between is enough', async () => {
  // Each look at the clock is 990 ms later: there are 10 left to wait.
  const { nextHeader, made, latest, mine } = chain(990)
  await nextHeader(5n)
  const waiting = nextHeader(6n)
  await Promise.resolve()
  expect(made.length).toBe(1)
  mine()
  await waiting
  expect([made.length, latest()]).toEqual([1, 7n])
  await nextHeader(7n)
  expect([made.length, latest()]).toEqual([2, 8n])
})
