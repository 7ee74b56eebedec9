/** Changes to the latest height: the store is as if the block itself had made them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BLOCKS } from '../indexer/tables.ts'
import { openDisk } from '../node/disk.ts'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { openMemory } from './backend/memory.ts'
import { mergeChanges } from './merge.ts'
import { randomBlock, STORES, seeded } from './testing/backend-contract.ts'
import { openTestStore } from './testing/test-store.ts'
import type { Change } from './types.ts'
import type { VersionedStore } from './versioned.ts'

const ROW = { table: BLOCKS, key: utf8('amended') }

function contents(store: VersionedStore, height: bigint): string[] {
  const snapshot = store.at(height)
  try {
    return STORES.flatMap((name) =>
      Array.from(snapshot.iterate(name), ([key, value]) => `${name} ${formatHex(key)} ${formatHex(value)}`),
    )
  } finally {
    snapshot.close()
  }
}

const CASES = [1, 2, 40].flatMap((height) => (['memory', 'disk'] as const).map((where) => ({ height, where })))

test.each(CASES)(
  'amending height $height in $where gives the state and the app hash of a block with all changes',
  async ({ height, where }) => {
    const below = seeded(height)
    const next = (): readonly Change[] => mergeChanges([], randomBlock(below))
    const folder = where === 'disk' ? mkdtempSync(join(tmpdir(), 'almanac-amend-')) : undefined
    const backend = folder === undefined ? openMemory() : openDisk(folder, { noSync: true })
    const amended = openTestStore(backend)
    const plain = openTestStore(openMemory())
    let before: string[] = []
    for (let at = 1; at <= height; at++) {
      const changes = next()
      if (at > 1) before = contents(amended, BigInt(at - 1))
      amended.commit({ height: BigInt(at), changes })
      if (at < height) plain.commit({ height: BigInt(at), changes })
      else {
        const further = [next(), next(), next()]
        const seen: string[] = []
        for (const more of further) {
          const { rollbacks } = amended.at()
          amended.amend(more, (appHash) => [{ ...ROW, value: appHash }])
          expect(amended.at().rollbacks).toBe(rollbacks + 1)
          expect(amended.tables.get(ROW.table, ROW.key)).toEqual(amended.appHash())
          seen.push(formatHex(amended.appHash()))
        }
        expect(new Set(seen).size).toBe(3)
        plain.commit({ height: BigInt(at), changes: further.reduce(mergeChanges, changes) })
      }
    }
    const expectEqual = (store: VersionedStore) => {
      expect(store.latestHeight()).toBe(plain.latestHeight())
      expect(formatHex(store.appHash())).toBe(formatHex(plain.appHash()))
      expect(contents(store, BigInt(height))).toEqual(contents(plain, BigInt(height)))
      if (height > 1) expect(contents(store, BigInt(height - 1))).toEqual(before)
    }
    expectEqual(amended)
    // The next block, a start from disk, an amendment after a start, and a rollback.
    for (let at = height + 1; at <= height + 3; at++) {
      const changes = next()
      for (const store of [amended, plain]) store.commit({ height: BigInt(at), changes })
    }
    expectEqual(amended)
    const again = openTestStore(backend)
    expectEqual(again)
    again.rollback({ height: BigInt(height) })
    plain.rollback({ height: BigInt(height) })
    expectEqual(again)
    const more = next()
    again.amend(more, () => [])
    const last = next()
    again.commit({ height: BigInt(height + 1), changes: last })
    expect(formatHex(again.appHash())).not.toBe(formatHex(plain.appHash()))
    expect(formatHex(openTestStore(backend).appHash())).toBe(formatHex(again.appHash()))
    if (folder === undefined) return
    await backend.close()
    rmSync(folder, { recursive: true })
  },
)

test('a height with a checkpoint is amended, too', () => {
  const below = seeded(9)
  const options = { checkpoints: { blocks: 2 } }
  const backend = openMemory()
  const amended = openTestStore(backend, options)
  const plain = openTestStore(openMemory(), options)
  for (let at = 1n; at <= 12n; at++) {
    const [changes, more] = [mergeChanges([], randomBlock(below)), mergeChanges([], randomBlock(below))]
    amended.commit({ height: at, changes })
    amended.amend(more, () => [])
    plain.commit({ height: at, changes: mergeChanges(changes, more) })
    expect(formatHex(amended.appHash())).toBe(formatHex(plain.appHash()))
  }
  expect(formatHex(openTestStore(backend, options).appHash())).toBe(formatHex(plain.appHash()))
})

test('an amendment that fails leaves the height as it was', () => {
  const below = seeded(3)
  const store = openTestStore(openMemory())
  store.commit({ height: 1n, changes: mergeChanges([], randomBlock(below)) })
  const before = [formatHex(store.appHash()), ...contents(store, 1n)]
  const fail = () => {
    throw new ChainError('test', { code: 1, status: 'internal', text: 'no' }, 'no')
  }
  expect(() => store.amend(mergeChanges([], randomBlock(below)), fail)).toThrow('no')
  expect([formatHex(store.appHash()), ...contents(store, 1n)]).toEqual(before)
})
