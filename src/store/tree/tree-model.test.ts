/** Compares the trees with a plain model of immutable objects and Node's SHA-256. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createHelpers } from '../../node/trees/testing/waiting-helpers.ts'
import { compare, equal, formatHex } from '../../primitives/bytes.ts'
import { seeded } from '../testing/backend-contract.ts'
import type { KeyChange } from './batch.ts'
import type { LeafPath } from './leaf-paths.ts'
import { NONE, type Node } from './tree-program.ts'
import { createTreeStore, type TreeStore } from './tree-store.ts'

interface Plain {
  readonly key: Uint8Array
  readonly version: number
  readonly height: number
  readonly size: number
  readonly hash: string
  readonly left?: Plain
  readonly right?: Plain
}

const digest = (...parts: readonly Uint8Array[]) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Uint8Array.from([...bytes, Number(rest)])
}

const HASH_LENGTH = Uint8Array.of(32)
const bytesOf = (hash: string) => Buffer.from(hash, 'hex')

function leafHash(key: Uint8Array, version: number, valueHash: Uint8Array): string {
  const head = [varint(0), varint(2), varint(version * 2), varint(key.length)]
  return digest(...head, key, HASH_LENGTH, valueHash).toString('hex')
}

function innerHash(height: number, size: number, version: number, left: string, right: string): string {
  const head = [varint(height * 2), varint(size * 2), varint(version * 2)]
  return digest(...head, HASH_LENGTH, bytesOf(left), HASH_LENGTH, bytesOf(right)).toString('hex')
}

function inner(key: Uint8Array, version: number, left: Plain, right: Plain): Plain {
  const height = Math.max(left.height, right.height) + 1
  const size = left.size + right.size
  return { key, version, height, size, left, right, hash: innerHash(height, size, version, left.hash, right.hash) }
}

const turnRight = ({ key, left, right }: Plain, version: number) =>
  inner(left!.key, version, left!.left!, inner(key, version, left!.right!, right!))

const turnLeft = ({ key, left, right }: Plain, version: number) =>
  inner(right!.key, version, inner(key, version, left!, right!.left!), right!.right!)

const lean = ({ left, right }: Plain) => left!.height - right!.height

function balanced(key: Uint8Array, version: number, left: Plain, right: Plain): Plain {
  const node = inner(key, version, left, right)
  if (lean(node) > 1) {
    return turnRight(lean(left) < 0 ? inner(key, version, turnLeft(left, version), right) : node, version)
  }
  if (lean(node) < -1) {
    return turnLeft(lean(right) > 0 ? inner(key, version, left, turnRight(right, version)) : node, version)
  }
  return node
}

function withKey(at: Plain | undefined, key: Uint8Array, value: Uint8Array, version: number): Plain {
  const leaf = () => ({ key, version, height: 0, size: 1, hash: leafHash(key, version, digest(value)) })
  if (!at) return leaf()
  const order = compare(key, at.key)
  if (!at.left || !at.right) {
    if (order === 0) return leaf()
    return order < 0 ? inner(at.key, version, leaf(), at) : inner(key, version, at, leaf())
  }
  return order < 0
    ? balanced(at.key, version, withKey(at.left, key, value, version), at.right)
    : balanced(at.key, version, at.left, withKey(at.right, key, value, version))
}

const smallest = (at: Plain): Uint8Array => (at.left ? smallest(at.left) : at.key)

function withoutKey(at: Plain, key: Uint8Array, version: number): Plain | undefined {
  if (!at.left || !at.right) return equal(at.key, key) ? undefined : at
  if (compare(key, at.key) < 0) {
    const left = withoutKey(at.left, key, version)
    if (left === at.left) return at
    return left ? balanced(at.key, version, left, at.right) : at.right
  }
  const right = withoutKey(at.right, key, version)
  if (right === at.right) return at
  return right ? balanced(smallest(right), version, at.left, right) : at.left
}

function changed(root: Plain | undefined, { key, value }: KeyChange, version: number): Plain | undefined {
  if (value) return withKey(root, key, value, version)
  return root && withoutKey(root, key, version)
}

function* postOrder(at: Plain | undefined): IterableIterator<Pick<Plain, 'key' | 'version' | 'height'>> {
  if (!at) return
  yield* postOrder(at.left)
  yield* postOrder(at.right)
  yield { key: at.key, version: at.version, height: at.height }
}

/** Computes the root hash from a leaf with a value and its path. */
function rootOf({ key, version, steps }: LeafPath, value: Uint8Array): string {
  let hash = leafHash(key, version, digest(value))
  for (const step of steps) {
    const [left, right] = [step.left && formatHex(step.left), step.right && formatHex(step.right)]
    hash = innerHash(step.height, step.size, step.version, left ?? hash, right ?? hash)
  }
  return hash
}

const EMPTY = digest().toString('hex')

