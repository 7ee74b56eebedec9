/** The writing half of a store: blocks in two phases, and rollback. A store has one writer. */
import { queryError } from '../primitives/errors.ts'
import type { Backend } from './backend/backend.ts'
import { type BlockChanges, type BlockWork, createBlockWorks } from './block-work.ts'
import { heightError, type Tip, tipRow } from './history/heights.ts'
import { prune } from './history/pruning.ts'
import { rewindRows } from './history/rollback.ts'
import { clearStaged } from './history/staging.ts'
import type { Latest } from './latest.ts'
import { mergeChanges } from './merge.ts'
import { loggedChanges } from './reader.ts'
import { checkpointsAfter, findCheckpoint, removeCheckpointsAfter } from './tree/checkpoints.ts'
import { appHashOf, rootHashesOf } from './tree/tree-roots.ts'
import type { CreateTreeHelper } from './tree/tree-writes.ts'
import { type CheckpointSpacing, openTrees, type Trees } from './tree/trees.ts'
import type { Change, TableWrite } from './types.ts'

/** Makes the rows of the local tables that are written with a block, once its app hash is known. */
export type Records = (appHash: Uint8Array) => Iterable<TableWrite>

/** A block between the two phases: hashed, and not yet durable. Readers still see the height before. */
interface PreparedBlock {
  /** App hash after the block. Reading it waits for the trees, which `commit` does anyway. */
  readonly appHash: Uint8Array
  /** Returns the root hash of each store after the block, in the order of the app hash. */
  storeRoots(): ReadonlyMap<string, Uint8Array>
  /**
   * Writes state and records in one transaction: durably, with those that were held before, or held until the next durable write.
   * On failure the store must be reopened.
   */
  commit(records?: Records, isHeld?: boolean): void
  /** Discards the block; the store is at the height before. Does nothing after `commit`. */
  abort(): void
}

export interface WriterOptions {
  readonly keepHeights: number
  readonly spacing: CheckpointSpacing
  readonly createTreeHelper: CreateTreeHelper | undefined
  /** Called after each write, so that new snapshots see it. */
  readonly onWrite: () => void
}

export interface StoreWriter {
  /**
   * Applies a block's changes to the trees. Nothing of it is durable before `commit`: after a crash the store opens at the
   * height before. Throws an `Error` if the height does not follow the latest, or while another block is prepared.
   */
  prepare(block: BlockChanges): PreparedBlock
  /**
   * Goes back to a kept height, as if nothing later had been committed, and writes records with it. Snapshots of later
   * heights must not be read any more. Throws the errors of `heightError`.
   */
  rollback(to: { readonly height: bigint; readonly records?: Records }): { readonly appHash: Uint8Array }
  /**
   * Adds changes to those of the latest height, in one durable transaction with the records. Snapshots of that height must not
   * be read any more. The app hash is as if the block itself had made the changes. Throws `failedPrecondition` for a height that
   * changed the set of stores.
   */
  amend(changes: readonly Change[], records: Records): { readonly appHash: Uint8Array }
  /**
   * Lets the next commits prune the oldest heights, up to the next checkpoint of the trees. Returns the height that is then the
   * earliest; undefined while the last ones are still being pruned, or if fewer than `keep` heights would be left.
   */
  pruneOldest(keep: number): bigint | undefined
  /** Keeps a height from being pruned until the returned function is called. */
  pin(height: bigint): () => void
  /** Writes a checkpoint of the trees if blocks came after the last one, and stops the tree helper. */
  close(): Promise<void>
}

/** Checkpoints from the earliest height on that stay: the last ones can still be superseded. */
const LATER_CHECKPOINTS = 3

