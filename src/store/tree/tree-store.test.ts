import { expect, test } from 'vitest'
import { compare, formatHex, formatUtf8, hex, utf8 } from '../../primitives/bytes.ts'
import { seeded } from '../testing/backend-contract.ts'
import { createMerkleRoot, merkleRoot, storeLeaf } from './multi-store.ts'
import { NONE, type Node } from './tree-program.ts'
import { createTreeStore, type TreeStore } from './tree-store.ts'

/** Creates a tree store with pages in a map. */
function treeStoreOver(pages: Map<number, Uint8Array>): TreeStore {
  let next = Math.max(0, ...pages.keys()) + 1
  return createTreeStore(
    (page) => pages.get(page),
    () => next++,
  )
}

/** Saves a tree and opens it from its pages in a new tree store. */
function reopened(
  pages: Map<number, Uint8Array>,
  treeStore: TreeStore,
  root: Node,
  version: number,
): { treeStore: TreeStore; root: Node } {
  treeStore.rootHash(root)
  treeStore.freeze(version)
  if (root === NONE) return { treeStore, root }
  const reference = treeStore.save(root)
  const { written, dropped } = treeStore.takePages()
  for (const page of dropped) pages.delete(page)
  for (const [page, bytes] of written) pages.set(page, bytes)
  const again = treeStoreOver(pages)
  again.freeze(version)
  return { treeStore: again, root: again.refer(reference) }
}

const PERIOD = hex('000000000000000000')
const SKIPPED = hex('010000000000000000')
const TWELVE = hex('000000000000000c')
const TWO = hex('0000000000000002')

test('root hashes equal those of the reference chain', () => {
  const treeStore = treeStoreOver(new Map())
  const root = (node: Node) => formatHex(treeStore.rootHash(node))
  let tree = treeStore.set(NONE, PERIOD, TWELVE, 1)
  expect(root(tree)).toBe('7bd864612652b6b96f7a63fb43a705cbe59219aa20fab21c3ca3485e662d117b')
  expect(root(treeStore.set(NONE, SKIPPED, TWO, 1))).toBe(
    '99a311d345ca8438f54ab7f1ce5d5f0c230c98bd1d70b297a31a55ebd07f9140',
  )
  tree = treeStore.set(tree, SKIPPED, TWO, 1)
  expect(root(tree)).toBe('591303fb906b0f44c47cfd99da3dd6ef0227563ff528e92b8661ccc8f974d2f7')
  tree = treeStore.set(tree, PERIOD, TWELVE, 2)
  expect(root(tree)).toBe('e832532ad4165cd50103010dad604a9db0c0bc787eca70b74e95e969877a303b')
  tree = treeStore.remove(tree, SKIPPED, 3)
  expect(root(tree)).toBe('ca0399075e517e52f0a5e0cf2c66ba0d1354b583de0fba19c650f17f516157fa')
  expect(treeStore.remove(tree, SKIPPED, 4)).toBe(tree)
  expect(root(tree)).toBe('ca0399075e517e52f0a5e0cf2c66ba0d1354b583de0fba19c650f17f516157fa')
  expect(root(treeStore.remove(tree, PERIOD, 5))).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
})

test('the app hash equals that of the reference chain', () => {
  const inflation = hex('591303fb906b0f44c47cfd99da3dd6ef0227563ff528e92b8661ccc8f974d2f7')
  const empty = createTreeStore(
    () => undefined,
    () => 1,
  ).rootHash(NONE)
  expect(formatHex(merkleRoot([storeLeaf('crisis', empty), storeLeaf('inflation', inflation)]))).toBe(
    'dabacf0004114260db53e2ad305813cf952f5eab7e535bf18ac35929bb681a7f',
  )
})

test('maps of one to three stores hash like those of the reference chain', () => {
  const leaves: Uint8Array[] = []
  const roots = ['1', '2', '3'].map((n) => {
    leaves.push(storeLeaf(`key${n}`, utf8(`value${n}`)))
    return formatHex(merkleRoot(leaves))
  })
  expect(roots).toEqual([
    'a44d3cc7daba1a4600b00a2434b30f8b970652169810d6dfa9fb1793a2189324',
    '8fd19b19e7bb3f2b3ee0574027d8a5a4cec370464ea2db2fbfa5c7d35bb0cff3',
    '1dd674ec6782a0d586a903c9c63326a41cbe56b3bba33ed6ff5b527af6efb3dc',
  ])
})

