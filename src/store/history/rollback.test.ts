import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDisk } from '../../node/disk.ts'
import { formatHex, utf8 } from '../../primitives/bytes.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemory } from '../backend/memory.ts'
import { randomBlock, seeded } from '../testing/backend-contract.ts'
import { openTestStore } from '../testing/test-store.ts'
import type { VersionedStore } from '../versioned.ts'

/** Returns the block of a seed and a height. */
const block = (seed: number, height: number) => randomBlock(seeded(seed * 1000 + height), 24)

function build(store: VersionedStore, seed: number, from: number, to: number): void {
  for (let height = from; height <= to; height++) {
    store.commit({ height: BigInt(height), changes: block(seed, height) })
  }
}

/** Returns all rows of the state and its history, without those of checkpoints, which can differ. */
const rowsOf = (backend: Backend) =>
  ['head', 'dead', 'base', 'index', 'log'].map((table) =>
    [...backend.iterate(table)].map(([key, value]) => `${formatHex(key)}=${formatHex(value)}`),
  )

const BACKENDS = [
  ['memory', () => ({ backend: openMemory(), clean() {} })],
  [
    'LMDB',
    () => {
      const path = mkdtempSync(join(tmpdir(), 'almanac-rollback-'))
      return { backend: openDisk(path, { noSync: true }), clean: () => rmSync(path, { recursive: true, force: true }) }
    },
  ],
] as const

const SPACING = { checkpoints: { blocks: 25, changedKeys: 100_000 } }

describe.each(BACKENDS)('a rollback over %s', (_name, make) => {
  test.each([
    [60, 58],
    [60, 51],
    [60, 50],
    [60, 49],
    [60, 3],
    [120, 1],
    [120, 30],
  ])('from %i to %i leaves the rows of a chain that never went further', async (high, low) => {
    const { backend, clean } = make()
    const store = openTestStore(backend, SPACING)
    build(store, 1, 1, high)
    const other = openMemory()
    const steady = openTestStore(other, SPACING)
    build(steady, 1, 1, low)
    const { appHash } = store.rollback({
      height: BigInt(low),
      records: (hash) => [{ table: 'r', key: utf8('k'), value: hash }],
    })
    expect(appHash).toEqual(steady.appHash())
    expect(store.tables.get('r', utf8('k'))).toEqual(appHash)
    expect(store.latestHeight()).toBe(BigInt(low))
    expect(rowsOf(backend)).toEqual(rowsOf(other))
    build(store, 2, low + 1, low + 40)
    build(steady, 2, low + 1, low + 40)
    expect(store.appHash()).toEqual(steady.appHash())
    expect(rowsOf(backend)).toEqual(rowsOf(other))
    for (const height of [low, low + 1, low + 39]) {
      const [ours, theirs] = [store.at(BigInt(height)), steady.at(BigInt(height))]
      expect(ours.proofs.prove('bank', utf8('k'))).toEqual(theirs.proofs.prove('bank', utf8('k')))
      ours.close()
      theirs.close()
    }
    const again = openTestStore(backend, SPACING)
    expect(again.appHash()).toEqual(steady.appHash())
    await store.close()
    clean()
  })

  test('a rollback to a pruned or future height is refused with the bounds, and changes nothing', async () => {
    const { backend, clean } = make()
    const store = openTestStore(backend, { ...SPACING, keepHeights: 20 })
    build(store, 1, 1, 70)
    expect(() => store.rollback({ height: 50n })).toThrow('height 50 is pruned: the earliest height is 51')
    expect(() => store.rollback({ height: 71n })).toThrow('height 71 is in the future: the latest height is 70')
    const steady = openTestStore(openMemory())
    build(steady, 1, 1, 51)
    expect(store.rollback({ height: 51n }).appHash).toEqual(steady.appHash())
    build(store, 2, 52, 90)
    build(steady, 2, 52, 90)
    expect(store.appHash()).toEqual(steady.appHash())
    expect(store.earliestHeight()).toBe(71n)
    await store.close()
    clean()
  })
})

test('readers of one state share its revision; a later state, or the same height after a rollback, has another', () => {
  const store = openTestStore(openMemory(), SPACING)
  const revision = () => store.at().revision
  build(store, 1, 1, 2)
  const second = revision()
  expect(revision()).toBe(second)
  expect(store.at(1n).revision).not.toBe(second)
  store.rollback({ height: 1n })
  build(store, 2, 2, 2)
  expect(revision()).not.toBe(second)
})
