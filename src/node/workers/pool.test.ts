import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { profile } from '../../identity/profiles/almanac.ts'
import { type ComputePool, createComputePool } from './pool.ts'
import { canMeasure } from './thread-memory.ts'

/** A thread with jobs that answer, fail, count until cancelled, never stop, and fill the memory. */
const program = `
import { parentPort, workerData } from 'node:worker_threads'
const cancelled = new Int32Array(workerData.cancelled)
parentPort.on('message', ({ id, job, payload }) => {
  if (job === 'echo') parentPort.postMessage({ id, ok: true, result: payload })
  if (job === 'refuse') {
    const error = { status: 'notFound', codespace: 'evm', code: 7, message: 'no such thing', details: [] }
    parentPort.postMessage({ id, ok: false, error })
  }
  if (job === 'bug') parentPort.postMessage({ id, ok: false, error: { message: 'secret', stack: 'secret stack' } })
  if (job === 'polite') {
    while (Atomics.load(cancelled, 0) !== id);
    parentPort.postMessage({ id, ok: true, result: 'stopped' })
  }
  if (job === 'endless') for (;;);
  if (job === 'lists') { const kept = []; for (;;) kept.push(new Array(1000).fill(id)) }
  if (job === 'list') { const kept = []; for (;;) kept.push(kept.length + 0.5) }
  if (job === 'table') { const kept = new Set(); for (;;) kept.add(kept.size) }
  if (job === 'filling') for (;;) { const list = new Array(1000); list[5] = payload[0]; payload[0] += list[5] ? 1 : 2 }
})
parentPort.postMessage({ ready: true })
`
const pools: ComputePool[] = []
afterAll(async () => {
  for (const pool of pools) await pool.stop()
})

function open(more: { workers?: number; queue?: number; graceMs?: number } = {}) {
  const logged: string[] = []
  const pool = createComputePool({
    workers: 1,
    entry: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    setup: { dataPath: '', profile, chainId: 'c', minGasPrices: '' },
    memoryBytes: 64 * 2 ** 20,
    queue: 16,
    timeoutMs: 400,
    log: (level, message, fields) => logged.push(`${level} ${message} ${fields?.['job']}`),
    elapsed: () => performance.now(),
    ...more,
  })
  pools.push(pool)
  return { pool, logged }
}

test('a job is answered, and its failure arrives as the same error', async () => {
  const { pool, logged } = open()
  expect(await pool.run('echo', { amount: 5n }, { timeoutMs: 60_000 })).toEqual({ amount: 5n })
  await expect(pool.run('refuse', {}, { timeoutMs: 60_000 })).rejects.toMatchObject({ status: 'notFound', code: 7 })
  await expect(pool.run('bug', {}, { timeoutMs: 60_000 })).rejects.toMatchObject({
    status: 'internal',
    message: 'internal error',
  })
  expect(logged).toEqual(['error compute job failed bug'])
  expect(pool.stats()).toMatchObject({ done: 3, kills: 0, running: 0 })
})

test('a job that cannot be cloned fails without delaying others', async () => {
  const { pool } = open()
  await pool.run('echo', 1, { timeoutMs: 60_000 })
  await expect(pool.run('echo', () => 1, { timeoutMs: 60_000 })).rejects.toThrow('could not be cloned')
  expect(await pool.run('echo', 2, { timeoutMs: 60_000 })).toBe(2)
  expect(pool.stats()).toMatchObject({ waiting: 0, running: 0, kills: 0 })
})

test('sixteen endless jobs are all rejected at the end of their time, counted from their arrival', async () => {
  const { pool } = open()
  await pool.run('echo', 1, { timeoutMs: 60_000 })
  const all = Array.from({ length: 16 }, () => pool.run('endless', {}, {}).catch((error) => error))
  const [ran, ...waited] = (await Promise.all(all)) as { readonly status: string; readonly message: string }[]
  expect(ran).toMatchObject({
    status: 'deadlineExceeded',
    message: 'the computation took longer than its time budget of 0.4 s',
  })
  expect(new Set(waited.map(({ status, message }) => `${status} ${message}`))).toEqual(
    new Set(['deadlineExceeded no thread was free within the time budget of 0.4 s; try again']),
  )
  expect(await pool.run('echo', 'alive', { timeoutMs: 60_000 })).toBe('alive')
  expect(pool.stats().kills).toBe(1)
})

test('a cancelled job stops, and its thread continues if the job stops in time', async () => {
  const { pool } = open({ graceMs: 60_000 })
  await pool.run('echo', 1, { timeoutMs: 60_000 })
  const client = new AbortController()
  const running = pool.run('polite', {}, { signal: client.signal, timeoutMs: 60_000 })
  setTimeout(() => client.abort(), 50)
  await expect(running).rejects.toMatchObject({ status: 'cancelled' })
  expect(await pool.run('echo', 2, { timeoutMs: 60_000 })).toBe(2)
  expect(pool.stats().kills).toBe(0)
  await expect(pool.run('echo', 3, { signal: client.signal })).rejects.toMatchObject({ status: 'cancelled' })
})

/** Ways to fill the memory: many small lists, and a list and a table that grow in steps beyond V8's reserve. */
const EATERS = canMeasure(Worker.prototype) ? ['lists', 'list', 'table'] : ['lists']

test.each(EATERS)('a job over its memory is ended, and no other: %s', async (kind) => {
  const { pool, logged } = open()
  await pool.run('echo', 1, { timeoutMs: 60_000 })
  const eater = pool.run(kind, {}, { timeoutMs: 60_000 })
  const next = pool.run('echo', 'next', { timeoutMs: 60_000 })
  await expect(eater).rejects.toMatchObject({
    status: 'resourceExhausted',
    message: 'the computation needed more memory than its budget',
  })
  expect(await next).toBe('next')
  expect(pool.stats().kills).toBe(1)
  expect(logged).toEqual([`warn compute worker ended ${kind}`])
})

test('the thread of an endless job stops, even in a loop that makes lists of fixed length', async () => {
  const { pool } = open()
  await pool.run('echo', 1, { timeoutMs: 60_000 })
  const rounds = new Int32Array(new SharedArrayBuffer(4))
  await expect(pool.run('filling', rounds, {})).rejects.toMatchObject({ status: 'deadlineExceeded' })
  expect(await pool.run('echo', 2, { timeoutMs: 60_000 })).toBe(2)
  const newRounds = async () => {
    const before = Atomics.load(rounds, 0)
    await sleep(20)
    return Atomics.load(rounds, 0) - before
  }
  await expect.poll(newRounds, { timeout: 10_000 }).toBe(0)
  expect(rounds[0]).toBeGreaterThan(0)
})

test('a full queue and a stopped pool refuse jobs', async () => {
  const { pool } = open({ queue: 1 })
  await pool.run('echo', 1, { timeoutMs: 60_000 })
  const first = pool.run('endless', {}, {}).catch((error) => error.status)
  const second = pool.run('echo', 2, { timeoutMs: 60_000 })
  await expect(pool.run('echo', 3, {})).rejects.toMatchObject({ status: 'resourceExhausted' })
  expect([await first, await second]).toEqual(['deadlineExceeded', 2])
  await pool.stop()
  await expect(pool.run('echo', 4, {})).rejects.toMatchObject({ status: 'unavailable' })
})
