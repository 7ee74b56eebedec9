import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDisk } from '../../node/disk.ts'
import { encodeUint64, formatHex, utf8 } from '../../primitives/bytes.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemory } from '../backend/memory.ts'
import { createBranch } from '../branch.ts'
import { seeded } from '../testing/backend-contract.ts'
import { openTestStore } from '../testing/test-store.ts'
import type { Branch, Change, Entry, Range, RunEntry } from '../types.ts'

const OPTIONS = { hashedStores: ['acc', 'bank', 'evm'], checkpoints: { blocks: 10, writesInMemory: 300 } }

const keyOf = (n: number) => encodeUint64(BigInt(n))
/** Returns a value so long that a run of hundreds has several pieces. */
const valueFor = (n: number, round: number) => new Uint8Array(100).fill(n + round)

/** Returns the sorted writes of a run: some keys new, some not, some deleted. */
function runOf(seed: number, count: number): RunEntry[] {
  const below = seeded(seed)
  const keys = new Set<number>()
  while (keys.size < count) keys.add(below(3 * count))
  return [...keys].sort((a, b) => a - b).map((n) => [keyOf(n), below(5) === 0 ? undefined : valueFor(n, seed)])
}

/** Returns entries as one text, which compares faster than bytes. */
const shown = (entries: Iterable<Entry>) =>
  Array.from(entries, ([key, value]) => `${formatHex(key)}=${formatHex(value)}`).join(' ')

const rowsOf = (backend: Backend) =>
  ['head', 'dead', 'log', 'index', 'staged'].map((table) => shown(backend.iterate(table)))

const RANGES: readonly Range[] = [
  {},
  { reverse: true },
  { start: keyOf(100), end: keyOf(700) },
  { start: keyOf(100), end: keyOf(700), reverse: true },
  { start: keyOf(431), end: keyOf(432) },
]

function expectSame(a: Branch, b: Branch): void {
  for (const store of ['acc', 'bank', 'evm']) {
    for (const range of RANGES) expect(shown(a.iterate(store, range))).toBe(shown(b.iterate(store, range)))
    const some = Array.from({ length: 60 }, (_, i) => keyOf(i * 15 + 1))
    const found = (branch: Branch) => shown(some.map((key) => [key, branch.get(store, key) ?? utf8('none')] as const))
    expect(found(a)).toBe(found(b))
    expect(a.has(store, keyOf(431))).toBe(b.has(store, keyOf(431)))
  }
}

/** Writes the same block through runs and through the overlay. */
function writeTwice(inRuns: Branch, inOverlay: Branch, seed: number): void {
  const both = [inRuns, inOverlay]
  for (const branch of both) for (let n = 0; n < 500; n += 50) branch.set('bank', keyOf(n), utf8('before'))
  for (const [i, store] of ['bank', 'evm', 'bank'].entries()) {
    const run = runOf(seed * 10 + i, 300)
    inRuns.writeRun(store, run)
    for (const [key, value] of run) {
      if (value) inOverlay.set(store, key, value)
      else inOverlay.delete(store, key)
    }
    expectSame(inRuns, inOverlay)
  }
  for (const branch of both) {
    const inner = branch.branch()
    for (let n = 0; n < 900; n += 30) inner.set('evm', keyOf(n), utf8('behind'))
    for (let n = 15; n < 900; n += 30) inner.delete('bank', keyOf(n))
    inner.merge()
    branch.set('acc', keyOf(1), utf8('v'))
  }
  expectSame(inRuns, inOverlay)
}

