import type { Worker } from 'node:cluster'
import { afterEach, expect, test, vi } from 'vitest'
import type { Handle } from './noisy-clients.ts'
import { createNoisyWorker } from './noisy-worker.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function world() {
  const told: boolean[] = []
  const stopped: Worker[] = []
  const passed: unknown[] = []
  let starts = 0
  let failure: Error | undefined
  /** Whether the process takes no connection, as one that is hung. */
  let isHung = false
  const newWorker = () =>
    ({
      isConnected: () => true,
      send(_: unknown, handle: unknown, __: unknown, sent: () => void) {
        passed.push(handle)
        if (!isHung) sent()
      },
    }) as unknown as Worker
  let worker = newWorker()
  let now = 0
  const killed: Worker[] = []
  const noisy = createNoisyWorker({
    async start() {
      starts++
      await turn()
      if (failure) throw failure
      return worker
    },
    tell: (isOpen) => told.push(isOpen),
    stop: (one) => stopped.push(one),
    kill: (one) => killed.push(one),
    maxBytes: 1000,
    elapsed: () => now,
    log: () => {},
  })
  return {
    ...{ noisy, told, stopped, killed, passed },
    wait(ms: number) {
      now += ms
    },
    worker: () => worker,
    starts: () => starts,
    replace() {
      worker = newWorker()
    },
    hang(hangs: boolean) {
      isHung = hangs
    },
    fail(error: Error) {
      failure = error
    },
  }
}

afterEach(() => void vi.useRealTimers())

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
  const { noisy, told, starts, worker, wait } = world()
  for (let i = 0; i < 5; i++) noisy.start()
  expect(noisy.isOpen()).toBe(false)
  for (let i = 0; i < 3; i++) await turn()
  noisy.start()
  expect([starts(), told]).toEqual([1, [true]])
  noisy.ended(worker())
  expect(told).toEqual([true, false])
  // A process that ends again and again starts every five seconds.
  noisy.start()
  wait(4999)
  noisy.start()
  expect(starts()).toBe(1)
  wait(1)
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  expect([starts(), told]).toEqual([2, [true, false, true]])
})

test('a process that does not start leaves the clients where they are, and can be asked for again', async () => {
  const { noisy, told, starts, fail, wait } = world()
  fail(new Error('no memory'))
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  expect([noisy.isOpen(), told]).toEqual([false, []])
  wait(5000)
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

test('a process that hangs, or whose clients have filled its memory, is ended', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { noisy, told, killed, worker, replace, wait } = world()
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  const hung = worker()
  vi.advanceTimersByTime(120_000)
  noisy.report(hung, 1000)
  vi.advanceTimersByTime(120_000)
  expect(killed).toEqual([])
  vi.advanceTimersByTime(10_000)
  expect([killed, told]).toEqual([[hung], [true, false]])

  replace()
  wait(5000)
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  // What the previous process tells late is not of this one.
  noisy.report(hung, 2000)
  expect(killed).toEqual([hung])
  noisy.report(worker(), 1001)
  expect([killed, told]).toEqual([
    [hung, worker()],
    [true, false, true, false],
  ])
  // Nothing looks at a process that has ended.
  vi.advanceTimersByTime(1_000_000)
  expect(killed).toHaveLength(2)
})

test('an idle process ends, after the API workers know', async () => {
  const { noisy, told, stopped, worker } = world()
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  noisy.end()
  expect([told, stopped]).toEqual([[true, false], [worker()]])
  noisy.ended(worker())
  expect(told).toEqual([true, false])
})

test('a process that starts while the idle one still ends stays open', async () => {
  const { noisy, told, stopped, worker, replace, wait } = world()
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  const idle = worker()
  noisy.end()
  replace()
  wait(5000)
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  noisy.ended(idle)
  expect([noisy.isOpen(), told]).toEqual([true, [true, false, true]])
  noisy.end()
  expect(stopped).toEqual([idle, worker()])
})

test('connections that a hung process does not take are few, and all close when it ends', async () => {
  const { noisy, passed, worker, hang, wait } = world()
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  hang(true)
  const handles = Array.from({ length: 1000 }, handleOf)
  for (const { handle } of handles) noisy.pass(handle)
  // One is under way, and 256 wait.
  expect(passed).toEqual([handles[0]!.handle])
  expect(handles.filter(({ isClosed }) => !isClosed())).toHaveLength(257)
  noisy.ended(worker())
  expect(handles.filter(({ isClosed }) => !isClosed())).toHaveLength(0)

  // The next process takes connections, whatever became of those.
  hang(false)
  wait(5000)
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  const { handle } = handleOf()
  noisy.pass(handle)
  expect(passed).toEqual([handles[0]!.handle, handle])
})

test('connections that wait for a busy process reach it in their order', async () => {
  const { noisy, worker } = world()
  noisy.start()
  for (let i = 0; i < 3; i++) await turn()
  const sent: (() => void)[] = []
  const passed: unknown[] = []
  Object.assign(worker(), {
    send(_: unknown, handle: unknown, __: unknown, done: () => void) {
      passed.push(handle)
      sent.push(done)
    },
  })
  const handles = Array.from({ length: 3 }, handleOf)
  for (const { handle } of handles) noisy.pass(handle)
  for (let i = 0; i < 3; i++) sent.shift()!()
  expect(passed).toEqual(handles.map(({ handle }) => handle))
  expect(handles.every(({ isClosed }) => isClosed())).toBe(true)
})
