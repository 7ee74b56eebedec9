/**
 * Rebuilds trees for historical proofs, from the nearest checkpoint before the height and the change log after it. Rebuilt
 * trees stay cached for proofs of the same or a later height.
 */

import type { Change, Tables } from '../types.ts'
import { type Checkpoint, findCheckpoint, readPage } from './checkpoints.ts'
import { applyChanges, emptyRoots, leavesOf, rootsOfCheckpoint, type StoreOrder, type TreeRoots } from './tree-roots.ts'
import { createTreeStore, type TreeStore } from './tree-store.ts'
import { type TreesAt, versionAt } from './trees.ts'

/** Limit of cached nodes; some 50 MB. The trees of a single height can exceed it. */
const DEFAULT_NODES = 500_000

/** The tables and changes from which the trees of a height are built. They must belong to one snapshot of that height. */
export interface TreeSource {
  readonly tables: Tables
  readonly height: number
  /** The first height in the change log. */
  readonly logFrom: number
  /** A number that changes with each rollback. */
  readonly rollbacks: number
  changesOf(height: number): readonly Change[]
  /** Returns the stores in the app hash of a height. */
  orderAt(height: number): StoreOrder
}

export interface OldTrees {
  /** Whether the trees of the source's height are in memory. */
  has(source: TreeSource): boolean
  at(source: TreeSource): TreesAt
}

/** Trees rebuilt from one checkpoint, at the requested heights. */
interface Replay {
  readonly order: StoreOrder
  readonly treeStore: TreeStore
  readonly rootsByHeight: Map<number, TreeRoots>
  /** The tables of the present source, to read pages from. */
  tables: Tables
}

export function createOldTrees(nodes = DEFAULT_NODES): OldTrees {
  /** Replays by rollback and checkpoint, the most recently used last. */
  const replays = new Map<string, Replay>()

  const keyOf = ({ rollbacks }: TreeSource, checkpoint: Checkpoint | undefined) =>
    `${rollbacks} ${checkpoint?.height ?? 0}`

  function create({ tables, orderAt }: TreeSource, checkpoint: Checkpoint | undefined): Replay {
    const order = orderAt(checkpoint?.height ?? 0)
    const treeStore = createTreeStore(
      (page) => readPage(replay.tables, page),
      () => {
        throw new Error('trees of historical proofs are never saved')
      },
    )
    const roots = checkpoint ? rootsOfCheckpoint(order, treeStore, checkpoint) : emptyRoots(order)
    const replay: Replay = { order, treeStore, rootsByHeight: new Map([[checkpoint?.height ?? 0, roots]]), tables }
    return replay
  }

  function advance({ order, treeStore, rootsByHeight }: Replay, { height, logFrom, changesOf }: TreeSource): TreeRoots {
    let from = -1
    for (const known of rootsByHeight.keys()) if (known <= height && known > from) from = known
    let roots = rootsByHeight.get(from)!
    if (from === height) return roots
    treeStore.freeze(from)
    let before = from
    for (let at = from === 0 ? logFrom : from + 1; at <= height; at++) {
      roots = applyChanges(order, treeStore, roots, changesOf(at), versionAt(before, at))
      before = at
    }
    leavesOf(order, treeStore, roots)
    // Replaced nodes are never freed one by one: other heights of this replay share them.
    treeStore.takeReplaced()
    treeStore.takePages()
    rootsByHeight.set(height, roots)
    return roots
  }

  /** Evicts the least recently used replays beyond the limit of nodes. */
  function evict(): void {
    let total = 0
    for (const { treeStore } of replays.values()) total += treeStore.nodeCount
    for (const [key, { treeStore }] of replays) {
      if (total <= nodes) return
      // The last replay was just used.
      if (replays.size === 1) return
      total -= treeStore.nodeCount
      replays.delete(key)
    }
  }

  return {
    has(source) {
      const replay = replays.get(keyOf(source, findCheckpoint(source.tables, source.height)))
      return replay?.rootsByHeight.has(source.height) ?? false
    },
    at(source) {
      const checkpoint = findCheckpoint(source.tables, source.height)
      const key = keyOf(source, checkpoint)
      const cached = replays.get(key)
      // A replay with too many heights starts again from its checkpoint.
      const isFull = cached && cached.treeStore.nodeCount > nodes && !cached.rootsByHeight.has(source.height)
      const replay = cached && !isFull ? cached : create(source, checkpoint)
      replays.delete(key)
      replay.tables = source.tables
      const roots = advance(replay, source)
      replays.set(key, replay)
      evict()
      return { order: replay.order, treeStore: replay.treeStore, roots }
    },
  }
}