/** A height whose tree is in memory. */
interface Height {
  readonly root: Node
  readonly plain: Plain | undefined
  readonly values: ReadonlyMap<string, Uint8Array>
  replaced: Int32Array
}

/** Creates keys that share prefixes, contain zeros, and have lengths for all lanes of the hash. */
function keysOf(below: (n: number) => number, count: number): Uint8Array[] {
  const keys = new Map<string, Uint8Array>()
  while (keys.size < count) {
    const key = Uint8Array.from({ length: below(5) === 0 ? below(400) : below(12) }, () => below(3) * below(100))
    keys.set(formatHex(key), key)
  }
  return [...keys.values()].sort(compare)
}

function batchOf(below: (n: number) => number, keys: readonly Uint8Array[], removals: number): KeyChange[] {
  const chosen = new Set<number>()
  const most = [1, 8, 60, keys.length][below(4)]!
  for (let i = below(most); i >= 0; i--) chosen.add(below(keys.length))
  return [...chosen]
    .sort((a, b) => a - b)
    .map((i) => {
      const value = Uint8Array.from({ length: below(4) === 0 ? below(600) : below(70) }, () => below(256))
      return { key: keys[i]!, value: below(100) < removals ? undefined : value }
    })
}

test.each([1, 2, 3, 4, 5, 6].flatMap((seed) => [[seed, 'one thread'] as const, [seed, 'two threads'] as const]))(
  'batches give the trees of a plain model at every height in memory (seed %i, %s)',
  async (seed, threads) => {
    await using helpers = createHelpers()
    const below = seeded(seed)
    const pages = new Map<number, Uint8Array>()
    let next = 1
    const open = () =>
      createTreeStore(
        (page) => pages.get(page),
        () => next++,
        threads === 'one thread' ? {} : helpers,
      )
    const keys = keysOf(below, 30 * 3 ** (seed % 3))
    let treeStore: TreeStore = open()
    if (threads === 'two threads') await helpers.up(treeStore)
    let heights: Height[] = [{ root: NONE, plain: undefined, values: new Map(), replaced: new Int32Array(0) }]

    /** Evicts all but the latest heights. */
    const evict = (stay: number) => {
      while (heights.length > stay) treeStore.free(heights.shift()!.replaced)
    }
    /** Saves the latest tree and opens it from its pages. */
    const reopen = (inPlace: boolean) => {
      const latest = heights.at(-1)!
      const reference = latest.root === NONE ? undefined : treeStore.save(latest.root)
      const { written, dropped } = treeStore.takePages()
      for (const [page, bytes] of written) pages.set(page, bytes)
      for (const page of dropped) pages.delete(page)
      if (inPlace || threads === 'two threads') treeStore.clear()
      else treeStore = open()
      heights = [{ ...latest, root: reference ? treeStore.refer(reference) : NONE, replaced: new Int32Array(0) }]
    }

    for (let version = 1; version <= 300; version++) {
      const before = heights.at(-1)!
      treeStore.freeze(version - 1)
      let { root, plain } = before
      const values = new Map(before.values)
      // More than one batch a height, and trees that grow and shrink.
      for (let batch = below(3); batch >= 0; batch--) {
        const changes = batchOf(below, keys, version % 50 < 30 ? 20 : 80)
        const way = below(8)
        if (way > 3) root = treeStore.begin([{ root, changes }], version).finish()[0]!
        else if (way > 1) root = treeStore.write(root, changes, version)
        else {
          for (const { key, value } of changes) {
            root = value ? treeStore.set(root, key, value, version) : treeStore.remove(root, key, version)
          }
        }
        for (const change of changes) {
          plain = changed(plain, change, version)
          if (change.value) values.set(formatHex(change.key), change.value)
          else values.delete(formatHex(change.key))
        }
        if (below(5) === 0) treeStore.rootHash(root)
      }
      expect(formatHex(treeStore.rootHash(root))).toBe(plain?.hash ?? EMPTY)
      before.replaced = treeStore.takeReplaced()
      heights.push({ root, plain, values, replaced: new Int32Array(0) })
      evict(1 + below(10))
      if (below(12) === 0) reopen(below(2) === 0)

      const height = heights[below(heights.length)]!
      const key = keys[below(keys.length)]!
      const { found, left, right } = treeStore.locate(height.root, key)
      const value = height.values.get(formatHex(key))
      expect(found === undefined).toBe(value === undefined)
      const paths = found ? [found] : [left, right].filter((path) => path !== undefined)
      for (const path of paths) {
        expect(rootOf(path, height.values.get(formatHex(path.key))!)).toBe(height.plain?.hash)
      }
    }
    evict(1)
    const { root, plain } = heights[0]!
    expect([...treeStore.walk(root)]).toEqual([...postOrder(plain)])
    expect(treeStore.nodeCount).toBe(plain ? plain.size * 2 - 1 : 0)
    if (threads === 'two threads') expect(helpers.count()).toBeGreaterThan(0)
  },
)
