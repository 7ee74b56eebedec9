/** Tests of trees that another thread writes: its questions, the memory it adds, and its failures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { formatHex } from '../../primitives/bytes.ts'
import { seeded } from '../../store/testing/backend-contract.ts'
import type { KeyChange } from '../../store/tree/batch.ts'
import { createTreeRuntime, MAX_WRITES, NONE } from '../../store/tree/tree-program.ts'
import { createTreeStore } from '../../store/tree/tree-store.ts'
import { createHelpers } from './testing/waiting-helpers.ts'
import { createTreeHelper } from './tree-helper.ts'

const noPages = () => undefined
const noNumbers = () => 0

function keyOf(i: number): Uint8Array {
  const key = new Uint8Array(40)
  new DataView(key.buffer).setUint32(0, i)
  return key
}

const changesOf = (from: number, to: number, step = 1): KeyChange[] =>
  Array.from({ length: (to - from) / step }, (_, i) => ({ key: keyOf(from + i * step), value: keyOf(i) }))

/** Returns the root hash of the same blocks, written by one thread. */
function hashAlone(blocks: readonly (readonly KeyChange[])[]): string {
  const treeStore = createTreeStore(noPages, noNumbers)
  let root = NONE
  for (const [i, changes] of blocks.entries()) {
    root = treeStore.write(root, changes, i + 1)
    treeStore.rootHash(root)
    treeStore.freeze(i + 1)
  }
  return formatHex(treeStore.rootHash(root))
}

test('each thread sees the memory that the other one adds', async () => {
  await using helpers = createHelpers()
  const treeStore = createTreeStore(noPages, noNumbers, helpers)
  await helpers.up(treeStore)
  const blocks: KeyChange[][] = []
  let root = NONE
  // Nodes and keys of each block fill a megabyte. This thread writes every second block.
  for (let i = 0; i < 8; i++) {
    const changes = changesOf(i * 6000, (i + 1) * 6000)
    blocks.push(changes)
    root =
      i % 2 === 0 ? treeStore.begin([{ root, changes }], i + 1).finish()[0]! : treeStore.write(root, changes, i + 1)
    treeStore.freeze(i + 1)
    expect([...treeStore.walk(root)].filter(({ height }) => height === 0)).toHaveLength((i + 1) * 6000)
  }
  expect(helpers.count()).toBeGreaterThan(0)
  expect(formatHex(treeStore.rootHash(root))).toBe(hashAlone(blocks))
})

test('a full list of replaced nodes is passed to the owner, and every node is freed', async () => {
  await using helpers = createHelpers()
  const treeStore = createTreeStore(noPages, noNumbers, helpers)
  await helpers.up(treeStore)
  const blocks = [0, 1, 2, 3, 4].map((block) => changesOf(block, 80_000, block === 0 ? 1 : 10))
  let root = NONE
  for (const [i, changes] of blocks.entries()) {
    treeStore.freeze(i)
    root = treeStore.begin([{ root, changes }], i + 1).finish()[0]!
  }
  expect(formatHex(treeStore.rootHash(root))).toBe(hashAlone(blocks))
  const replaced = treeStore.takeReplaced()
  expect(replaced.length).toBeGreaterThan(0x10000)
  treeStore.free(replaced)
  expect(treeStore.nodeCount).toBe(2 * 80_000 - 1)
})

test('the writing thread frees nodes, and the owner frees those that do not fit', async () => {
  await using helpers = createHelpers()
  const treeStore = createTreeStore(noPages, noNumbers, helpers)
  await helpers.up(treeStore)
  let root = treeStore.write(NONE, changesOf(0, 60_000), 1)
  treeStore.rootHash(root)
  treeStore.freeze(1)
  for (let i = 0; i < 8; i++) root = treeStore.write(root, changesOf(i * 7000, (i + 1) * 7000), 2)
  const replaced = treeStore.takeReplaced()
  expect(replaced.length).toBeGreaterThan(0x10000)
  root = treeStore.begin([{ root, changes: changesOf(0, 10) }], 2, replaced).finish()[0]!
  expect(treeStore.nodeCount).toBe(2 * 60_000 - 1)
})

test('the other thread requests pages, and a missing page is an error', async () => {
  await using helpers = createHelpers()
  const pages = new Map<number, Uint8Array>()
  const asked: number[] = []
  let next = 1
  const treeStore = createTreeStore(
    (page) => {
      asked.push(page)
      return pages.get(page)
    },
    () => next++,
    helpers,
  )
  await helpers.up(treeStore)
  const first = changesOf(0, 2000)
  const root = treeStore.write(NONE, first, 1)
  treeStore.rootHash(root)
  const reference = treeStore.save(root)
  for (const [page, bytes] of treeStore.takePages().written) pages.set(page, bytes)
  const second = changesOf(0, 2000, 100)
  function write(): string {
    treeStore.clear()
    treeStore.freeze(1)
    const [root] = treeStore.begin([{ root: treeStore.refer(reference), changes: second }], 2).finish()
    return formatHex(treeStore.rootHash(root!))
  }

  expect(write()).toBe(hashAlone([first, second]))
  const needed = asked.splice(0)
  expect(needed.length).toBeGreaterThan(20)
  for (const lost of needed) {
    const bytes = pages.get(lost)!
    pages.delete(lost)
    expect(write).toThrow(`page ${lost} of the trees is missing`)
    pages.set(lost, bytes)
  }
  expect(write()).toBe(hashAlone([first, second]))
  expect(helpers.count()).toBeGreaterThan(0)
})

