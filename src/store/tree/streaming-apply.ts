/**
 * The trees of a block that changes the stores, or that writes more than should be in memory: every so many writes all
 * trees go to disk and out of memory.
 */

import type { Change, Entry, TableWrite } from '../types.ts'
import { type Checkpoint, pageRows } from './checkpoints.ts'
import type { PageReference } from './pages.ts'
import { NONE } from './tree-program.ts'
import { type Grove, grow, type StoreOrder } from './tree-roots.ts'
import type { Forest } from './tree-store.ts'

/** Version of all nodes of a tree that is saved for the first time (state-layout.md §5.5). */
const FIRST_VERSION = 1

/** What a large block begins with. */
export interface LargeBlock {
  readonly height: number
  /** The stores from this block on. */
  readonly order: StoreOrder
  /** Old names of stores by their new ones. */
  readonly renamed: ReadonlyMap<string, string>
  /** What a store holds before the block, in key order. */
  readonly entriesOf: (store: string) => Iterable<Entry>
}

/** Trees before a block, and the version of the nodes that it makes. */
interface Before {
  readonly height: number
  readonly order: StoreOrder
  readonly forest: Forest
  readonly grove: Grove
  readonly version: number
  /** Writes between two times that the trees go to disk. */
  readonly writesInMemory: number
}

export interface LargeGrowth {
  /** Makes the trees of the new stores. Gives rows as they are due. */
  begin(): IterableIterator<TableWrite>
  /** Makes a change, sorted as those of any block, and gives the rows that are then due. */
  apply(change: Change): readonly TableWrite[]
  /** The rows that are left, the checkpoint's trees, pages that it does without, and how many changes were made. */
  finish(): {
    readonly rows: readonly TableWrite[]
    readonly trees: Checkpoint['trees']
    readonly dropped: readonly number[]
    readonly count: number
  }
}

export function growLarge(before: Before, { order, renamed, entriesOf }: LargeBlock): LargeGrowth {
  const { forest, version } = before
  const known = (name: string) => before.order.places.get(name)
  /** A renamed store is copied, so its tree is as new as that of an added one. */
  const isFresh = order.names.map((name) => renamed.has(name) || known(name) === undefined)
  let grove = before.grove
  let references: (PageReference | undefined)[] = []
  const dropped: number[] = []
  let [count, unsaved] = [0, 0]
  let current: string | undefined
  let isCurrentFresh = false

  /** Puts all trees on disk and forgets their nodes. */
  function save(): TableWrite[] {
    references = grove.roots.map((root) => {
      if (root === NONE) return undefined
      forest.rootHash(root)
      return forest.save(root)
    })
    const pages = forest.takePages()
    for (const page of pages.dropped) dropped.push(page)
    forest.clear()
    grove = {
      roots: references.map((reference) => (reference ? forest.refer(reference) : NONE)),
      leaves: references.map(() => undefined),
    }
    unsaved = 0
    return pageRows(pages.written)
  }

  function apply(change: Change): readonly TableWrite[] {
    if (change.store !== current) {
      current = change.store
      isCurrentFresh = isFresh[order.places.get(current) ?? -1] ?? false
      forest.keep(isCurrentFresh ? 0 : before.height)
    }
    grow(order, forest, grove, change, isCurrentFresh ? FIRST_VERSION : version)
    count++
    return ++unsaved >= before.writesInMemory ? save() : []
  }

  return {
    *begin() {
      forest.keep(before.height)
      yield* save()
      const staying = new Set(order.names.map((name, place) => (isFresh[place] ? undefined : name)))
      for (const [place, name] of before.order.names.entries()) {
        if (staying.has(name)) continue
        forest.abandon(grove.roots[place]!)
        for (const page of forest.takePages().dropped) dropped.push(page)
      }
      const { roots } = grove
      grove = {
        roots: order.names.map((name, place) => (isFresh[place] ? NONE : roots[known(name)!]!)),
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
      const trees = order.names.map((name, place) => ({ name, reference: references[place] }))
      return { rows, trees, dropped, count }
    },
  }
}
