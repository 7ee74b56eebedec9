import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDisk } from '../../node/disk.ts'
import { concat, formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemory } from '../backend/memory.ts'
import { createBranch } from '../branch.ts'
import { compareTexts } from '../order.ts'
import { seeded } from '../testing/backend-contract.ts'
import { openTestStore } from '../testing/test-store.ts'
import type { Change } from '../types.ts'
import type { VersionedStore } from '../versioned.ts'
import { namesAfter, type StoreChanges, withStoreChanges } from './store-changes.ts'

// A plain IAVL tree in immutable objects, written from docs/state-layout.md#trees.

interface Tree {
  readonly key: string
  readonly value?: Uint8Array
  readonly version: number
  readonly height: number
  readonly size: number
  readonly left?: Tree
  readonly right?: Tree
}

const sha = (...parts: Uint8Array[]) =>
  new Uint8Array(
    createHash('sha256')
      .update(concat(...parts))
      .digest(),
  )

function unsigned(value: number): Uint8Array {
  return value < 128
    ? Uint8Array.of(value)
    : concat(Uint8Array.of((value % 128) | 128), unsigned(Math.floor(value / 128)))
}

const hashes = new WeakMap<Tree, Uint8Array>()

function hashOf(tree: Tree | undefined): Uint8Array {
  if (!tree) return sha()
  const known = hashes.get(tree) ?? computeHash(tree)
  hashes.set(tree, known)
  return known
}

function computeHash(tree: Tree): Uint8Array {
  const head = concat(...[tree.height, tree.size, tree.version].map((n) => unsigned(2 * n)))
  if (!tree.left) {
    const key = hex(tree.key)
    return sha(head, unsigned(key.length), key, Uint8Array.of(32), sha(tree.value!))
  }
  return sha(head, Uint8Array.of(32), hashOf(tree.left), Uint8Array.of(32), hashOf(tree.right))
}

const inner = (key: string, left: Tree, right: Tree, version: number): Tree => {
  return { key, left, right, version, height: Math.max(left.height, right.height) + 1, size: left.size + right.size }
}

function balanced({ key, left, right, version }: Tree): Tree {
  const lean = (tree: Tree) => tree.left!.height - tree.right!.height
  const turnRight = ({ key: k, left: l, right: r }: Tree) =>
    inner(l!.key, l!.left!, inner(k, l!.right!, r!, version), version)
  const turnLeft = ({ key: k, left: l, right: r }: Tree) =>
    inner(r!.key, inner(k, l!, r!.left!, version), r!.right!, version)
  const tree = inner(key, left!, right!, version)
  if (lean(tree) > 1) return turnRight(lean(left!) < 0 ? inner(key, turnLeft(left!), right!, version) : tree)
  if (lean(tree) < -1) return turnLeft(lean(right!) > 0 ? inner(key, left!, turnRight(right!), version) : tree)
  return tree
}

function put(tree: Tree | undefined, key: string, value: Uint8Array, version: number): Tree {
  const leaf = { key, value, version, height: 0, size: 1 }
  if (!tree || (!tree.left && tree.key === key)) return leaf
  if (!tree.left) return key < tree.key ? inner(tree.key, leaf, tree, version) : inner(key, tree, leaf, version)
  return key < tree.key
    ? balanced(inner(tree.key, put(tree.left, key, value, version), tree.right!, version))
    : balanced(inner(tree.key, tree.left, put(tree.right, key, value, version), version))
}

const has = (tree: Tree | undefined, key: string): boolean =>
  tree !== undefined && (tree.left ? has(key < tree.key ? tree.left : tree.right, key) : tree.key === key)

/** Removes a key that exists. `carried` is the key of the smallest remaining leaf if that changed. */
function without(tree: Tree, key: string, version: number): { tree?: Tree; carried?: string } {
  if (!tree.left) return {}
  if (key < tree.key) {
    const { tree: left, carried } = without(tree.left, key, version)
    if (!left) return { tree: tree.right!, carried: tree.key }
    return { tree: balanced(inner(tree.key, left, tree.right!, version)), ...(carried !== undefined && { carried }) }
  }
  const { tree: right, carried } = without(tree.right!, key, version)
  return { tree: right ? balanced(inner(carried ?? tree.key, tree.left, right, version)) : tree.left }
}

function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 1) return leaves[0]!
  let middle = 1
  while (middle * 2 < leaves.length) middle *= 2
  return sha(Uint8Array.of(1), rootOf(leaves.slice(0, middle)), rootOf(leaves.slice(middle)))
}

/** A chain in maps and plain trees, after one of its blocks. */
interface Plain {
  readonly height: number
  readonly trees: ReadonlyMap<string, Tree | undefined>
  readonly values: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>
}

