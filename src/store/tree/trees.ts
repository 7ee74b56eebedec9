/** The trees of the latest heights in memory, kept from checkpoint to checkpoint with the change log as their log. */
import { equal } from '../../primitives/bytes.ts'
import type { Era } from '../history/registry.ts'
import type { Change, Tables, TableWrite } from '../types.ts'
import { type Checkpoint, checkpointRows, findCheckpoint, readPage, supersedingRows } from './checkpoints.ts'
import { growLarge, type LargeBlock, type LargeGrowth } from './streaming-apply.ts'
import { NONE } from './tree-program.ts'
import { appHashOf, emptyGrove, type Grove, groveOf, growing, mismatch, type StoreOrder } from './tree-roots.ts'
import { createForest, type Forest } from './tree-store.ts'
import type { CreateTreeHelper } from './tree-writes.ts'

/** How much may happen between two checkpoints, and so has to be done again by a restart after a kill or a proof of long ago. */
export interface CheckpointSpacing {
  readonly changedKeys: number
  readonly blocks: number
  /** Every so many a checkpoint stays for proofs of long ago; those between are forgotten when the next is made. 0: all stay. */
  readonly lasting: number
  /** With more, a checkpoint forgets all nodes; those in use come back from disk. */
  readonly nodesInMemory: number
  /** Of a large block, so many writes go to disk together. */
  readonly writesInMemory: number
}

/** What a restart does again in a fraction of a second, and a proof of long ago in a second; some 150 MB at most. */
export const DEFAULT_SPACING: CheckpointSpacing = {
  changedKeys: 20_000,
  blocks: 1_000,
  lasting: 2,
  nodesInMemory: 1_500_000,
  writesInMemory: 40_000,
}

/** Heights before the latest whose trees stay in memory, as long as they hold no more than so many nodes of their own. */
const RECENT = { heights: 32, nodes: 200_000 }

/** What the trees should come to. */
export interface TreesState {
  /** 0 before the first block. */
  readonly height: number
  /** The chain's first height. */
  readonly first: number
  /** Undefined if it is to be found out. */
  readonly appHash: Uint8Array | undefined
}

/** The trees of one height. */
export interface TreesAt {
  readonly order: StoreOrder
  readonly forest: Forest
  readonly grove: Grove
}

interface LargeCommit extends Pick<LargeGrowth, 'begin' | 'apply'> {
  finish(): { readonly appHash: Uint8Array; readonly rows: TableWrite[] }
}

/** A block whose changes are being applied: until the end nothing else may be asked of the trees. */
interface Commit {
  /** Gives the app hash after the block, and the rows of a checkpoint if one is due. */
  finish(): { readonly appHash: Uint8Array; readonly rows: TableWrite[] }
  /** Ends if it has not been finished; then the trees are of no height. */
  giveUp(): void
}

export interface Trees {
  /** Begins to apply a block's changes, which may take place while the caller does something else. */
  begin(height: number, changes: readonly Change[]): Commit
  /**
   * Begins a block that changes the stores or is too large for memory: its trees go to disk on the way, and it ends with a
   * checkpoint that stays. What is in memory of the heights before is given up.
   */
  commitLarge(block: LargeBlock): LargeCommit
  /** Rows of a checkpoint at the latest height, for a clean end. */
  checkpoint(): TableWrite[]
  /** Changes of heights up to this are no longer needed for the latest trees. */
  checkpointHeight(): number
  /** The trees of a height, if they are in memory. */
  at(height: number): TreesAt | undefined
  /** What is in memory can still be read. */
  close(): Promise<void>
}

const NOTHING = new Int32Array(0)

/** A height whose trees are in memory, and the nodes that the next height replaced. */
interface Recent {
  readonly height: number
  readonly order: StoreOrder
  readonly grove: Grove
  replaced: Int32Array
}

