import { expect, test } from 'vitest'
import { formatHex } from '../../primitives/bytes.ts'
import { openMemory } from '../backend/memory.ts'
import { readHeight } from '../history/change-log.ts'
import { readRegistry } from '../history/registry.ts'
import { randomBlock, STORES, seeded } from '../testing/backend-contract.ts'
import { openTestStore } from '../testing/test-store.ts'
import { createOldTrees, type TreeSource } from './old-trees.ts'
import { appHashOf, orderStores } from './tree-roots.ts'

test('historical trees are correct with any cache size, and the most recently used stay cached', () => {
  const backend = openMemory()
  const store = openTestStore(backend, { hashedStores: STORES, checkpoints: { blocks: 20 } })
  const below = seeded(3)
  const hashes = ['']
  for (let height = 1; height <= 130; height++) {
    const { appHash } = store.commit({ height: BigInt(height), changes: randomBlock(below, 25) })
    hashes.push(formatHex(appHash))
  }
  const order = orderStores(STORES)
  const registry = readRegistry(backend, STORES, [])
  const source = (height: number): TreeSource => ({
    tables: backend,
    height,
    logFrom: 1,
    rollbacks: 0,
    changesOf: (at) =>
      Array.from(readHeight(backend, at), ({ key, value }) => ({
        store: registry.nameAt(key[0]!, at),
        key: key.subarray(1),
        value,
      })),
    orderAt: () => order,
  })
  for (const nodes of [1, 400, 1_000_000]) {
    const trees = createOldTrees(nodes)
    for (let i = 0; i < 200; i++) {
      const height = 1 + below(130)
      const { treeStore, roots } = trees.at(source(height))
      expect(formatHex(appHashOf(order, treeStore, roots))).toBe(hashes[height])
      expect(trees.has(source(height))).toBe(true)
    }
  }
  const tight = createOldTrees(1)
  for (const height of [15, 35, 15, 35]) tight.at(source(height))
  expect([tight.has(source(15)), tight.has(source(35))]).toEqual([false, true])
  const wide = createOldTrees()
  for (const height of [15, 35, 12, 19]) wide.at(source(height))
  expect([15, 35, 12, 19, 18].map((height) => wide.has(source(height)))).toEqual([true, true, true, true, false])
})