test('a root that keeps inner hashes equals one that is hashed again, whichever leaves change, come or go', () => {
  const rootOf = createMerkleRoot()
  const leafOf = (n: number) => storeLeaf(`key${n}`, utf8(`value${n}`))
  let leaves: Uint8Array[] = []
  const check = () => expect(formatHex(rootOf(leaves))).toBe(formatHex(merkleRoot(leaves)))
  check()
  for (let n = 0; n < 9; n++) {
    leaves = [...leaves, leafOf(n)]
    check()
    expect(rootOf([...leaves])).toBe(rootOf(leaves))
  }
  for (const changed of leaves.keys()) {
    leaves = leaves.with(changed, leafOf(100 + changed))
    check()
  }
  leaves = leaves.toReversed()
  check()
  while (leaves.length > 0) {
    leaves = leaves.slice(1)
    check()
  }
})

const STEPS: readonly (readonly [version: number, writes: string, removals: string, root: string])[] = [
  [1, 'x=ff z=ff a=01 b=02 c=03', '', '2f0cc384fe99d69f51abe4b602e0015777688bac894538de59510ee96964c1de'],
  [2, 'c=ff d=04', 'x b', 'e50066b1567fb202cef755830666ca07c316ddbfd66fd749c94761364be570d7'],
  [3, 'b=02 c=03 e=05', 'z', '040e95e1464b7406cee60708dba62c29d6014b1c6ef824662c82256c3fb67c93'],
]

test.each([false, true])(
  'alternating writes and removals give the roots of the reference implementation (reopened from pages: %s)',
  (paged) => {
    const pages = new Map<number, Uint8Array>()
    let treeStore = treeStoreOver(pages)
    let root: Node = NONE
    for (const [version, writes, removals, hash] of STEPS) {
      const remove = () => {
        for (const key of removals.split(' ').filter(Boolean)) root = treeStore.remove(root, utf8(key), version)
      }
      if (version === 2) remove()
      for (const write of writes.split(' ')) {
        const [key, value] = write.split('=')
        root = treeStore.set(root, utf8(key!), hex(value!), version)
      }
      if (version === 3) remove()
      expect(formatHex(treeStore.rootHash(root))).toBe(hash)
      if (paged) ({ treeStore, root } = reopened(pages, treeStore, root, version))
    }
    const nodes = [...treeStore.walk(root)].map(({ key, version, height }) => `${formatUtf8(key)}/${version}/${height}`)
    expect(nodes.join(' ')).toBe('a/1/0 b/3/0 b/3/1 c/3/0 c/3/2 d/2/0 e/3/0 e/3/1 d/3/3')
  },
)

test.each([1, 2, 3])('a tree that is repeatedly reopened from pages equals the tree in memory (seed %i)', (seed) => {
  const below = seeded(seed)
  const pages = new Map<number, Uint8Array>()
  const whole = treeStoreOver(new Map())
  let root: Node = NONE
  let paged = { treeStore: treeStoreOver(pages), root: NONE as Node }
  const members = new Set<string>()
  for (let version = 1; version <= 60; version++) {
    const grows = version % 20 < 12
    for (let i = 0; i < 1 + below(40); i++) {
      const key = Uint8Array.of(below(3), below(256), below(2))
      if (below(10) < (grows ? 7 : 2)) {
        const value = Uint8Array.of(below(256))
        root = whole.set(root, key, value, version)
        paged.root = paged.treeStore.set(paged.root, key, value, version)
        members.add(formatHex(key))
      } else {
        root = whole.remove(root, key, version)
        paged.root = paged.treeStore.remove(paged.root, key, version)
        members.delete(formatHex(key))
      }
    }
    expect(formatHex(paged.treeStore.rootHash(paged.root))).toBe(formatHex(whole.rootHash(root)))
    if (version % 3 === 0) paged = reopened(pages, paged.treeStore, paged.root, version)
  }
  const nodes = [...paged.treeStore.walk(paged.root)]
  expect(nodes).toEqual([...whole.walk(root)])
  const leaves = nodes.filter(({ height }) => height === 0).map(({ key }) => key)
  expect(leaves.map(formatHex)).toEqual([...members].sort())
  expect([...leaves].sort(compare)).toEqual(leaves)
  expect(paged.treeStore.nodeCount).toBe(nodes.length)
  // Unreferenced pages are dropped, so a walk reads all remaining pages.
  const { treeStore: last, root: lastRoot } = reopened(pages, paged.treeStore, paged.root, 60)
  const needed = new Set<number>()
  const counting = createTreeStore(
    (page) => {
      needed.add(page)
      return pages.get(page)
    },
    () => 0,
  )
  expect([...counting.walk(counting.refer(last.save(lastRoot)))]).toHaveLength(nodes.length)
  expect([...needed].sort((a, b) => a - b)).toEqual([...pages.keys()].sort((a, b) => a - b))
})

