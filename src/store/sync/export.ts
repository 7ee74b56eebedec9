/** The state of one height as the items of a snapshot. Memory does not grow with the state. */
import { compare } from '../../primitives/bytes.ts'
import type { TreesAt } from '../tree/trees.ts'
import type { Reader } from '../types.ts'
import type { Item } from './items.ts'

/** The items of a height. Close it when done: until then the disk keeps its pages. */
export interface StateExport {
  readonly height: bigint
  /** App hash after the height. */
  readonly appHash: Uint8Array
  /** Number of keys of all stores. */
  readonly keyCount: number
  /** Yields each store with its nodes, then the extensions of a snapshot that the chain was restored from. Can be called once. */
  items(): IterableIterator<Item>
  close(): void
}

const NO_VALUE = new Uint8Array(0)

/** Yields the items of the trees of a height, whose values `iterate` reads. The trees can not be used afterwards. */
export function* itemsOf({ order, treeStore, roots }: TreesAt, iterate: Reader['iterate']): IterableIterator<Item> {
  for (const [treeIndex, store] of order.names.entries()) {
    yield { kind: 'store', name: store }
    const entries = iterate(store)
    for (const node of treeStore.walk(roots.nodes[treeIndex]!, { unloads: true })) {
      if (node.height > 0) {
        yield { kind: 'node', ...node, value: NO_VALUE }
        continue
      }
      const entry = entries.next()
      if (entry.done || compare(entry.value[0], node.key) !== 0)
        throw new Error(`the tree of ${store} and its state have different keys`)
      yield { kind: 'node', ...node, value: entry.value[1] }
    }
    if (!entries.next().done) throw new Error(`the state of ${store} has a key that its tree does not have`)
  }
}
