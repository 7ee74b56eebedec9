import { expect, test } from 'vitest'
import { decodeUint64 } from '../../primitives/bytes.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemory } from '../backend/memory.ts'
import { PAGES } from '../tables.ts'
import { randomBlock, STORES, seeded } from '../testing/backend-contract.ts'
import { openTestStore } from '../testing/test-store.ts'
import type { VersionedStoreOptions } from '../versioned.ts'
import { findCheckpoint, readPage } from './checkpoints.ts'
import { NONE } from './tree-program.ts'
import { orderStores, rootsOfCheckpoint } from './tree-roots.ts'
import { createTreeStore } from './tree-store.ts'

const order = orderStores(STORES)

/** Returns the heights of the checkpoints on disk, the pages that they reference, and all pages. */
function inspect(backend: Backend): { heights: number[]; needed: number[]; found: number[] } {
  const heights: number[] = []
  const needed = new Set<number>()
  for (let height = Number.MAX_SAFE_INTEGER - 1; ; ) {
    const checkpoint = findCheckpoint(backend, height)
    if (!checkpoint) break
    heights.unshift(checkpoint.height)
    height = checkpoint.height - 1
    const treeStore = createTreeStore(
      (page) => {
        needed.add(page)
        return readPage(backend, page)
      },
      () => 0,
    )
    for (const root of rootsOfCheckpoint(order, treeStore, checkpoint).nodes)
      if (root !== NONE) Array.from(treeStore.walk(root))
  }
  const found = Array.from(backend.iterate(PAGES), ([key]) => Number(decodeUint64(key)))
  return { heights, needed: [...needed].sort((a, b) => a - b), found }
}

function build(options: Partial<VersionedStoreOptions>, blocks: number, seed: number): Backend {
  const backend = openMemory()
  const store = openTestStore(backend, { hashedStores: STORES, ...options })
  const below = seeded(seed)
  for (let height = 1; height <= blocks; height++) {
    store.commit({ height: BigInt(height), changes: randomBlock(below, 25) })
  }
  return backend
}

test('every second checkpoint stays, and every page on disk is referenced by a checkpoint', () => {
  const backend = build({ checkpoints: { blocks: 10 } }, 95, 1)
  const { heights, needed, found } = inspect(backend)
  expect(heights).toEqual([10, 30, 50, 70, 90])
  expect(found).toEqual(needed)
})

test('after a rollback and further blocks every page on disk is still referenced by a checkpoint', () => {
  for (const target of [94, 90, 89, 51, 50, 49, 10, 9, 1]) {
    const backend = build({ checkpoints: { blocks: 10 } }, 95, 2)
    const store = openTestStore(backend, { hashedStores: STORES, checkpoints: { blocks: 10 } })
    store.rollback({ height: BigInt(target) })
    const cut = inspect(backend)
    expect(cut.heights.every((height) => height <= target)).toBe(true)
    const below = seeded(3)
    for (let height = target + 1; height <= target + 45; height++) {
      store.commit({ height: BigInt(height), changes: randomBlock(below, 25) })
    }
    const { needed, found } = inspect(backend)
    expect(found).toEqual(needed)
  }
})

test('a chain that keeps few heights keeps few checkpoints and few unreferenced pages', () => {
  const backend = build({ checkpoints: { blocks: 5 }, keepHeights: 20 }, 200, 4)
  const { heights, needed, found } = inspect(backend)
  expect(heights).toEqual([180, 185, 190, 195, 200])
  expect(needed.filter((page) => !found.includes(page))).toEqual([])
  expect(found.length - needed.length).toBeLessThan(100)
})
