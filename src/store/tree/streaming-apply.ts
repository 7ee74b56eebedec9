/**
 * The trees of a block that changes the set of stores or writes too much for memory: after a number of writes, all trees
 * are saved to disk and dropped from memory.
 */

import type { Change, Entry, TableWrite } from '../types.ts'
import { type Checkpoint, pageRows } from './checkpoints.ts'
import type { PageReference } from './pages.ts'
import { NONE } from './tree-program.ts'
import { applyChange, type StoreOrder, type TreeRoots } from './tree-roots.ts'
import type { TreeStore } from './tree-store.ts'

/** Version of all nodes of a tree that is saved for the first time (docs/state-layout.md#trees). */
const FIRST_VERSION = 1

/** The stores and entries that a large block starts from. */
export interface LargeBlock {
  readonly height: number
  /** The stores from this block onwards. */
  readonly order: StoreOrder
  /** Old names of renamed stores by their new names. */
  readonly renamed: ReadonlyMap<string, string>
  /** Returns the entries of a store before the block, in key order. */
  readonly entriesOf: (store: string) => Iterable<Entry>
}

/** The trees before a block, and the version of the nodes that it writes. */
interface Before {
  readonly height: number
  readonly order: StoreOrder
  readonly treeStore: TreeStore
  readonly roots: TreeRoots
  readonly version: number
  /** Number of writes after which the trees are saved to disk. */
  readonly writesInMemory: number
}

export interface StreamingApply {
  /** Creates the trees of the new stores. Yields rows to commit. */
  begin(): IterableIterator<TableWrite>
  /** Applies a change, in the same order as for any block. Returns rows to commit. */
  apply(change: Change): readonly TableWrite[]
  /** Returns the remaining rows, the trees of the checkpoint, the pages that it drops, and the number of changes. */
  finish(): {
    readonly rows: readonly TableWrite[]
    readonly trees: Checkpoint['trees']
    readonly dropped: readonly number[]
    readonly count: number
  }
}

export function applyStreaming(before: Before, { order, renamed, entriesOf }: LargeBlock): StreamingApply {
  const { treeStore, version } = before
  const known = (name: string) => before.order.treeIndexes.get(name)
  /** Whether a store's tree starts empty. A renamed store is copied, so its tree is as new as that of an added store. */
  const isFresh = order.names.map((name) => renamed.has(name) || known(name) === undefined)
  let roots = before.roots
  let references: (PageReference | undefined)[] = []
  const dropped: number[] = []
  let [count, unsaved] = [0, 0]
  let current: string | undefined
  let isCurrentFresh = false

  /** Saves all trees to disk and drops their nodes. */
  function save(): TableWrite[] {
    references = roots.nodes.map((root) => {
      if (root === NONE) return undefined
      treeStore.rootHash(root)
      return treeStore.save(root)
    })
    const pages = treeStore.takePages()
    for (const page of pages.dropped) dropped.push(page)
    treeStore.clear()
    roots = {
      nodes: references.map((reference) => (reference ? treeStore.refer(reference) : NONE)),
      leaves: references.map(() => undefined),
    }
    unsaved = 0
    return pageRows(pages.written)
  }

  function apply(change: Change): readonly TableWrite[] {
    if (change.store !== current) {
      current = change.store
      isCurrentFresh = isFresh[order.treeIndexes.get(current) ?? -1] ?? false
      treeStore.freeze(isCurrentFresh ? 0 : before.height)
    }
    applyChange(order, treeStore, roots, change, isCurrentFresh ? FIRST_VERSION : version)
    count++
    return ++unsaved >= before.writesInMemory ? save() : []
  }

  return {
    *begin() {
      treeStore.freeze(before.height)
      yield* save()
      const staying = new Set(order.names.map((name, treeIndex) => (isFresh[treeIndex] ? undefined : name)))
      for (const [treeIndex, name] of before.order.names.entries()) {
        if (staying.has(name)) continue
        treeStore.abandon(roots.nodes[treeIndex]!)
        for (const page of treeStore.takePages().dropped) dropped.push(page)
      }
      const { nodes } = roots
      roots = {
        nodes: order.names.map((name, treeIndex) => (isFresh[treeIndex] ? NONE : nodes[known(name)!]!)),
        leaves: order.names.map(() => undefined),
      }
      for (const [store, from] of renamed) {
        for (const [key, value] of entriesOf(from)) yield* apply({ store, key, value })
      }
      count = 0
    },
    apply,
    finish() {
      const rows = save()
      const trees = order.names.map((name, treeIndex) => ({ name, reference: references[treeIndex] }))
      return { rows, trees, dropped, count }
    },
  }
}
