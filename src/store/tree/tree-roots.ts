/** The trees of all stores at one height: their roots in the tree store, and their leaves in the multi-store. */
import { formatHex } from '../../primitives/bytes.ts'
import { compareTexts } from '../order.ts'
import type { Change } from '../types.ts'
import type { Checkpoint } from './checkpoints.ts'
import { merkleRoot, storeLeaf } from './multi-store.ts'
import { NONE, type Node } from './tree-program.ts'
import type { TreeStore } from './tree-store.ts'

/** Store names in the order of the app hash, and the index of each. */
export interface StoreOrder {
  readonly names: readonly string[]
  readonly treeIndexes: ReadonlyMap<string, number>
}

export function orderStores(stores: readonly string[]): StoreOrder {
  const names = [...stores].sort(compareTexts)
  return { names, treeIndexes: new Map(names.map((name, treeIndex) => [name, treeIndex])) }
}

/**
 * Root nodes by index, and leaf hashes of the multi-store, which are computed when needed and cached until the tree
 * changes.
 */
export interface TreeRoots {
  readonly nodes: Node[]
  readonly leaves: (Uint8Array | undefined)[]
}

export function emptyRoots({ names }: StoreOrder): TreeRoots {
  return { nodes: names.map(() => NONE), leaves: names.map(() => undefined) }
}

/** Returns the trees of a checkpoint, as references. Throws an `Error` if the checkpoint has other stores. */
export function rootsOfCheckpoint({ names }: StoreOrder, treeStore: TreeStore, { trees }: Checkpoint): TreeRoots {
  const found = trees.map(({ name }) => name).join(' ')
  const expected = names.join(' ')
  if (found !== expected) throw new Error(`the trees on disk have the stores ${found}, but this chain has ${expected}`)
  return {
    nodes: trees.map(({ reference }) => (reference ? treeStore.refer(reference) : NONE)),
    leaves: names.map(() => undefined),
  }
}

/** Changes of the tree at an index. */
interface TreeChanges {
  readonly treeIndex: number
  readonly changes: readonly Change[]
}

/** Groups changes by tree, without those of stores outside the app hash. */
function groupByTree({ treeIndexes }: StoreOrder, changes: readonly Change[]): TreeChanges[] {
  const parts: TreeChanges[] = []
  for (let from = 0, to = 0; from < changes.length; from = to) {
    const { store } = changes[from]!
    while (changes[to]?.store === store) to++
    const treeIndex = treeIndexes.get(store)
    if (treeIndex !== undefined) parts.push({ treeIndex, changes: changes.slice(from, to) })
  }
  return parts
}

function withNodes(before: TreeRoots, parts: readonly TreeChanges[], nodes: readonly Node[]): TreeRoots {
  const roots = { nodes: [...before.nodes], leaves: [...before.leaves] }
  for (const [i, { treeIndex }] of parts.entries()) {
    roots.nodes[treeIndex] = nodes[i]!
    roots.leaves[treeIndex] = undefined
  }
  return roots
}

/** Returns the trees after a block's changes, which are sorted by store and key. The trees before stay if they are frozen. */
export function applyChanges(
  order: StoreOrder,
  treeStore: TreeStore,
  before: TreeRoots,
  changes: readonly Change[],
  version: number,
): TreeRoots {
  const parts = groupByTree(order, changes)
  const nodes = parts.map((part) => treeStore.write(before.nodes[part.treeIndex]!, part.changes, version))
  return withNodes(before, parts, nodes)
}

/**
 * Starts to free nodes of evicted trees and to apply and hash a block's changes. Until `finish` or `abort` the tree store must
 * not be used otherwise.
 */
export function beginApply(
  order: StoreOrder,
  treeStore: TreeStore,
  before: TreeRoots,
  changes: readonly Change[],
  version: number,
  freed: Int32Array,
): { finish(): TreeRoots; abort(): void } {
  const parts = groupByTree(order, changes)
  const writes = parts.map((part) => ({ root: before.nodes[part.treeIndex]!, changes: part.changes }))
  const { finish, abort } = treeStore.begin(writes, version, freed)
  return { finish: () => withNodes(before, parts, finish()), abort }
}

/** Applies one change to the given trees in place. Ignores changes of stores outside the app hash. */
export function applyChange(
  { treeIndexes }: StoreOrder,
  treeStore: TreeStore,
  { nodes, leaves }: TreeRoots,
  { store, key, value }: Change,
  version: number,
): void {
  const treeIndex = treeIndexes.get(store)
  if (treeIndex === undefined) return
  const root = nodes[treeIndex]!
  nodes[treeIndex] = value ? treeStore.set(root, key, value, version) : treeStore.remove(root, key, version)
  leaves[treeIndex] = undefined
}

/** Returns the leaf hashes of the multi-store, in order. */
export function leavesOf(
  { names }: StoreOrder,
  treeStore: TreeStore,
  { nodes, leaves }: TreeRoots,
): readonly Uint8Array[] {
  return names.map((name, treeIndex) => {
    leaves[treeIndex] ??= storeLeaf(name, treeStore.rootHash(nodes[treeIndex]!))
    return leaves[treeIndex]
  })
}

/** Returns the app hash. `rootOf` can be a `createMerkleRoot` of trees that follow each other. */
export function appHashOf(order: StoreOrder, treeStore: TreeStore, roots: TreeRoots, rootOf = merkleRoot): Uint8Array {
  return rootOf(leavesOf(order, treeStore, roots))
}

/** Returns the root hashes of the stores, in the order of the app hash. */
export function rootHashesOf(
  { names }: StoreOrder,
  treeStore: TreeStore,
  { nodes }: TreeRoots,
): ReadonlyMap<string, Uint8Array> {
  return new Map(names.map((name, treeIndex) => [name, treeStore.rootHash(nodes[treeIndex]!)]))
}

/** Describes two app hashes that should be equal, for an error. */
export function mismatch(found: Uint8Array, expected: Uint8Array): string {
  return `the app hash ${formatHex(found)} instead of ${formatHex(expected)}`
}