test.each(['before it starts', 'while it runs', 'while a page is requested'])(
  'a write that is aborted %s leaves the other thread free',
  async (when) => {
    await using helpers = createHelpers(when === 'before it starts' ? 0 : 5)
    const below = seeded(3)
    let isRead = false
    const treeStore = createTreeStore(
      () => {
        isRead = true
        return undefined
      },
      noNumbers,
      helpers,
    )
    await helpers.up(treeStore)
    const page = { page: 7, height: 9, size: 300, hash: new Uint8Array(32) }
    for (let i = 0; i < 30; i++) {
      const root = when === 'while a page is requested' ? treeStore.refer(page) : NONE
      treeStore.begin([{ root, changes: changesOf(0, 1 + below(3000)) }], 1).abort()
    }
    expect(isRead).toBe(false)
    treeStore.clear()
    const changes = changesOf(0, 500)
    const [root] = treeStore.begin([{ root: NONE, changes }], 1).finish()
    expect(formatHex(treeStore.rootHash(root!))).toBe(hashAlone([changes]))
  },
)

test('the owner writes the trees if they are too many for one call', async () => {
  await using helpers = createHelpers()
  const treeStore = createTreeStore(noPages, noNumbers, helpers)
  await helpers.up(treeStore)
  const writes = Array.from({ length: MAX_WRITES + 1 }, (_, i) => ({ root: NONE, changes: changesOf(i, i + 1) }))
  const roots = treeStore.begin(writes, 1).finish()
  expect(roots.map((root) => formatHex(treeStore.rootHash(root)))).toEqual(
    writes.map(({ changes }) => hashAlone([changes])),
  )
  expect(helpers.count()).toBe(0)
})

const runtime = createTreeRuntime(true)
const host = { readPage() {}, receiveLists() {}, nextPage: () => 0 }
const work: [number, number, number] = [0, 1, 0]

test.each([
  ['does not answer', 'for (;;) Atomics.wait(cells, 0, 2)'],
  ['ends', 'Atomics.notify(cells, 0); process.exit()'],
])('a thread that takes trees and %s is an error, and is not used again', async (_, then) => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-trees-'))
  const program = join(folder, 'thread.cjs')
  const begin = `const { cells } = require('node:worker_threads').workerData
    Atomics.store(cells, 1, 1)
    while (Atomics.compareExchange(cells, 0, 1, 2) !== 1) Atomics.wait(cells, 0, 0)`
  writeFileSync(program, `${begin}\n${then}`)
  const options = { parallelism: 2, minChanges: 1, blocksBefore: 1, program, maxWaits: 1 }
  const helper = createTreeHelper(runtime, host, options)
  async function untilTaken(): Promise<void> {
    for (;;) {
      const isOffered = helper.offer(work, 10)
      await setTimeout(20)
      if (isOffered) helper.finish()
    }
  }
  try {
    await expect(untilTaken()).rejects.toThrow('the thread that writes the trees has not answered for 1 s')
    expect(helper.offer(work, 10)).toBe(false)
  } finally {
    await helper.close()
    rmSync(folder, { recursive: true })
  }
})

test.each(['relative.cjs', '/nowhere/thread.cjs'])(
  'the owner writes the trees if the thread cannot start (%s)',
  async (program) => {
    const helper = createTreeHelper(runtime, host, { parallelism: 2, minChanges: 1, blocksBefore: 1, program })
    for (let i = 0; i < 50; i++) {
      expect(helper.offer(work, 10)).toBe(false)
      await setTimeout(2)
    }
    await helper.close()
  },
)

test('small blocks start no thread, nor does a machine with one processor', async () => {
  for (const options of [{ parallelism: 1 }, { parallelism: 2, minChanges: 1001 }]) {
    const helper = createTreeHelper(runtime, host, options)
    for (let i = 0; i < 20; i++) expect(helper.offer(work, 1000)).toBe(false)
    expect(helper.isStarted()).toBe(false)
    await helper.close()
  }
  const helper = createTreeHelper(runtime, host, { parallelism: 2 })
  for (let i = 0; i < 3; i++) helper.offer(work, 1000)
  expect(helper.isStarted()).toBe(false)
  helper.offer(work, 1000)
  expect(helper.isStarted()).toBe(true)
  await helper.close()
  expect(helper.offer(work, 1000)).toBe(false)
})
