import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDisk } from '../node/disk.ts'
import { utf8 } from '../primitives/bytes.ts'
import type { Backend } from './backend/backend.ts'
import { openMemory } from './backend/memory.ts'
import type { BlockChanges } from './block-work.ts'
import { createBranch } from './branch.ts'
import { CHECKPOINTS, HEAD, LOG, PAGES, STAGED } from './tables.ts'
import { randomBlock, STORES, seeded } from './testing/backend-contract.ts'
import { openTestStore } from './testing/test-store.ts'
import type { Change } from './types.ts'
import type { VersionedStore } from './versioned.ts'

const OPTIONS = { hashedStores: [...STORES].sort(), checkpoints: { changedKeys: 200, writesInMemory: 50 } }

const value = (n: number) => new Uint8Array(50).fill(n)
const key = (n: number) => Uint8Array.of(1, n >> 8, n)

/** Returns a block with a run of writes, which takes the path of large blocks. */
function largeBlock(store: VersionedStore, height: bigint, fill: number): BlockChanges {
  const state = store.at()
  const branch = createBranch(state)
  branch.writeRun(
    STORES[0]!,
    Array.from({ length: 400 }, (_, n) => [key(n), value(fill)] as const),
  )
  const block = { height, changes: branch.changes(), staged: branch.staged() }
  state.close()
  return block
}

const rows = (backend: Backend, tables: readonly string[]) =>
  tables.map((table) => [table, [...backend.iterate(table)].length] as const)

const BACKENDS: readonly (readonly [string, () => { backend: Backend; clean(): void }])[] = [
  ['memory', () => ({ backend: openMemory(), reopen: () => Promise.reject(new Error('no disk')), clean() {} })],
  [
    'disk',
    () => {
      const path = mkdtempSync(join(tmpdir(), 'almanac-two-phase-'))
      return {
        backend: openDisk(path),
        reopen: async () => openDisk(path),
        clean: () => rmSync(path, { recursive: true, force: true }),
      }
    },
  ],
]

function filled(backend: Backend, blocks: number, seed = 5): VersionedStore {
  const store = openTestStore(backend, OPTIONS)
  const below = seeded(seed)
  for (let height = 1; height <= blocks; height++) {
    store.commit({ height: BigInt(height), changes: randomBlock(below) as Change[] })
  }
  return store
}

describe.each(BACKENDS)('two-phase commit on %s', (_, open) => {
  test('a prepared block is hashed, invisible, and committed with its records', async () => {
    const { backend, clean } = open()
    const store = filled(backend, 5)
    const twin = filled(openMemory(), 5)
    const block = { height: 6n, changes: randomBlock(seeded(99)) as Change[] }
    const before = store.appHash()
    const prepared = store.prepare(block)
    const { appHash } = prepared
    expect(appHash).toEqual(twin.commit(block).appHash)
    expect([store.latestHeight(), store.appHash()]).toEqual([5n, before])
    const proof = store.at().proofs.prove(STORES[0]!, Uint8Array.of(1, 1))
    expect(proof.appHash).toEqual(before)
    prepared.commit((hash) => [{ table: 'test', key: utf8('k'), value: hash }])
    expect([store.latestHeight(), store.appHash()]).toEqual([6n, appHash])
    expect(store.tables.get('test', utf8('k'))).toEqual(appHash)
    await store.close()
    clean()
  })

  test.each(['small', 'large'])('an aborted %s block leaves nothing, and another takes its height', async (size) => {
    const { backend, clean } = open()
    const [store, twin] = [filled(backend, 5), filled(openMemory(), 5)]
    const tables = [PAGES, CHECKPOINTS, STAGED, LOG, HEAD]
    const counts = rows(backend, tables)
    const small = { height: 6n, changes: randomBlock(seeded(1)) as Change[] }
    const prepared = store.prepare(size === 'small' ? small : largeBlock(store, 6n, 1))
    if (size === 'large') expect(rows(backend, [PAGES])[0]![1]).toBeGreaterThan(counts[0]![1])
    expect(() => store.prepare(small)).toThrow('commit or abort it first')
    expect(() => store.rollback({ height: 4n })).toThrow('commit or abort it first')
    prepared.abort()
    expect(rows(backend, tables)).toEqual(counts)
    expect(() => prepared.commit()).toThrow('not prepared any more')
    for (const [height, fill] of [
      [6n, 2],
      [7n, 3],
    ] as const) {
      expect(store.commit(largeBlock(store, height, fill)).appHash).toEqual(
        twin.commit(largeBlock(twin, height, fill)).appHash,
      )
    }
    const next = { height: 8n, changes: randomBlock(seeded(2)) as Change[] }
    expect(store.commit(next).appHash).toEqual(twin.commit(next).appHash)
    await store.close()
    clean()
  })
})

test('a store closed between the phases opens at the height before', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-two-phase-'))
  const store = filled(openDisk(path), 5)
  const twin = filled(openMemory(), 5)
  const { appHash } = twin.commit(largeBlock(twin, 6n, 7))
  expect(store.prepare(largeBlock(store, 6n, 7)).appHash).toEqual(appHash)
  await store.close()
  const reopened = openTestStore(openDisk(path), OPTIONS)
  expect(reopened.latestHeight()).toBe(5n)
  expect(reopened.commit(largeBlock(reopened, 6n, 7)).appHash).toEqual(appHash)
  await reopened.close()
  rmSync(path, { recursive: true })
})

test('a watched block reports each of its changes once, and has the same app hash', () => {
  const counts: (readonly [number, number])[] = []
  const changes = Array.from({ length: 5 }, (_, n) => ({ store: STORES[0]!, key: key(n), value: value(n) }))
  const [watched, alone] = [openTestStore(openMemory(), OPTIONS), openTestStore(openMemory(), OPTIONS)]
  watched.commit({ height: 1n, changes, report: (done, total) => counts.push([done, total]) })
  alone.commit({ height: 1n, changes })
  expect(counts).toEqual([1, 2, 3, 4, 5].map((done) => [done, 5]))
  expect(watched.appHash()).toEqual(alone.appHash())
})
