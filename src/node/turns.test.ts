import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createTurns, inTurn } from './turns.ts'

/** Counts into shared memory in turns; each step reads, waits and writes, so that two at once lose a count. */
const PROGRAM = `
const { workerData: { turns, count, times } } = require('node:worker_threads')
const taken = new Int32Array(turns)
const shared = new Int32Array(count)
for (let i = 0; i < times; i++) {
  while (Atomics.compareExchange(taken, 0, 0, 1) !== 0) Atomics.wait(taken, 0, 1)
  const before = shared[0]
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
  shared[0] = before + 1
  Atomics.store(taken, 0, 0)
  Atomics.notify(taken, 0, 1)
}`

test('threads take turns', async () => {
  const turns = createTurns()
  const count = new SharedArrayBuffer(4)
  const shared = new Int32Array(count)
  const worker = new Worker(PROGRAM, { eval: true, workerData: { turns, count, times: 50 } })
  await new Promise((resolve) => worker.once('online', resolve))
  for (let i = 0; i < 50; i++) {
    inTurn(turns, () => {
      const before = shared[0]!
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      shared[0] = before + 1
    })
  }
  await new Promise((resolve) => worker.once('exit', resolve))
  expect(shared[0]).toBe(100)
})

test('a turn that never ends does not block others forever', () => {
  const turns = createTurns()
  new Int32Array(turns)[0] = 1
  expect(inTurn(turns, () => 'open')).toBe('open')
  expect(inTurn(turns, () => 'again')).toBe('again')
})
