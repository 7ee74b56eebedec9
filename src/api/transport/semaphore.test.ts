import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

test('a semaphore grants its permits in order and rejects a caller when the queue is full', async () => {
  const semaphore = createSemaphore({ permits: 2, queueLimit: 3 })
  const taken: number[] = []
  const releases: (() => void)[] = []
  const all = [0, 1, 2, 3, 4].map(async (n) => {
    releases[n] = await semaphore.acquire()
    taken.push(n)
  })
  await setImmediate()
  expect(taken).toEqual([0, 1])
  await expect(semaphore.acquire()).rejects.toMatchObject({ status: 'resourceExhausted' })
  releases[1]!()
  await setImmediate()
  expect(taken).toEqual([0, 1, 2])
  for (const n of [0, 2, 3, 4]) {
    releases[n]!()
    await setImmediate()
  }
  await Promise.all(all)
  expect(taken).toEqual([0, 1, 2, 3, 4])
  // All permits are free now.
  await Promise.all([semaphore.acquire(), semaphore.acquire()])
})