test.each([
  ['memory', () => openMemory(), () => undefined],
  ['LMDB', (path: string) => openDisk(path, { noSync: true }), (path: string) => rmSync(path, { recursive: true })],
] as const)(
  'blocks written in runs have the rows of blocks written in the overlay, over %s',
  { timeout: 120_000 },
  async (_name, open, clean) => {
    const paths = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'almanac-staging-')))
    const backends = paths.map((path) => open(path))
    const [a, b] = backends.map((backend) => openTestStore(backend, OPTIONS))
    const first: Change[] = Array.from({ length: 400 }, (_, n) => ({
      store: 'evm',
      key: keyOf(n),
      value: valueFor(n, 0),
    }))
    for (const store of [a!, b!]) store.commit({ height: 1n, changes: first })
    for (let height = 2n; height < 4n; height++) {
      const [base, other] = [a!.at(), b!.at()]
      const [inRuns, inOverlay] = [createBranch(base), createBranch(other)]
      writeTwice(inRuns, inOverlay, Number(height))
      expect(a!.commit({ height, changes: inRuns.changes(), staged: inRuns.staged() })).toEqual(
        b!.commit({ height, changes: inOverlay.changes() }),
      )
      base.close()
      other.close()
      expect(rowsOf(backends[0]!)).toEqual(rowsOf(backends[1]!))
      expect(rowsOf(backends[0]!).at(-1)).toBe('')
      for (const key of [keyOf(5), keyOf(431)]) {
        expect(a!.at(height).proofs.prove('bank', key)).toEqual(b!.at(height).proofs.prove('bank', key))
      }
    }
    const again = [a!.rollback({ height: 2n }), b!.rollback({ height: 2n })]
    expect(again[0]).toEqual(again[1])
    expect(rowsOf(backends[0]!)).toEqual(rowsOf(backends[1]!))
    for (const store of [a!, b!]) await store.close()
    paths.forEach(clean)
  },
)

test('a run can come from an iteration over the store that it changes, and does not disturb it', () => {
  const store = openTestStore(openMemory(), OPTIONS)
  const changes = Array.from({ length: 1000 }, (_, n) => ({ store: 'bank', key: keyOf(n), value: valueFor(n, 0) }))
  store.commit({ height: 1n, changes })
  const branch = createBranch(store.at())
  branch.set('bank', keyOf(10), utf8('ten'))
  let seen = 0
  function* doubled(): IterableIterator<RunEntry> {
    for (const [key, value] of branch.iterate('bank')) {
      seen++
      yield [key, value.length === 3 ? utf8('TEN') : value.slice(0, 50)]
    }
  }
  branch.writeRun('bank', doubled())
  branch.writeRun('bank', doubled())
  expect(seen).toBe(2000)
  expect(branch.get('bank', keyOf(10))).toEqual(utf8('TEN'))
  expect(branch.get('bank', keyOf(999))).toEqual(valueFor(999, 0).slice(0, 50))
  expect([...branch.iterate('bank')]).toHaveLength(1000)
})

test('a run that fails leaves nothing; a run out of order or in a nested branch is refused', () => {
  const store = openTestStore(openMemory(), OPTIONS)
  store.commit({ height: 1n, changes: [] })
  const branch = createBranch(store.at())
  function* failing(): IterableIterator<RunEntry> {
    for (let n = 0; n < 500; n++) yield [keyOf(n), valueFor(n, 1)]
    throw new Error('no more')
  }
  expect(() => branch.writeRun('bank', failing())).toThrow('no more')
  const [key, value] = [keyOf(7), utf8('v')]
  expect(() =>
    branch.writeRun('bank', [
      [key, value],
      [keyOf(6), value],
    ]),
  ).toThrow('do not ascend')
  expect(() =>
    branch.writeRun('bank', [
      [key, value],
      [key, value],
    ]),
  ).toThrow('do not ascend')
  expect(() => branch.writeRun('bank', [[new Uint8Array(1600), value]])).toThrow('a key of 1600 bytes')
  expect(() => branch.branch().writeRun('bank', [])).toThrow('by the root branch')
  expect(branch.staged()).toBeUndefined()
  expect([...branch.iterate('bank')]).toEqual([])
  branch.writeRun('bank', [[key, value]])
  store.commit({ height: 2n, changes: branch.changes(), staged: branch.staged() })
  expect([...store.at().iterate('bank')]).toEqual([[key, value]])
})

