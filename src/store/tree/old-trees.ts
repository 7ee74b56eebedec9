/**
 * Trees of heights that are long past: the nearest checkpoint before, and the change log from there on. What was built
 * stays for the next proof, of the same height or of a later one, as long as there is room.
 */

import type { Change, Tables } from '../types.ts'
import { type Checkpoint, findCheckpoint, readPage } from './checkpoints.ts'
import { emptyGrove, type Grove, groveOf, grown, leavesOf, type StoreOrder } from './tree-roots.ts'
import { createForest, type Forest } from './tree-store.ts'
import { type TreesAt, versionAt } from './trees.ts'

/** Nodes of all trees together; some 50 MB. Trees of one height alone may have more. */
const DEFAULT_NODES = 500_000

/** Where the trees of a height are built from. Must show that height while it is used. */
export interface TreeSource {
  readonly tables: Tables
  readonly height: number
  /** The first height in the log. */
  readonly logFrom: number
  /** Another number after each rollback. */
  readonly rollbacks: number
  changesOf(height: number): readonly Change[]
  /** The stores in the app hash of a height. */
  orderAt(height: number): StoreOrder
}

export interface OldTrees {
  /** Whether the trees of the source's height are in memory. */
  has(source: TreeSource): boolean
  at(source: TreeSource): TreesAt
}

/** Trees that begin with one checkpoint, at the heights that were asked for. */
interface Replay {
  readonly order: StoreOrder
  readonly forest: Forest
  readonly groves: Map<number, Grove>
  /** Where pages are read from, while a source is at hand. */
  tables: Tables
}

export function createOldTrees(nodes = DEFAULT_NODES): OldTrees {
  /** By rollback and checkpoint, the one used last at the end. */
  const replays = new Map<string, Replay>()

  const keyOf = ({ rollbacks }: TreeSource, checkpoint: Checkpoint | undefined) =>
    `${rollbacks} ${checkpoint?.height ?? 0}`

  function create({ tables, orderAt }: TreeSource, checkpoint: Checkpoint | undefined): Replay {
    const order = orderAt(checkpoint?.height ?? 0)
    const forest = createForest(
      (page) => readPage(replay.tables, page),
      () => {
        throw new Error('trees of the past are not saved')
      },
    )
    const grove = checkpoint ? groveOf(order, forest, checkpoint) : emptyGrove(order)
    const replay: Replay = { order, forest, groves: new Map([[checkpoint?.height ?? 0, grove]]), tables }
    return replay
  }

  function advance({ order, forest, groves }: Replay, { height, logFrom, changesOf }: TreeSource): Grove {
    let from = -1
    for (const known of groves.keys()) if (known <= height && known > from) from = known
    let grove = groves.get(from)!
    if (from === height) return grove
    forest.keep(from)
    let before = from
    for (let at = from === 0 ? logFrom : from + 1; at <= height; at++) {
      grove = grown(order, forest, grove, changesOf(at), versionAt(before, at))
      before = at
    }
    leavesOf(order, forest, grove)
    // What other heights share stays until all of these trees are given up.
    forest.takeReplaced()
    forest.takePages()
    groves.set(height, grove)
    return grove
  }

  function makeRoom(): void {
    let total = 0
    for (const { forest } of replays.values()) total += forest.nodeCount
    for (const [key, { forest }] of replays) {
      if (total <= nodes) return
      // The last one has just been used.
      if (replays.size === 1) return
      total -= forest.nodeCount
      replays.delete(key)
    }
  }

  return {
    has(source) {
      const replay = replays.get(keyOf(source, findCheckpoint(source.tables, source.height)))
      return replay?.groves.has(source.height) ?? false
    },
    at(source) {
      const checkpoint = findCheckpoint(source.tables, source.height)
      const key = keyOf(source, checkpoint)
      const known = replays.get(key)
      // What has gathered too many heights begins anew with the next.
      const isFull = known && known.forest.nodeCount > nodes && !known.groves.has(source.height)
      const replay = known && !isFull ? known : create(source, checkpoint)
      replays.delete(key)
      replay.tables = source.tables
      const grove = advance(replay, source)
      replays.set(key, replay)
      makeRoom()
      return { order: replay.order, forest: replay.forest, grove }
    },
  }
}