const hashOfPlain = ({ trees }: Plain): string => {
  const names = [...trees.keys()].sort(compareTexts)
  const leaves = names.map((name) =>
    sha(Uint8Array.of(0), unsigned(name.length), utf8(name), Uint8Array.of(32), sha(hashOf(trees.get(name)))),
  )
  return formatHex(rootOf(leaves))
}

const sorted = (values: ReadonlyMap<string, Uint8Array> = new Map()) =>
  [...values].sort(([a], [b]) => compareTexts(a, b))

/** Returns the chain after one more block. The nodes of a new or renamed store have version 1, as in its first save. */
function after(before: Plain, changes: readonly Change[], stores: StoreChanges = {}): Plain {
  const height = before.height + 1
  const trees = new Map(before.trees)
  const values = new Map([...before.values].map(([name, map]) => [name, new Map(map)]))
  const fresh = new Set<string>()
  const make = (name: string, entries: [string, Uint8Array][]) => {
    fresh.add(name)
    values.set(name, new Map(entries))
    trees.set(
      name,
      entries.reduce<Tree | undefined>((tree, [key, value]) => put(tree, key, value, 1), undefined),
    )
  }
  for (const { from } of stores.renamed ?? []) trees.delete(from)
  for (const name of stores.deleted ?? []) {
    trees.delete(name)
    values.delete(name)
  }
  for (const { from, to } of stores.renamed ?? []) {
    make(to, sorted(before.values.get(from)))
    values.delete(from)
  }
  for (const name of stores.added ?? []) make(name, [])
  for (const { store, key, value } of changes) {
    const text = formatHex(key)
    const tree = trees.get(store)
    const version = fresh.has(store) || height === 1 ? 1 : height
    if (value) {
      trees.set(store, put(tree, text, value, version))
      values.get(store)!.set(text, value)
    } else if (has(tree, text)) {
      trees.set(store, without(tree!, text, version).tree)
      values.get(store)!.delete(text)
    }
  }
  return { height, trees, values }
}

const NAMES = ['acc', 'bank', 'evm', 'x']
const FIRST: Plain = {
  height: 0,
  trees: new Map(NAMES.map((name) => [name, undefined])),
  values: new Map(NAMES.map((name) => [name, new Map()])),
}

const UPGRADES = new Map<number, StoreChanges>([
  [30, { added: ['new'], renamed: [{ from: 'bank', to: 'money' }], deleted: ['evm'] }],
  [31, { added: ['evm'] }],
  [44, { renamed: [{ from: 'money', to: 'bank' }] }],
  [45, { renamed: [{ from: 'acc', to: 'money' }] }],
  [50, { added: ['acc', 'void'], deleted: ['money'] }],
  [61, { renamed: [{ from: 'void', to: 'empty' }], deleted: ['x'] }],
])
const LAST = 66

/** Returns a random block on the existing stores, sorted. */
function blockOn(names: Iterable<string>, seed: number): Change[] {
  const below = seeded(seed)
  const changes: Change[] = []
  for (const store of [...names].sort(compareTexts)) {
    if (store === 'void' || store === 'empty') continue
    for (let i = 0; i < 40; i++) {
      if (below(7) > 0) continue
      const value = below(3) === 0 ? undefined : Uint8Array.of(below(256), below(256))
      changes.push({ store, key: Uint8Array.of(i), value })
    }
  }
  return changes
}

/** Returns the chain of a seed after every height. */
function history(seed: number, upgrades = UPGRADES): Plain[] {
  const plains = [FIRST]
  for (let height = 1; height <= LAST; height++)
    plains.push(after(plains.at(-1)!, ...stepOf(plains.at(-1)!, seed, upgrades)))
  return plains
}

function stepOf(before: Plain, seed: number, upgrades = UPGRADES): [Change[], StoreChanges | undefined] {
  const stores = upgrades.get(before.height + 1)
  const names = [...before.trees.keys()]
  return [blockOn(stores ? namesAfter(names, stores) : names, seed * 1000 + before.height), stores]
}

/** Commits the heights up to `to` as in the plain chain, and compares the app hashes. */
function build(store: VersionedStore, plains: readonly Plain[], seed: number, to: number, upgrades = UPGRADES): void {
  while (store.latestHeight() < BigInt(to)) {
    const before = plains[Number(store.latestHeight())]!
    const [changes, stores] = stepOf(before, seed, upgrades)
    const { appHash } = store.commit({ height: BigInt(before.height + 1), changes, stores })
    expect(formatHex(appHash), `height ${before.height + 1}`).toBe(hashOfPlain(plains[before.height + 1]!))
  }
}

