/**
 * The trees of the latest heights in memory. A restart rebuilds them from the last checkpoint and the change log after it.
 */
import { equal } from '../../primitives/bytes.ts'
import type { Era } from '../history/registry.ts'
import type { Change, Tables, TableWrite } from '../types.ts'
import { type Checkpoint, checkpointRows, findCheckpoint, readPage, supersedingRows } from './checkpoints.ts'
import { createMerkleRoot } from './multi-store.ts'
import { applyStreaming, type LargeBlock, type StreamingApply } from './streaming-apply.ts'
import { NONE } from './tree-program.ts'
import {
  appHashOf,
  beginApply,
  emptyRoots,
  mismatch,
  rootsOfCheckpoint,
  type StoreOrder,
  type TreeRoots,
} from './tree-roots.ts'
import { createTreeStore, type TreeStore } from './tree-store.ts'
import type { CreateTreeHelper } from './tree-writes.ts'

/** The distance between checkpoints. A restart after a kill, or a proof of an old height, applies at most this distance again. */
export interface CheckpointSpacing {
  readonly changedKeys: number
  readonly blocks: number
  /**
   * One checkpoint in this many is permanent, for proofs of old heights; the others are deleted when the next one is made. 0:
   * all are permanent.
   */
  readonly permanent: number
  /** Maximum number of nodes: a checkpoint with more drops all of them, and those in use are read from disk again. */
  readonly nodesInMemory: number
  /** Number of writes of a large block after which its trees are saved to disk. */
  readonly writesInMemory: number
}

/**
 * The default spacing: a restart takes a fraction of a second, a proof of an old height a second, memory at most some
 * 150 MB.
 */
export const DEFAULT_SPACING: CheckpointSpacing = {
  changedKeys: 20_000,
  blocks: 1_000,
  permanent: 2,
  nodesInMemory: 1_500_000,
  writesInMemory: 40_000,
}

/** Number of recent heights whose trees stay in memory, and the limit of nodes that the latest tree no longer shares. */
const RECENT = { heights: 32, nodes: 200_000 }

/** The state that the trees must match. */
export interface TreesState {
  /** 0 before the first block. */
  readonly height: number
  /** The chain's first height. */
  readonly first: number
  /** Undefined to compute it without a comparison. */
  readonly appHash: Uint8Array | undefined
}

/** The trees of one height. */
export interface TreesAt {
  readonly order: StoreOrder
  readonly treeStore: TreeStore
  readonly roots: TreeRoots
}

interface StreamingCommit extends Pick<StreamingApply, 'begin' | 'apply'> {
  finish(): { readonly appHash: Uint8Array; readonly rows: TableWrite[] }
}

/** A block whose changes are being applied. Until `finish` or `abort` the trees must not be used otherwise. */
interface Commit {
  /** Returns the app hash after the block, and the rows of a checkpoint if one is due. */
  finish(): { readonly appHash: Uint8Array; readonly rows: TableWrite[] }
  /** Stops unless it has finished. Afterwards the trees match no height and must be opened again. */
  abort(): void
}

export interface Trees {
  /** Starts to apply a block's changes, on another thread if possible. */
  begin(height: number, changes: readonly Change[]): Commit
  /**
   * Starts a block that changes the set of stores or is too large for memory. It saves its trees to disk in between, and ends
   * with a permanent checkpoint. Evicts the trees of the heights before from memory.
   */
  beginStreaming(block: LargeBlock): StreamingCommit
  /** Returns the rows of a checkpoint at the latest height, for a clean shutdown. */
  checkpoint(): TableWrite[]
  /** Returns the last checkpoint's height. The latest trees do not need the changes of heights up to it. */
  checkpointHeight(): number
  /** Returns the trees of a height if they are in memory. */
  at(height: number): TreesAt | undefined
  /**
   * Drops the latest height, so that it can be applied again. Returns false, and does nothing, if the height before is not in
   * memory or the latest has a checkpoint.
   */
  dropLatest(): boolean
  /** Stops the thread. Trees in memory stay readable. */
  close(): Promise<void>
}

const NOTHING = new Int32Array(0)

/** A height with trees in memory, and the nodes that the next height replaced. */
interface Recent {
  readonly height: number
  readonly order: StoreOrder
  readonly roots: TreeRoots
  replaced: Int32Array
}

/**
 * Opens the trees at the latest height, from the last checkpoint and the changes after it. Throws an `Error` if the result
 * is not the recorded app hash, or if the checkpoint has other stores.
 */