export function createWriter(backend: Backend, latest: Latest, options: WriterOptions): StoreWriter {
  const { keepHeights, spacing, onWrite } = options
  const blocks = createBlockWorks(backend, latest)
  let pending: BlockWork | undefined
  /** Heights before it are pruned; 0 for none. A store that was closed while it pruned goes on. */
  let floor = latest.tip.earliest > latest.tip.logFrom ? latest.tip.earliest : 0
  /** Heights that must not be pruned, each with the number of its pins. */
  const pins = new Map<number, number>()
  /** The failure after which trees and disk may differ. The disk is consistent. */
  let failure: { readonly cause: unknown } | undefined

  clearStaged(backend)
  removeOrphans()
  let trees = openTreesAt(latest.tip.height, latest.tip.appHash)
  latest.treesAt = (height) => {
    // The trees must not be read while a block is applied to them.
    if (pending) orFail(pending.appHash)
    return trees.at(height)
  }

  function openTreesAt(height: number, appHash: Uint8Array | undefined): Trees {
    return openTrees(
      backend,
      latest.registry.eraAt,
      { height, appHash, first: latest.tip.logFrom },
      (at) => loggedChanges(backend, latest.registry, at),
      spacing,
      options.createTreeHelper,
    )
  }

  /** Removes tree pages that a large block wrote before it was aborted or its process ended. */
  function removeOrphans(): void {
    const { height } = latest.tip
    const nextPage = findCheckpoint(backend, height)?.nextPage ?? 1
    const orphans = [...removeCheckpointsAfter(backend, height, nextPage)]
    if (orphans.length > 0) backend.write(orphans)
  }

  function requireUsable(): void {
    if (failure) throw new Error('an earlier commit failed: reopen the store', { cause: failure.cause })
    if (pending) throw new Error('a block is prepared: commit or abort it first')
  }

  /** Runs a step after whose failure the store must be reopened. */
  function orFail<T>(run: () => T): T {
    try {
      return run()
    } catch (cause) {
      failure = { cause }
      throw cause
    }
  }

  function prepare(block: BlockChanges): PreparedBlock {
    requireUsable()
    const { tip } = latest
    const height = Number(block.height)
    if (height < 1 || (tip.height > 0 && height !== tip.height + 1)) {
      throw new Error(`height ${block.height} does not follow ${tip.height}`)
    }
    const work = orFail(() => blocks.begin(trees, block))
    pending = work
    return {
      get appHash() {
        return orFail(work.appHash)
      },
      storeRoots() {
        orFail(work.appHash)
        const { order, treeStore, roots } = trees.at(height)!
        return rootHashesOf(order, treeStore, roots)
      },
      commit(records, isHeld) {
        if (pending !== work) throw new Error('the block is not prepared any more')
        commit(height, work, records, isHeld)
      },
      abort() {
        if (pending === work) abort(work)
      },
    }
  }

  function commit(height: number, work: BlockWork, records: Records | undefined, isHeld?: boolean): void {
    let following = latest.tip
    function* rows(): IterableIterator<TableWrite> {
      yield* work.stateRows()
      const appHash = work.appHash()
      const tip = tipAfter(height, appHash)
      const pruned = work.prunes ? prune(backend, tip, kept(tip), pins.keys()) : { tip, rows: [] }
      yield* work.treeRows()
      yield* pruned.rows
      following = pruned.tip
      yield tipRow(following)
      if (records) yield* records(appHash)
    }
    try {
      orFail(() => backend.write(rows(), isHeld))
    } finally {
      pending = undefined
      work.abort()
    }
    latest.tip = following
    onWrite()
  }

  const kept = (tip: Tip): number => (floor === 0 ? keepHeights : Math.min(keepHeights, tip.height - floor + 1))

  function pruneOldest(keep: number): bigint | undefined {
    const { tip } = latest
    const base = findCheckpoint(backend, tip.earliest)
    if (floor > tip.earliest || (base && tip.logFrom <= base.height)) return undefined
    const later = checkpointsAfter(backend, tip.earliest, LATER_CHECKPOINTS)
    if (later.length < LATER_CHECKPOINTS || tip.height - later[0]! + 1 < keep) return undefined
    floor = later[0]!
    return BigInt(floor)
  }

  /** Restores the trees of the tip from the last checkpoint and the change log. */
  function abort(work: BlockWork): void {
    pending = undefined
    orFail(() => {
      work.abort()
      void trees.close()
      latest.registry.rewind(latest.tip.height)
      clearStaged(backend)
      removeOrphans()
      trees = openTreesAt(latest.tip.height, latest.tip.appHash)
    })
  }

  function tipAfter(height: number, appHash: Uint8Array): Tip {
    const { tip } = latest
    return tip.height === 0
      ? { ...tip, height, appHash, earliest: height, logFrom: height }
      : { ...tip, height, appHash }
  }

  function rollback({ height, records }: Parameters<StoreWriter['rollback']>[0]): { appHash: Uint8Array } {
    requireUsable()
    const { tip, registry } = latest
    const error = heightError(height, tip)
    if (error) throw error
    const target = Number(height)
    try {
      return orFail(() => {
        // Opening needs nothing that the rollback removes, so it can come first.
        const opened = openTreesAt(target, undefined)
        const { order, treeStore, roots } = opened.at(target)!
        const appHash = appHashOf(order, treeStore, roots)
        const back: Tip = { ...tip, height: target, appHash, rollbacks: tip.rollbacks + 1 }
        const nextPage = findCheckpoint(backend, target)?.nextPage ?? 1
        const recorded = records?.(appHash) ?? []
        const pages = removeCheckpointsAfter(backend, target, nextPage)
        const names = registry.rewind(target)
        backend.write(concat(rewindRows(backend, tip, target), pages, names, [tipRow(back)], recorded))
        latest.tip = back
        void trees.close()
        trees = opened
        return { appHash }
      })
    } finally {
      onWrite()
    }
  }

  function amend(further: readonly Change[], records: Records): { appHash: Uint8Array } {
    requireUsable()
    const { tip, registry } = latest
    const { height } = tip
    if (height < tip.logFrom) {
      throw queryError('failedPrecondition', `the state of height ${height} was restored: make another block first`)
    }
    if (height > tip.logFrom && registry.eraAt(height).from === height) {
      throw queryError(
        'failedPrecondition',
        `block ${height} changed the stores of the chain: make another block first`,
      )
    }
    const changes = mergeChanges(loggedChanges(backend, registry, height), further)
    try {
      return orFail(() => {
        const isInMemory = trees.dropLatest()
        const opened = isInMemory ? trees : openTreesAt(height - 1, undefined)
        const nextPage = findCheckpoint(backend, height - 1)?.nextPage ?? 1
        const pages = isInMemory ? [] : removeCheckpointsAfter(backend, height - 1, nextPage)
        let amended = tip
        function* rows(): IterableIterator<TableWrite> {
          yield* rewindRows(backend, tip, height - 1)
          yield* pages
          const work = blocks.begin(opened, { height: BigInt(height), changes })
          yield* work.stateRows()
          amended = { ...tip, appHash: work.appHash(), rollbacks: tip.rollbacks + 1 }
          yield* work.treeRows()
          yield tipRow(amended)
          yield* records(amended.appHash)
        }
        backend.write(rows())
        if (opened !== trees) void trees.close()
        trees = opened
        latest.tip = amended
        return { appHash: amended.appHash }
      })
    } finally {
      onWrite()
    }
  }

  function pin(height: bigint): () => void {
    const at = Number(height)
    pins.set(at, (pins.get(at) ?? 0) + 1)
    let isPinned = true
    return () => {
      if (!isPinned) return
      isPinned = false
      const left = pins.get(at)! - 1
      if (left === 0) pins.delete(at)
      else pins.set(at, left)
    }
  }

  return {
    prepare,
    rollback,
    amend,
    pin,
    pruneOldest,
    async close() {
      const isWhole = !failure && !pending
      pending?.abort()
      if (isWhole && latest.tip.height > trees.checkpointHeight()) backend.write(trees.checkpoint())
      await trees.close()
    },
  }
}

function* concat(...lists: readonly Iterable<TableWrite>[]): IterableIterator<TableWrite> {
  for (const list of lists) yield* list
}