test('runs over a read-only store stay in memory', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-staging-'))
  const writer = openTestStore(openDisk(path))
  writer.commit({ height: 1n, changes: [{ store: 'bank', key: keyOf(1), value: utf8('v') }] })
  const backend = openDisk(path, { readOnly: true })
  const branch = createBranch(openTestStore(backend).at())
  branch.writeRun('bank', runOf(1, 300))
  expect(branch.get('bank', keyOf(1))).toEqual(
    new Map(runOf(1, 300).map(([k, v]) => [formatHex(k), v])).get(formatHex(keyOf(1))) ?? utf8('v'),
  )
  expect([...branch.staged()!.changes([])]).toHaveLength(300)
  expect([...backend.iterate('staged')]).toEqual([])
  await writer.close()
  await backend.close()
  rmSync(path, { recursive: true })
})

/** The program of a process that is killed: it commits one block of some keys, then one of a run. */
const KILLED = `
  const [url, path, at] = process.argv.slice(1)
  const load = (name) => import(new URL(name, url))
  const { openDisk } = await load('../../node/disk.ts')
  const { openVersionedStore } = await load('../versioned.ts')
  const { createBranch } = await load('../branch.ts')
  const { encodeUint64 } = await load('../../primitives/bytes.ts')
  const die = () => process.kill(process.pid, 'SIGKILL')
  const value = (n) => new Uint8Array(100).fill(n)
  const run = (count, round) => Array.from({ length: count }, (_, n) => [encodeUint64(BigInt(n)), value(n + round)])
  const store = openVersionedStore(openDisk(path), { hashedStores: ['acc', 'bank', 'evm'], otherStores: [] })
  const changes = run(400, 0).map(([key, value]) => ({ store: 'bank', key, value }))
  if (store.latestHeight() === 0n) store.commit({ height: 1n, changes })
  const branch = createBranch(store.at())
  branch.writeRun('bank', run(5000, 1))
  function* dying() {
    yield [encodeUint64(1n), value(1)]
    die()
  }
  if (at === 'staging') branch.writeRun('evm', dying())
  const records = () => (at === 'commit' ? die() : [])
  store.commit({ height: 2n, changes: [], staged: branch.staged(), records })
  await store.close()`

test('a process killed while it stages or commits runs is at the block before, and the next attempt succeeds', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-staging-'))
  const entries = (count: number, round: number) =>
    Array.from({ length: count }, (_, n) => [keyOf(n), valueFor(n, round)] as const)
  const before = openTestStore(openMemory(), OPTIONS)
  before.commit({ height: 1n, changes: entries(400, 0).map(([key, value]) => ({ store: 'bank', key, value })) })
  for (const at of ['staging', 'commit']) {
    const flags = ['--import', 'tsx', '--input-type=module', '--eval', KILLED, import.meta.url, path, at]
    const { signal, stderr } = spawnSync(process.execPath, flags)
    expect(signal, stderr.toString()).toBe('SIGKILL')
    const backend = openDisk(path)
    expect([...backend.iterate('staged')].length).toBeGreaterThan(0)
    const store = openTestStore(backend, OPTIONS)
    expect([...backend.iterate('staged')]).toEqual([])
    expect(store.appHash()).toEqual(before.appHash())
    expect(shown(store.at().iterate('bank'))).toBe(shown(before.at().iterate('bank')))
    await store.close()
  }
  const store = openTestStore(openDisk(path), OPTIONS)
  for (const one of [store, before]) {
    const branch = createBranch(one.at())
    branch.writeRun('bank', entries(5000, 1))
    one.commit({ height: 2n, changes: branch.changes(), staged: branch.staged() })
  }
  expect(store.appHash()).toEqual(before.appHash())
  await store.close()
  rmSync(path, { recursive: true })
}, 120_000)
