import { expect, test } from 'vitest'
import { formatHex } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { openMemory } from './backend/memory.ts'
import { randomBlock, STORES, seeded } from './testing/backend-contract.ts'
import { openTestStore } from './testing/test-store.ts'
import type { VersionedStore } from './versioned.ts'

const CHECKPOINTS = { blocks: 10, changedKeys: 1_000_000, permanent: 0 }
/** The same, with the spacing of a chain that keeps everything: every other checkpoint is deleted by the next one. */
const SUPERSEDED = { ...CHECKPOINTS, permanent: 2 }
const HEIGHTS = 160

const contentsAt = (store: VersionedStore, height: bigint): string[] => {
  const snapshot = store.at(height)
  try {
    return STORES.flatMap((name) =>
      Array.from(snapshot.iterate(name), ([k, v]) => `${name} ${formatHex(k)} ${formatHex(v)}`),
    )
  } finally {
    snapshot.close()
  }
}

/** Commits the same blocks as every other store of this file, up to a height. */
function fill(store: VersionedStore, to: number, each: (height: number) => void = () => undefined): void {
  const below = seeded(5)
  for (let height = 1; height <= to; height++) {
    const changes = randomBlock(below)
    if (BigInt(height) <= store.latestHeight()) continue
    store.commit({ height: BigInt(height), changes })
    each(height)
  }
}

test.each([CHECKPOINTS, SUPERSEDED])(
  'the oldest heights are pruned on demand, and all others keep their state and app hash: %o',
  async (checkpoints) => {
    const whole = openTestStore(openMemory(), { checkpoints })
    fill(whole, HEIGHTS)
    const backend = openMemory()
    const store = openTestStore(backend, { checkpoints })
    const floors: bigint[] = []
    fill(store, HEIGHTS, (height) => {
      const floor = height > 60 && height < HEIGHTS ? store.pruneOldest(30) : undefined
      if (floor !== undefined) floors.push(floor)
    })
    expect(floors.length).toBeGreaterThan(2)
    expect(store.earliestHeight()).toBe(floors.at(-1))
    // Thirty heights were to stay.
    expect(store.earliestHeight()).toBeLessThanOrEqual(BigInt(HEIGHTS - 29))
    expect(store.usedBytes()).toBeLessThan(whole.usedBytes() * 0.9)
    for (let height = store.earliestHeight(); height <= HEIGHTS; height++)
      expect(contentsAt(store, height)).toEqual(contentsAt(whole, height))
    expect(store.appHash()).toEqual(whole.appHash())
    const pruned = store.earliestHeight() - 1n
    expect(() => store.at(pruned)).toThrow(ChainError)
    expect(() => store.at(pruned)).toThrow(String(store.earliestHeight()))
    // Proofs of the earliest height need the log back to a checkpoint before it.
    const first = { height: store.earliestHeight(), key: Uint8Array.of(1, 3) }
    const proofOf = (of: VersionedStore) => of.at(first.height).proofs!.prove('bank', first.key)
    expect(proofOf(store)).toEqual(proofOf(whole))
    const reopened = openTestStore(backend, { checkpoints })
    expect(reopened.appHash()).toEqual(whole.appHash())
  },
)

test('a store that was closed while it pruned goes on, and opens at the same app hash', async () => {
  const backend = openMemory()
  const store = openTestStore(backend, { checkpoints: CHECKPOINTS })
  fill(store, 80)
  expect(store.pruneOldest(30)).toBe(10n)
  // Asked again before the commit that prunes, it has nothing to add.
  expect(store.pruneOldest(30)).toBeUndefined()
  fill(store, 81)
  expect(store.earliestHeight()).toBe(10n)
  const reopened = openTestStore(backend, { checkpoints: CHECKPOINTS })
  expect(reopened.pruneOldest(30)).toBeUndefined()
  fill(reopened, 90)
  expect(reopened.pruneOldest(30)).toBe(20n)
  const whole = openTestStore(openMemory(), { checkpoints: CHECKPOINTS })
  fill(whole, 90)
  expect(reopened.appHash()).toEqual(whole.appHash())
})

test('nothing is pruned below the heights that are to stay', () => {
  const store = openTestStore(openMemory(), { checkpoints: CHECKPOINTS })
  fill(store, 60)
  expect(store.pruneOldest(52)).toBeUndefined()
  expect(store.pruneOldest(51)).toBe(10n)
})
