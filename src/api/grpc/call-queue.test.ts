import { expect, test } from 'vitest'
import { createCallQueue } from './call-queue.ts'

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('calls run in their order, 32 at once, and the next one as soon as one ends', async () => {
  const queue = createCallQueue(
    () => false,
    () => undefined,
  )
  const started: number[] = []
  const ends: (() => void)[] = []
  for (let i = 0; i < 100; i++) {
    void queue.enter(new AbortController().signal).then((end) => {
      started.push(i)
      ends.push(end!)
    })
  }
  // Calls that do not end at once start in turns of the event loop, so that the others are served between them.
  for (let i = 0; i < 40; i++) await settle()
  expect(started).toEqual(Array.from({ length: 32 }, (_, i) => i))
  ends.shift()!()
  await settle()
  expect(started.at(-1)).toBe(32)
  while (ends.length > 0) {
    ends.shift()!()
    await settle()
  }
  expect(started).toEqual(Array.from({ length: 100 }, (_, i) => i))
})

test('no call runs while the client does not read, even if its turn comes', async () => {
  let isFull = false
  const turns: (() => void)[] = []
  const queue = createCallQueue(
    () => isFull,
    () => new Promise((resolve) => turns.push(resolve)),
  )
  let started = 0
  for (let i = 0; i < 3; i++) void queue.enter(new AbortController().signal).then(() => started++)
  // One turn at a time, however many calls wait.
  expect(turns).toHaveLength(1)
  turns[0]!()
  await settle()
  await settle()
  expect([started, turns.length]).toEqual([1, 2])
  isFull = true
  turns[1]!()
  await settle()
  expect([started, turns.length]).toEqual([1, 2])
  isFull = false
  queue.proceed()
  expect(turns).toHaveLength(3)
  turns[2]!()
  await settle()
  expect(started).toBe(2)
})

test('a cancelled call does not run, and leaves its place to others', async () => {
  let isFull = true
  const queue = createCallQueue(
    () => isFull,
    () => undefined,
  )
  const [cancelled, other] = [new AbortController(), new AbortController()]
  const first = queue.enter(cancelled.signal)
  const second = queue.enter(other.signal)
  cancelled.abort()
  expect(await first).toBeUndefined()
  expect(await queue.enter(cancelled.signal)).toBeUndefined()
  isFull = false
  queue.proceed()
  expect(await second).toBeTypeOf('function')
})
