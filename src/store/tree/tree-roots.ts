/** The trees of all stores at one height, over nodes that they share with those of other heights. */
import { formatHex } from '../../primitives/bytes.ts'
import { compareTexts } from '../order.ts'
import type { Change } from '../types.ts'
import type { Checkpoint } from './checkpoints.ts'
import { merkleRoot, storeLeaf } from './multi-store.ts'
import { NONE, type Node } from './tree-program.ts'
import type { Forest } from './tree-store.ts'

/** Names of the stores in the order of the app hash, and each one's place in it. */
export interface StoreOrder {
  readonly names: readonly string[]
  readonly places: ReadonlyMap<string, number>
}

export function orderStores(stores: readonly string[]): StoreOrder {
  const names = [...stores].sort(compareTexts)
  return { names, places: new Map(names.map((name, place) => [name, place])) }
}

/** Roots by place; a leaf of the multi-store is made when it is asked for and its tree has changed. */
export interface Grove {
  readonly roots: Node[]
  readonly leaves: (Uint8Array | undefined)[]
}

export function emptyGrove({ names }: StoreOrder): Grove {
  return { roots: names.map(() => NONE), leaves: names.map(() => undefined) }
}

/** The trees of a checkpoint, known by reference. Throws an `Error` if it is of other stores. */
export function groveOf({ names }: StoreOrder, forest: Forest, { trees }: Checkpoint): Grove {
  const found = trees.map(({ name }) => name).join(' ')
  const expected = names.join(' ')
  if (found !== expected) throw new Error(`the trees on disk are of the stores ${found}, this chain has ${expected}`)
  return {
    roots: trees.map(({ reference }) => (reference ? forest.refer(reference) : NONE)),
    leaves: names.map(() => undefined),
  }
}

/** Changes of the tree at a place. */
interface Part {
  readonly place: number
  readonly changes: readonly Change[]
}

/** Changes by tree, of those that take part in the app hash. */
function partsOf({ places }: StoreOrder, changes: readonly Change[]): Part[] {
  const parts: Part[] = []
  for (let from = 0, to = 0; from < changes.length; from = to) {
    const { store } = changes[from]!
    while (changes[to]?.store === store) to++
    const place = places.get(store)
    if (place !== undefined) parts.push({ place, changes: changes.slice(from, to) })
  }
  return parts
}

function withRoots(before: Grove, parts: readonly Part[], roots: readonly Node[]): Grove {
  const grove = { roots: [...before.roots], leaves: [...before.leaves] }
  for (const [i, { place }] of parts.entries()) {
    grove.roots[place] = roots[i]!
    grove.leaves[place] = undefined
  }
  return grove
}

/** The trees after a block's changes, sorted by store and key; those before it are what they were, as far as the forest keeps them. */
export function grown(
  order: StoreOrder,
  forest: Forest,
  before: Grove,
  changes: readonly Change[],
  version: number,
): Grove {
  const parts = partsOf(order, changes)
  const roots = parts.map((part) => forest.write(before.roots[part.place]!, part.changes, version))
  return withRoots(before, parts, roots)
}

/**
 * As `grown`, but hashed, and begun only: until it is finished or given up nothing else may be asked of the forest. Nodes of
 * trees that were given up are freed on the way.
 */
export function growing(
  order: StoreOrder,
  forest: Forest,
  before: Grove,
  changes: readonly Change[],
  version: number,
  freed: Int32Array,
): { finish(): Grove; giveUp(): void } {
  const parts = partsOf(order, changes)
  const writes = parts.map((part) => ({ root: before.roots[part.place]!, changes: part.changes }))
  const { finish, giveUp } = forest.begin(writes, version, freed)
  return { finish: () => withRoots(before, parts, finish()), giveUp }
}

/** Makes a change to the trees themselves. Changes to stores that take no part in the app hash are left out. */
export function grow(
  { places }: StoreOrder,
  forest: Forest,
  { roots, leaves }: Grove,
  { store, key, value }: Change,
  version: number,
): void {
  const place = places.get(store)
  if (place === undefined) return
  const root = roots[place]!
  roots[place] = value ? forest.set(root, key, value, version) : forest.remove(root, key, version)
  leaves[place] = undefined
}

/** Leaf hashes of the multi-store, in order. */
export function leavesOf({ names }: StoreOrder, forest: Forest, { roots, leaves }: Grove): readonly Uint8Array[] {
  return names.map((name, place) => {
    leaves[place] ??= storeLeaf(name, forest.rootHash(roots[place]!))
    return leaves[place]
  })
}

export function appHashOf(order: StoreOrder, forest: Forest, grove: Grove): Uint8Array {
  return merkleRoot(leavesOf(order, forest, grove))
}

/** Says of two app hashes that should be equal how they differ. */
export function mismatch(found: Uint8Array, expected: Uint8Array): string {
  return `the app hash ${formatHex(found)} instead of ${formatHex(expected)}`
}
