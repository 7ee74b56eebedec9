import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { REFERENCE_STORES } from '../app/stores.ts'
import { openDisk } from '../node/disk.ts'
import { createTreeHelper } from '../node/trees/tree-helper.ts'
import { formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import type { Backend } from './backend/backend.ts'
import { openMemory } from './backend/memory.ts'
import { compareTexts } from './order.ts'
import { randomBlock, STORES, seeded } from './testing/backend-contract.ts'
import { openTestStore } from './testing/test-store.ts'
import type { Change, Range, Snapshot } from './types.ts'
import type { VersionedStore } from './versioned.ts'

type Model = ReadonlyMap<string, ReadonlyMap<string, string>>

function written(model: Model, changes: readonly Change[]): Model {
  const next = new Map(Array.from(model, ([store, entries]) => [store, new Map(entries)]))
  for (const { store, key, value } of changes) {
    const entries = next.get(store) ?? new Map<string, string>()
    next.set(store, entries)
    if (value) entries.set(formatHex(key), formatHex(value))
    else entries.delete(formatHex(key))
  }
  return next
}

function contents(snapshot: Snapshot, store: string, range?: Range): string[][] {
  return Array.from(snapshot.iterate(store, range), ([k, v]) => [formatHex(k), formatHex(v)])
}

function expectModel(snapshot: Snapshot, model: Model, below: (n: number) => number): void {
  for (const store of STORES) {
    const expected = [...(model.get(store) ?? [])].sort(([a], [b]) => compareTexts(a, b))
    expect(contents(snapshot, store)).toEqual(expected)
    const [start, end] = [Uint8Array.of(1, below(24)), Uint8Array.of(0xff, below(24))]
    const within = expected.filter(([k]) => k! >= formatHex(start) && k! < formatHex(end)).reverse()
    expect(contents(snapshot, store, { start, end, reverse: true })).toEqual(within)
    const key = Uint8Array.of(1, below(24))
    const value = snapshot.get(store, key)
    expect(value && formatHex(value)).toBe(model.get(store)?.get(formatHex(key)))
    expect(snapshot.has(store, key)).toBe(value !== undefined)
  }
}

/** Backends under test, each with a way to reopen it without closing the store, as after a kill. */
const BACKENDS: readonly (readonly [string, () => { backend: Backend; again(): Promise<Backend>; clean(): void }])[] = [
  [
    'memory',
    () => {
      const backend = openMemory()
      return { backend, again: async () => backend, clean() {} }
    },
  ],
  [
    'LMDB',
    () => {
      const path = mkdtempSync(join(tmpdir(), 'almanac-store-'))
      let backend = openDisk(path, { noSync: true })
      return {
        backend,
        async again() {
          await backend.close()
          backend = openDisk(path, { noSync: true })
          return backend
        },
        clean: () => rmSync(path, { recursive: true, force: true }),
      }
    },
  ],
]

describe.each(BACKENDS)('a versioned store over %s', (_name, make) => {
  test.each([1, 2])('shows at every height the contents of a model (seed %i)', async (seed) => {
    const { backend, again, clean } = make()
    const below = seeded(seed)
    let store = openTestStore(backend, { checkpoints: { changedKeys: 300 } })
    const models: Model[] = [new Map()]
    const open: { snapshot: Snapshot; model: Model }[] = []
    for (let height = 1; height <= 150; height++) {
      const changes = randomBlock(below, below(30))
      models.push(written(models.at(-1)!, changes))
      store.commit({ height: BigInt(height), changes })
      const asked = 1 + below(height)
      const snapshot = store.at(BigInt(asked))
      expectModel(snapshot, models[asked]!, below)
      snapshot.close()
      // Snapshots that stay open during commits show their own height.
      if (height % 10 === 3) open.push({ snapshot: store.at(), model: models[height]! })
      if (height % 10 === 9) {
        for (const { snapshot, model } of open.splice(0, 1)) {
          expectModel(snapshot, model, below)
          snapshot.close()
        }
      }
      if (height === 77) {
        for (const { snapshot } of open.splice(0)) snapshot.close()
        store = openTestStore(await again(), { checkpoints: { changedKeys: 300 } })
        expect(store.latestHeight()).toBe(77n)
      }
    }
    for (let height = 1; height <= 150; height += 7) {
      const snapshot = store.at(BigInt(height))
      expectModel(snapshot, models[height]!, below)
      snapshot.close()
    }
    for (const { snapshot } of open) snapshot.close()
    await store.close()
    clean()
  })

  test('keeps the configured number of heights, each of them whole', async () => {
    const { backend, clean } = make()
    const below = seeded(5)
    const store = openTestStore(backend, { keepHeights: 12 })
    const models: Model[] = [new Map()]
    for (let height = 1; height <= 120; height++) {
      const changes = randomBlock(below, below(30))
      models.push(written(models.at(-1)!, changes))
      store.commit({ height: BigInt(height), changes })
      const earliest = Number(store.earliestHeight())
      expect(height - earliest).toBeLessThan(12 + 12 + 4)
      for (const asked of [earliest, earliest + below(height - earliest + 1)]) {
        const snapshot = store.at(BigInt(asked))
        expectModel(snapshot, models[asked]!, below)
        snapshot.close()
      }
    }
    expect(store.earliestHeight()).toBeGreaterThan(90n)
    expect(() => store.at(store.earliestHeight() - 1n)).toThrow('is pruned: the earliest height is')
    const rows = [...backend.iterate('log')]
    expect(rows.length).toBeLessThanOrEqual(2 * 30)
    await store.close()
    clean()
  })

  test('has the app hashes of a store that never stopped, after restarts and with few nodes in memory', async () => {
    const { backend, again, clean } = make()
    const spacing = { checkpoints: { changedKeys: 100, nodesInMemory: 30 } }
    const steady = openTestStore(openMemory())
    let store: VersionedStore = openTestStore(backend, spacing)
    const [below, same] = [seeded(9), seeded(9)]
    for (let height = 1n; height <= 60n; height++) {
      const { appHash } = store.commit({ height, changes: randomBlock(below, 20) })
      expect(formatHex(appHash)).toBe(formatHex(steady.commit({ height, changes: randomBlock(same, 20) }).appHash))
      if (height % 13n === 0n) store = openTestStore(await again(), spacing)
      expect(store.appHash()).toEqual(appHash)
    }
    await store.close()
    clean()
  })

  test('writes a block whole or not at all, and stops after a failure', async () => {
    const { backend, again, clean } = make()
    let store = openTestStore(backend)
    const change = (value: string): Change[] => [{ store: 'bank', key: utf8('k'), value: utf8(value) }]
    store.commit({ height: 1n, changes: change('1'), records: (hash) => [{ table: 'b', key: utf8('1'), value: hash }] })
    const records = () => {
      throw new Error('no records')
    }
    expect(() => store.commit({ height: 2n, changes: change('2'), records })).toThrow('no records')
    expect(() => store.commit({ height: 2n, changes: change('2') })).toThrow('an earlier commit failed')
    expect(store.latestHeight()).toBe(1n)
    store = openTestStore(await again())
    expect(store.tables.get('b', utf8('1'))).toEqual(store.appHash())
    const { appHash } = store.commit({ height: 2n, changes: change('2') })
    const steady = openTestStore(openMemory())
    steady.commit({ height: 1n, changes: change('1') })
    expect(steady.commit({ height: 2n, changes: change('2') }).appHash).toEqual(appHash)
    await store.close()
    clean()
  })

  test('writes large blocks whole or not at all, with or without a second thread for their trees', async () => {
    const { backend, again, clean } = make()
    let store = openTestStore(backend, { createTreeHelper })
    const key = (i: number) => Uint8Array.of(i >> 8, i)
    const block = (height: number): Change[] =>
      Array.from({ length: 1_000 }, (_, i) => ({ store: 'bank', key: key(i * 3 + (height % 3)), value: key(height) }))
    for (let height = 1; height <= 40; height++) {
      store.commit({ height: BigInt(height), changes: block(height) })
      // Gives the other thread time to start.
      await setTimeout(1)
    }
    function proofs() {
      const snapshot = store.at(40n)
      const found = [0, 1, 2, 500, 2_999, 3_000].map((i) => snapshot.proofs.prove('bank', key(i)))
      snapshot.close()
      return found
    }
    const proofsBefore = proofs()
    const failing = block(41).map((change, i) =>
      i < 999 ? change : { ...change, key: new Uint8Array(4_000).fill(255) },
    )
    expect(() => store.commit({ height: 41n, changes: failing })).toThrow('a key of 4001 bytes in table head')
    expect(proofs()).toEqual(proofsBefore)
    expect(() => store.commit({ height: 41n, changes: block(41) })).toThrow('an earlier commit failed')
    const { appHash } = openTestStore(backend)
    store = openTestStore(await again(), { createTreeHelper })
    expect(store.appHash()).toEqual(appHash())
    store.commit({ height: 41n, changes: block(41) })
    await store.close()
    clean()
  })
})

describe('heights that cannot be read', () => {
  const failureAt = (store: VersionedStore, height?: bigint) => {
    try {
      store.at(height).close()
      return undefined
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      const [bounds] = error.details as unknown as [{ requested: bigint; earliest: bigint; latest: bigint }]
      return [error.status, bounds.requested, bounds.earliest, bounds.latest]
    }
  }

  test('have distinct errors: nothing committed yet, in the future, before the first', () => {
    const store = openTestStore(openMemory())
    expect(failureAt(store)).toEqual(['unavailable', 0n, 0n, 0n])
    store.commit({ height: 5n, changes: [] })
    store.commit({ height: 6n, changes: [] })
    expect(failureAt(store, 7n)).toEqual(['outOfRange', 7n, 5n, 6n])
    expect(failureAt(store, 4n)).toEqual(['notFound', 4n, 5n, 6n])
    expect(failureAt(store, 5n)).toBeUndefined()
  })

  test('a commit that does not follow the latest is refused', () => {
    const store = openTestStore(openMemory())
    store.commit({ height: 1n, changes: [] })
    expect(() => store.commit({ height: 3n, changes: [] })).toThrow('height 3 does not follow 1')
  })
})

test('a reader over the same disk sees new commits, keeps the height of open snapshots, and cannot commit', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-store-'))
  const writer = openTestStore(openDisk(path))
  const reader = openTestStore(openDisk(path, { readOnly: true }))
  expect(reader.latestHeight()).toBe(0n)
  const write = (height: bigint) =>
    writer.commit({ height, changes: [{ store: 'bank', key: utf8('k'), value: utf8(String(height)) }] })
  write(1n)
  const first = reader.at()
  write(2n)
  const second = reader.at()
  expect([first.height, second.height, reader.latestHeight()]).toEqual([1n, 2n, 2n])
  expect(first.get('bank', utf8('k'))).toEqual(utf8('1'))
  expect(second.get('bank', utf8('k'))).toEqual(utf8('2'))
  expect(() => reader.commit({ height: 3n, changes: [] })).toThrow('read-only')
  first.close()
  second.close()
  await reader.close()
  await writer.close()
  rmSync(path, { recursive: true, force: true })
})