export function openTrees(
  tables: Tables,
  eraAt: (height: number) => Pick<Era, 'from' | 'order'>,
  latest: TreesState,
  changesOf: (height: number) => readonly Change[],
  spacing: CheckpointSpacing = DEFAULT_SPACING,
  createHelper?: CreateTreeHelper,
): Trees {
  let nextPage = 1
  let height = 0
  let { order } = eraAt(0)
  let checkpointed = 0
  let changesSince = 0
  let changesBefore = 0
  let roots = emptyRoots(order)
  let recent: Recent[] = []
  let replacedCount = 0
  /** Nodes to free with the next block. */
  let unused: Int32Array = NOTHING
  const rootOf = createMerkleRoot()
  const treeStore = createTreeStore(
    (page) => readPage(tables, page),
    () => nextPage++,
    { createHelper },
  )

  function apply(at: number, changes: readonly Change[]): { finish(): Uint8Array; abort(): void } {
    treeStore.freeze(height)
    const { finish, abort } = beginApply(order, treeStore, roots, changes, versionAt(height, at), unused)
    unused = NOTHING
    return {
      finish() {
        roots = finish()
        height = at
        changesSince += changes.length
        addRecent()
        return appHashOf(order, treeStore, roots, rootOf)
      },
      abort,
    }
  }

  /** Adds the latest height to the recent ones, and evicts the oldest beyond the limits. */
  function addRecent(): void {
    const replaced = treeStore.takeReplaced()
    const before = recent.at(-1)
    if (before) before.replaced = replaced
    else freeLater(replaced)
    replacedCount += replaced.length
    recent.push({ height, order, roots, replaced: NOTHING })
    while (recent.length > 2 && (recent.length > RECENT.heights || replacedCount > RECENT.nodes)) {
      const { replaced: evicted } = recent.shift()!
      replacedCount -= evicted.length
      freeLater(evicted)
    }
  }

  function freeLater(nodes: Int32Array): void {
    treeStore.free(unused)
    unused = nodes
  }

  function checkpoint(): TableWrite[] {
    treeStore.freeze(height)
    const taken: Checkpoint['trees'] = order.names.map((name, treeIndex) => {
      const root = roots.nodes[treeIndex]!
      return { name, reference: root === NONE ? undefined : treeStore.save(root) }
    })
    const found: Checkpoint = { height, nextPage, changes: changesBefore + changesSince, trees: taken }
    const pages = treeStore.takePages()
    const between = supersededBy(found)
    const rows = between
      ? supersedingRows(tables, found, pages, between.older, between.superseded)
      : checkpointRows(found, pages)
    checkpointed = height
    changesBefore = found.changes
    changesSince = 0
    if (treeStore.nodeCount > spacing.nodesInMemory) {
      treeStore.clear()
      begin(found)
    }
    return rows
  }

  /**
   * Returns the latest checkpoint if a new one supersedes it: the checkpoint before is near enough to the new one, and the
   * change log reaches back to it.
   */
  function supersededBy(
    found: Checkpoint,
  ): { readonly older: Checkpoint; readonly superseded: Checkpoint } | undefined {
    const isFixed = checkpointed === 0 || eraAt(checkpointed).from === checkpointed
    const superseded = isFixed ? undefined : findCheckpoint(tables, checkpointed)
    const older = superseded && findCheckpoint(tables, superseded.height - 1)
    if (!older || older.height < latest.first - 1) return undefined
    const isNear =
      found.height - older.height <= spacing.blocks * spacing.permanent &&
      found.changes - older.changes <= spacing.changedKeys * (spacing.permanent + 0.5)
    return isNear ? { older, superseded } : undefined
  }

  function begin(from: Checkpoint): void {
    order = eraAt(from.height).order
    roots = rootsOfCheckpoint(order, treeStore, from)
    recent = [{ height: from.height, order, roots, replaced: NOTHING }]
    replacedCount = 0
    unused = NOTHING
  }

  function beginStreaming(block: LargeBlock): StreamingCommit {
    recent = []
    unused = NOTHING
    const { writesInMemory } = spacing
    const version = versionAt(height, block.height)
    const streaming = applyStreaming({ treeStore, order, roots, height, version, writesInMemory }, block)
    return {
      begin: streaming.begin,
      apply: streaming.apply,
      finish() {
        const { rows, trees, dropped, count } = streaming.finish()
        height = block.height
        checkpointed = height
        changesBefore += changesSince + count
        changesSince = 0
        const found: Checkpoint = { height, nextPage, changes: changesBefore, trees }
        begin(found)
        return {
          appHash: appHashOf(order, treeStore, roots),
          rows: [...rows, ...checkpointRows(found, { written: [], dropped })],
        }
      },
    }
  }

  const stored = findCheckpoint(tables, latest.height)
  if (stored) {
    height = stored.height
    checkpointed = stored.height
    nextPage = stored.nextPage
    changesBefore = stored.changes
    begin(stored)
  }
  if (latest.height > 0) {
    let appHash = appHashOf(order, treeStore, roots)
    for (let at = height > 0 ? height + 1 : latest.first; at <= latest.height; at++)
      appHash = apply(at, changesOf(at)).finish()
    if (latest.appHash && !equal(appHash, latest.appHash)) {
      throw new Error(`the changes since height ${checkpointed} produce ${mismatch(appHash, latest.appHash)}`)
    }
  }

  return {
    begin(at, changes) {
      const { finish, abort } = apply(at, changes)
      return {
        finish() {
          const appHash = finish()
          const isDue = changesSince >= spacing.changedKeys || height - checkpointed >= spacing.blocks
          return { appHash, rows: isDue ? checkpoint() : [] }
        },
        abort,
      }
    },
    beginStreaming,
    checkpoint,
    checkpointHeight: () => checkpointed,
    at(wanted) {
      const found = recent.find((one) => one.height === wanted)
      return found && { order: found.order, treeStore, roots: found.roots }
    },
    dropLatest() {
      const last = recent.at(-1)
      const before = recent.at(-2)
      if (last?.height !== height || checkpointed >= height) return false
      if (!before && checkpointed > 0) return false
      recent.pop()
      // Nodes of the dropped height stay in memory until a checkpoint drops all of them.
      if (before) {
        replacedCount -= before.replaced.length
        before.replaced = NOTHING
      }
      roots = before?.roots ?? emptyRoots(order)
      height = before?.height ?? 0
      return true
    },
    close: treeStore.close,
  }
}

/** Returns the version of a block's nodes: its height, or 1 for the first block at any height. */
export function versionAt(before: number, height: number): number {
  return before === 0 ? 1 : height
}