test.each([1, 2, 3, 4])('a batch gives the same tree as single changes, in memory and from pages (seed %i)', (seed) => {
  const below = seeded(seed)
  const [single, whole] = [treeStoreOver(new Map()), treeStoreOver(new Map())]
  const pages = new Map<number, Uint8Array>()
  let paged = { treeStore: treeStoreOver(pages), root: NONE }
  let [expected, found] = [NONE, NONE]
  for (let version = 1; version <= 60; version++) {
    const keys = new Map<number, boolean>()
    for (let i = below(seed * 30); i >= 0; i--) keys.set(below(400), below(3) === 0)
    const changes = [...keys]
      .sort(([a], [b]) => a - b)
      .map(([n, isRemoved]) => ({
        key: utf8(String(n).padStart(3, '0')),
        value: isRemoved ? undefined : new Uint8Array(below(200) * below(3)).fill(version),
      }))
    for (const treeStore of [single, whole, paged.treeStore]) treeStore.freeze(version - 1)
    for (const { key, value } of changes) {
      expected = value ? single.set(expected, key, value, version) : single.remove(expected, key, version)
    }
    found = whole.write(found, changes, version)
    paged.root = paged.treeStore.write(paged.root, changes, version)
    const root = formatHex(single.rootHash(expected))
    expect(formatHex(whole.rootHash(found))).toBe(root)
    expect(formatHex(paged.treeStore.rootHash(paged.root))).toBe(root)
    if (below(4) === 0) paged = reopened(pages, paged.treeStore, paged.root, version)
  }
})

test('a missing page, a truncated page and a key that is too long are errors', () => {
  const pages = new Map<number, Uint8Array>()
  const treeStore = treeStoreOver(pages)
  let root: Node = NONE
  for (let i = 0; i < 40; i++) root = treeStore.set(root, Uint8Array.of(i), Uint8Array.of(i), 1)
  treeStore.rootHash(root)
  treeStore.freeze(1)
  const reference = treeStore.save(root)
  const { written } = treeStore.takePages()
  const [page, bytes] = written.at(-1)!
  expect(page).toBe(reference.page)
  const again = (known: ReadonlyMap<number, Uint8Array>) => {
    const reader = createTreeStore(
      (number) => known.get(number),
      () => 0,
    )
    return [...reader.walk(reader.refer(reference))]
  }
  const whole = new Map(written)
  expect(again(whole)).toHaveLength(79)
  for (let length = 0; length < bytes.length; length++) {
    expect(() => again(new Map([...whole, [page, bytes.subarray(0, length)]]))).toThrow(
      `page ${page} of the trees is truncated`,
    )
  }
  whole.delete(page - 1)
  expect(() => again(whole)).toThrow(`page ${page - 1} of the trees is missing`)
  expect(() => treeStore.set(root, new Uint8Array(4097), Uint8Array.of(1), 2)).toThrow(RangeError)
})

test('the owner writes trees whose nodes are on disk, until a block finds its nodes in memory', () => {
  const pages = new Map<number, Uint8Array>()
  let next = 1
  const offered: number[] = []
  const treeStore = createTreeStore(
    (page) => pages.get(page),
    () => next++,
    {
      createHelper: () => ({
        offer: (_, changes) => offered.push(changes) < 0,
        finish: () => false,
        cancel() {},
        close: async () => {},
      }),
    },
  )
  const changes = Array.from({ length: 1_000 }, (_, i) => ({ key: Uint8Array.of(i >> 8, i), value: Uint8Array.of(i) }))
  const write = (root: Node, count: number) =>
    treeStore.begin([{ root, changes: changes.slice(0, count) }], 1).finish()[0]!
  const reference = treeStore.save(write(write(NONE, 1_000), 999))
  expect(offered).toEqual([1_000, 999])
  for (const [page, bytes] of treeStore.takePages().written) pages.set(page, bytes)
  treeStore.clear()
  const first = write(treeStore.refer(reference), 998)
  const second = write(first, 997)
  write(second, 996)
  expect(offered).toEqual([1_000, 999, 996])
})