const recording = resolve('../shared/recordings/reference-1')

/** Lines of a compressed recording. */
function lines<T>(name: string): T[] {
  const text = gunzipSync(readFileSync(join(recording, name))).toString()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

test('an empty block keeps the app hash, an equal write changes it, a write outside the hashed stores does not', () => {
  const store = openTestStore(openMemory(), REFERENCE_STORES)
  const write: Change[] = [{ store: 'bank', key: utf8('k'), value: utf8('v') }]
  const hash = (height: bigint, changes: Change[]) => formatHex(store.commit({ height, changes }).appHash)
  const first = hash(1n, write)
  expect(hash(2n, [])).toBe(first)
  const third = hash(3n, write)
  expect(third).not.toBe(first)
  expect(hash(4n, [{ store: 'x', key: utf8('k'), value: utf8('v') }])).toBe(third)
})

if (existsSync(recording)) {
  test('the changes of 418 recorded blocks give the app hashes of the real chain', async () => {
    const blocks = lines<{ height: number; appHash: string }>('blocks.jsonl.gz')
    const recorded = lines<{
      height: number
      changes: { store: string; key: string; value?: string; delete?: true }[]
    }>('changes.jsonl.gz')
    const store = openTestStore(openMemory(), {
      ...REFERENCE_STORES,
      checkpoints: { changedKeys: 500, nodesInMemory: 4000 },
    })
    let equalHashes = 0
    for (const { height, changes } of recorded) {
      const next = blocks.find((block) => block.height === height + 1)
      const { appHash } = store.commit({
        height: BigInt(height),
        changes: changes.map((c) => ({
          store: c.store,
          key: hex(c.key),
          value: c.delete ? undefined : hex(c.value ?? ''),
        })),
      })
      if (next && formatHex(appHash) === next.appHash.toLowerCase()) equalHashes++
    }
    expect(equalHashes).toBe(418)
    await store.close()
  })
}
