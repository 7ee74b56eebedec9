import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSeats } from './semaphore.ts'

test('seats are taken in order, no more than there are, and who would wait too long in line is told', async () => {
  const seats = createSeats({ most: 2, mostWaiting: 3 })
  const taken: number[] = []
  const leaves: (() => void)[] = []
  const all = [0, 1, 2, 3, 4].map(async (n) => {
    leaves[n] = await seats.take()
    taken.push(n)
  })
  await setImmediate()
  expect(taken).toEqual([0, 1])
  await expect(seats.take()).rejects.toMatchObject({ status: 'resourceExhausted' })
  leaves[1]!()
  await setImmediate()
  expect(taken).toEqual([0, 1, 2])
  for (const n of [0, 2, 3, 4]) {
    leaves[n]!()
    await setImmediate()
  }
  await Promise.all(all)
  expect(taken).toEqual([0, 1, 2, 3, 4])
  // All are free again.
  await Promise.all([seats.take(), seats.take()])
})