/**
 * Opens the trees at the latest height: from the last checkpoint and the changes after it. Throws an `Error` if the
 * result is not the recorded app hash, or if the checkpoint is of other stores.
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
  let grove = emptyGrove(order)
  let recent: Recent[] = []
  let replacedCount = 0
  /** Nodes that are freed with the next block. */
  let unused: Int32Array = NOTHING
  const forest = createForest(
    (page) => readPage(tables, page),
    () => nextPage++,
    { createHelper },
  )

  function apply(at: number, changes: readonly Change[]): { finish(): Uint8Array; giveUp(): void } {
    forest.keep(height)
    const { finish, giveUp } = growing(order, forest, grove, changes, versionAt(height, at), unused)
    unused = NOTHING
    return {
      finish() {
        grove = finish()
        height = at
        changesSince += changes.length
        remember()
        return appHashOf(order, forest, grove)
      },
      giveUp,
    }
  }

  function remember(): void {
    const replaced = forest.takeReplaced()
    const before = recent.at(-1)
    if (before) before.replaced = replaced
    else giveBack(replaced)
    replacedCount += replaced.length
    recent.push({ height, order, grove, replaced: NOTHING })
    while (recent.length > 2 && (recent.length > RECENT.heights || replacedCount > RECENT.nodes)) {
      const { replaced: given } = recent.shift()!
      replacedCount -= given.length
      giveBack(given)
    }
  }

  function giveBack(nodes: Int32Array): void {
    forest.free(unused)
    unused = nodes
  }

  function checkpoint(): TableWrite[] {
    forest.keep(height)
    const taken: Checkpoint['trees'] = order.names.map((name, place) => {
      const root = grove.roots[place]!
      return { name, reference: root === NONE ? undefined : forest.save(root) }
    })
    const found: Checkpoint = { height, nextPage, changes: changesBefore + changesSince, trees: taken }
    const pages = forest.takePages()
    const between = supersededBy(found)
    const rows = between
      ? supersedingRows(tables, found, pages, between.older, between.superseded)
      : checkpointRows(found, pages)
    checkpointed = height
    changesBefore = found.changes
    changesSince = 0
    if (forest.nodeCount > spacing.nodesInMemory) {
      forest.clear()
      begin(found)
    }
    return rows
  }

  /** The latest checkpoint, if the one before it is near enough to a new one, and the changes from there on are kept. */
  function supersededBy(
    found: Checkpoint,
  ): { readonly older: Checkpoint; readonly superseded: Checkpoint } | undefined {
    const isFixed = checkpointed === 0 || eraAt(checkpointed).from === checkpointed
    const superseded = isFixed ? undefined : findCheckpoint(tables, checkpointed)
    const older = superseded && findCheckpoint(tables, superseded.height - 1)
    if (!older || older.height < latest.first - 1) return undefined
    const isNear =
      found.height - older.height <= spacing.blocks * spacing.lasting &&
      found.changes - older.changes <= spacing.changedKeys * (spacing.lasting + 0.5)
    return isNear ? { older, superseded } : undefined
  }

  function begin(from: Checkpoint): void {
    order = eraAt(from.height).order
    grove = groveOf(order, forest, from)
    recent = [{ height: from.height, order, grove, replaced: NOTHING }]
    replacedCount = 0
    unused = NOTHING
  }

  function commitLarge(block: LargeBlock): LargeCommit {
    recent = []
    unused = NOTHING
    const { writesInMemory } = spacing
    const version = versionAt(height, block.height)
    const growth = growLarge({ forest, order, grove, height, version, writesInMemory }, block)
    return {
      begin: growth.begin,
      apply: growth.apply,
      finish() {
        const { rows, trees, dropped, count } = growth.finish()
        height = block.height
        checkpointed = height
        changesBefore += changesSince + count
        changesSince = 0
        const found: Checkpoint = { height, nextPage, changes: changesBefore, trees }
        begin(found)
        return {
          appHash: appHashOf(order, forest, grove),
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
    let appHash = appHashOf(order, forest, grove)
    for (let at = height > 0 ? height + 1 : latest.first; at <= latest.height; at++)
      appHash = apply(at, changesOf(at)).finish()
    if (latest.appHash && !equal(appHash, latest.appHash)) {
      throw new Error(`the changes since height ${checkpointed} give ${mismatch(appHash, latest.appHash)}`)
    }
  }

  return {
    begin(at, changes) {
      const { finish, giveUp } = apply(at, changes)
      return {
        finish() {
          const appHash = finish()
          const isDue = changesSince >= spacing.changedKeys || height - checkpointed >= spacing.blocks
          return { appHash, rows: isDue ? checkpoint() : [] }
        },
        giveUp,
      }
    },
    commitLarge,
    checkpoint,
    checkpointHeight: () => checkpointed,
    at(wanted) {
      const found = recent.find((one) => one.height === wanted)
      return found && { order: found.order, forest, grove: found.grove }
    },
    close: forest.close,
  }
}

/** A tree that is saved for the first time counts its nodes from 1, whatever the height of its first block. */
export function versionAt(before: number, height: number): number {
  return before === 0 ? 1 : height
}
