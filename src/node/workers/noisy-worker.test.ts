import type { Worker } from 'node:cluster'
import { expect, test } from 'vitest'
import type { Handle } from './noisy-clients.ts'
import { createNoisyWorker } from './noisy-worker.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function world() {
  const told: boolean[] = []
  const stopped: Worker[] = []
  const passed: unknown[] = []
  let starts = 0
  let failure: Error | undefined
  const worker = {
    isConnected: () => true,
    send(_: unknown, handle: unknown, __: unknown, sent: () => void) {
      passed.push(handle)
      sent()
    },
  } as unknown as Worker
  const noisy = createNoisyWorker({
    async start() {
      starts++
      await turn()
      if (failure) throw failure
      return worker
    },
    tell: (isOpen) => told.push(isOpen),
    stop: (one) => stopped.push(one),
    log: () => {},
  })
  return {
    ...{ noisy, told, stopped, passed, worker },
    starts: () => starts,
    fail(error: Error) {
      failure = error
    },
  }
}

function handleOf() {
  let isClosed = false
  const handle: Handle = {
    readStop() {},
    close() {
      isClosed = true
    },
  }
  return { handle, isClosed: () => isClosed }
}

test('however often it is asked for, the process starts once, and again after it has ended', async () => {
  const { noisy, told, starts } = world()
  for (let i = 0; i < 5; i++) noisy.start()
  expect(noisy.isOpen()).toBe(false)
  for (let i = 0; i < 3; i++) await turn()
  noisy.start()
  expect([starts(), told]).toEqual([1, [true]])
  noisy.ended()
  expect(told).toEqual([true, false])
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  expect([starts(), told]).toEqual([2, [true, false, true]])
})

test('a process that does not start leaves the clients where they are, and can be asked for again', async () => {
  const { noisy, told, starts, fail } = world()
  fail(new Error('no memory'))
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  expect([noisy.isOpen(), told]).toEqual([false, []])
  noisy.start()
  expect(starts()).toBe(2)
})

test('this process keeps no descriptor of a connection that it passes on, or that nobody takes', async () => {
  const { noisy, passed } = world()
  const early = handleOf()
  noisy.pass(early.handle)
  expect([early.isClosed(), passed]).toEqual([true, []])
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  const { handle, isClosed } = handleOf()
  noisy.pass(handle)
  expect([passed, isClosed()]).toEqual([[handle], true])
})

test('an idle process ends, after the API workers know', async () => {
  const { noisy, told, stopped, worker } = world()
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  noisy.end()
  expect([told, stopped]).toEqual([[true, false], [worker]])
  noisy.ended()
  expect(told).toEqual([true, false])
})