/** Checks that kept heights, the latest first, have the entries and proofs of the plain chain. */
function look(store: VersionedStore, plains: readonly Plain[], step = 4): void {
  for (let height = Number(store.latestHeight()); height >= Number(store.earliestHeight()); height -= step) {
    const { values, trees } = plains[height]!
    const snapshot = store.at(BigInt(height))
    expect([...snapshot.stores].filter((name) => name !== 'x' || trees.has('x')).sort()).toEqual(
      [...trees.keys()].sort(),
    )
    for (const name of ['acc', 'bank', 'evm', 'x', 'new', 'money', 'void', 'empty']) {
      const shown = [...snapshot.iterate(name)].map(([key, value]) => [formatHex(key), value])
      expect(shown, `${name} at ${height}`).toEqual(sorted(values.get(name)))
      expect(snapshot.get(name, Uint8Array.of(7))).toEqual(values.get(name)?.get('07'))
      if (!trees.has(name)) expect(() => snapshot.proofs.prove(name, Uint8Array.of(7))).toThrow('no store')
      else {
        const proof = snapshot.proofs.prove(name, Uint8Array.of(7))
        expect(formatHex(proof.appHash)).toBe(hashOfPlain(plains[height]!))
        expect(formatHex(proof.storeRoot)).toBe(formatHex(hashOf(trees.get(name))))
        expect(proof.value).toEqual(values.get(name)?.get('07'))
      }
    }
    snapshot.close()
  }
}

interface Disk {
  readonly backend: Backend
  reopen(): Promise<Backend>
  clean(): void
}

const DISKS: readonly (readonly [string, () => Disk])[] = [
  ['memory', () => ({ backend: openMemory(), reopen: async () => expect.fail('memory ends'), clean() {} })],
  [
    'LMDB',
    () => {
      const path = mkdtempSync(join(tmpdir(), 'almanac-stores-'))
      const backend = openDisk(path, { noSync: true })
      return {
        backend,
        async reopen() {
          await backend.close()
          return openDisk(path, { noSync: true })
        },
        clean: () => rmSync(path, { recursive: true }),
      }
    },
  ],
]

const OPTIONS = { hashedStores: NAMES, checkpoints: { blocks: 12, writesInMemory: 9 } }

describe.each(DISKS)('upgrades that change the stores, over %s', { timeout: 120_000 }, (name, make) => {
  test.each([1, 2])(
    'every height has the app hash, the values and the proofs of its own stores (seed %i)',
    async (seed) => {
      const { backend, reopen, clean } = make()
      const plains = history(seed)
      const store = openTestStore(backend, OPTIONS)
      build(store, plains, seed, 33)
      look(store, plains)
      build(store, plains, seed, LAST)
      look(store, plains)
      await store.close()
      if (name !== 'memory') {
        const again = openTestStore(await reopen(), OPTIONS)
        look(again, plains)
        await again.close()
      }
      clean()
    },
  )

  test('a chain that stops after any block continues with the same stores and hashes', async () => {
    if (name === 'memory') return
    const path = mkdtempSync(join(tmpdir(), 'almanac-stores-'))
    const plains = history(3)
    for (let height = 1; height <= LAST; height++) {
      const backend = openDisk(path, { noSync: true })
      build(openTestStore(backend, OPTIONS), plains, 3, height)
      // As after a kill, without the checkpoint of a clean stop.
      await backend.close()
    }
    const store = openTestStore(openDisk(path, { noSync: true }), OPTIONS)
    look(store, plains)
    await store.close()
    rmSync(path, { recursive: true })
  })

  test.each([61, 45, 44, 30, 29])(
    'a rollback to %i leaves its stores, and the chain goes on as if it had never been further, upgraded or not',
    async (to) => {
      const { backend, clean } = make()
      const plains = history(1)
      const store = openTestStore(backend, OPTIONS)
      build(store, plains, 1, LAST)
      const { appHash } = store.rollback({ height: BigInt(to) })
      expect(formatHex(appHash)).toBe(hashOfPlain(plains[to]!))
      look(store, plains)
      // The history differs from there on: an upgrade is at another height.
      const upgrades = new Map([
        [to + 3, { added: ['new2'], deleted: ['bank'].filter((one) => plains[to]!.trees.has(one)) }],
      ])
      const others = plains.slice(0, to + 1)
      while (others.length <= LAST) others.push(after(others.at(-1)!, ...stepOf(others.at(-1)!, 9, upgrades)))
      build(store, others, 9, LAST, upgrades)
      look(store, others)
      expect([...openTestStore(backend, OPTIONS).at().stores].sort()).toEqual([...store.at().stores].sort())
      await store.close()
      clean()
    },
  )

  test('a chain that keeps few heights prunes the stores of earlier ones', async () => {
    const { backend, clean } = make()
    const plains = history(2)
    const store = openTestStore(backend, { ...OPTIONS, keepHeights: 10 })
    for (const height of [29, 30, 33, 44, 52, 61, LAST]) {
      build(store, plains, 2, height)
      look(store, plains)
    }
    expect(store.earliestHeight()).toBe(BigInt(LAST - 9))
    await store.close()
    clean()
  })
})

