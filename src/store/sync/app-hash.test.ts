import { expect, test } from 'vitest'
import { openMemory } from '../backend/memory.ts'
import { randomBlock, STORES, seeded } from '../testing/backend-contract.ts'
import { openVersionedStore } from '../versioned.ts'
import { recomputeAppHash } from './app-hash.ts'

test('the app hash of every height comes out of its keys and values, and another one if a value is changed', () => {
  const below = seeded(5)
  const store = openVersionedStore(openMemory(), { hashedStores: STORES, otherStores: [] })
  const hashes = new Map<bigint, Uint8Array>()
  for (let height = 1n; height <= 30n; height++)
    hashes.set(height, store.commit({ height, changes: randomBlock(below) }).appHash)
  for (const [height, appHash] of hashes) {
    const state = store.exportAt(height)
    const items = [...state.items()]
    state.close()
    expect(recomputeAppHash({ items: () => items.values() }).appHash).toEqual(appHash)
    const changed = items.map((item) =>
      item.kind === 'node' && item.height === 0 ? { ...item, value: Uint8Array.of(...item.value, 1) } : item,
    )
    expect(recomputeAppHash({ items: () => changed.values() }).appHash).not.toEqual(appHash)
  }
})

test('trees with a missing node are refused', () => {
  const store = openVersionedStore(openMemory(), { hashedStores: STORES, otherStores: [] })
  store.commit({ height: 1n, changes: randomBlock(seeded(6)) })
  const items = [...store.exportAt(1n).items()]
  const last = items.findLastIndex((item) => item.kind === 'node' && item.height > 0)
  const cut = items.filter((_, index) => index !== last)
  expect(() => recomputeAppHash({ items: () => cut.values() })).toThrow('separate trees')
})