test('a chain set to keep one height also keeps the height before, which the latest header proves', () => {
  const plains = history(1)
  const store = openTestStore(openMemory(), { ...OPTIONS, keepHeights: 1 })
  build(store, plains, 1, 20)
  expect(store.earliestHeight()).toBe(19n)
  look(store, plains, 1)
})

test('a chain whose first block has fewer stores than its build has the app hash of a build without them', () => {
  const changes: Change[] = ['acc', 'bank'].map((store) => ({ store, key: utf8('k'), value: utf8('v') }))
  const fewer = openTestStore(openMemory(), { hashedStores: ['acc', 'bank', 'evm'] })
  const { appHash } = fewer.commit({ height: 5n, changes })
  const store = openTestStore(openMemory(), { hashedStores: ['acc', 'bank', 'evm', 'oracle', 'wasm'] })
  const begun = store.commit({ height: 5n, changes, stores: { deleted: ['wasm', 'oracle'] } })
  expect(formatHex(begun.appHash)).toBe(formatHex(appHash))
  expect([...store.at().stores]).toEqual(expect.not.arrayContaining(['oracle', 'wasm']))
  const next = store.commit({ height: 6n, changes, stores: { added: ['wasm'] } })
  const expected = fewer.commit({ height: 6n, changes, stores: { added: ['wasm'] } })
  expect(formatHex(next.appHash)).toBe(formatHex(expected.appHash))
})

test('store changes that do not fit the existing stores are refused with the reason', () => {
  const names = ['a', 'b', 'c']
  expect(namesAfter(names, { added: ['aa'], renamed: [{ from: 'a', to: 'z' }], deleted: ['c'] })).toEqual([
    'aa',
    'b',
    'z',
  ])
  expect(() => namesAfter(names, { added: ['b'] })).toThrow('add "b", which exists')
  expect(() => namesAfter(names, { deleted: ['d'] })).toThrow('delete or rename "d", which does not exist')
  expect(() => namesAfter(names, { renamed: [{ from: 'd', to: 'e' }] })).toThrow(
    'delete or rename "d", which does not exist',
  )
  expect(() => namesAfter(names, { renamed: [{ from: 'a', to: 'b' }] })).toThrow('add "b", which exists')
  expect(() => namesAfter(names, { added: ['d'], renamed: [{ from: 'a', to: 'd' }] })).toThrow('name "d" twice')
  // Another store can use a freed name only from the next upgrade on.
  const chain = [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'd' },
  ]
  expect(() => namesAfter(names, { renamed: chain })).toThrow('name "b" twice: use it again in a later upgrade')
  expect(() => namesAfter(names, { added: ['a'], renamed: [{ from: 'a', to: 'd' }] })).toThrow('name "a" twice')
  expect(() => namesAfter(names, { added: ['a'], deleted: ['a'] })).toThrow('name "a" twice')
  expect(() => namesAfter(names, { added: ['no good'] })).toThrow('"no good" is not a store name')
})

test('a block sees its own stores from its beginning, and cannot write to an undeclared one', () => {
  const store = openTestStore(openMemory(), { hashedStores: NAMES })
  const [key, value] = [utf8('k'), utf8('v')]
  store.commit({ height: 1n, changes: ['acc', 'bank', 'evm'].map((name) => ({ store: name, key, value })) })
  const changes = { added: ['new'], renamed: [{ from: 'bank', to: 'money' }], deleted: ['evm'] }
  const branch = createBranch(withStoreChanges(store.at(), changes))
  expect(['acc', 'bank', 'evm', 'money', 'new'].map((name) => branch.has(name, key))).toEqual([
    true,
    false,
    false,
    true,
    false,
  ])
  expect([...branch.iterate('money')]).toEqual([[key, value]])
  expect([...branch.iterate('bank')]).toEqual([])
  for (const name of ['bank', 'evm', 'other']) {
    expect(() => branch.set(name, key, value)).toThrow(
      `store "${name}" is not declared: add it to the stores of the application`,
    )
    expect(() => branch.writeRun(name, [])).toThrow(`store "${name}" is not declared`)
  }
  const inner = branch.branch()
  inner.set('bank', key, value)
  inner.merge()
  expect(() => branch.changes()).toThrow('store "bank" is not declared')
})
