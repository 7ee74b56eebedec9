/** The state of a chain at every kept height, and the tables beside it, over one backend. */
import type { Backend, BackendRead } from './backend/backend.ts'
import { readHeight } from './history/change-log.ts'
import { heightError, readTip, type Tip, tipRow } from './history/heights.ts'
import { prune } from './history/pruning.ts'
import { type Registry, readRegistry } from './history/registry.ts'
import { rewindRows } from './history/rollback.ts'
import { type SharedView, shareView } from './history/shared-view.ts'
import { HEAD, openSnapshot } from './history/snapshot.ts'
import { clearStaged, createStaging } from './history/staging.ts'
import { createStateRows } from './history/state-rows.ts'
import { changesStores, type StoreChanges } from './history/store-changes.ts'
import { takeRun } from './history/version-refs.ts'
import { createBlocks } from './journal/byte-arena.ts'
import { findCheckpoint, removeCheckpointsAfter } from './tree/checkpoints.ts'
import { createOldTrees, type TreeSource } from './tree/old-trees.ts'
import { proveKey } from './tree/proof.ts'
import { appHashOf } from './tree/tree-roots.ts'
import type { CreateTreeHelper } from './tree/tree-writes.ts'
import { type CheckpointSpacing, DEFAULT_SPACING, openTrees, type Trees, type TreesAt } from './tree/trees.ts'
import type { Change, Entry, Prover, Reader, Snapshot, Staged, Tables, TableWrite } from './types.ts'

/** The stores of the chain whose layout this is, as they take part in its app hash, in use or not (state-layout.md §1.1). */
export const CHAIN_STORES: readonly string[] = [
  ...['08-wasm', 'acc', 'authz', 'bank', 'capability', 'consensus', 'crisis', 'devgas', 'distribution', 'epochs'],
  ...['evidence', 'evm', 'feegrant', 'feeibc', 'gov', 'ibc', 'icacontroller', 'icahost', 'inflation', 'oracle'],
  ...['params', 'slashing', 'staking', 'sudo', 'tokenfactory', 'transfer', 'upgrade', 'wasm'],
]

/** The store of what only this node's chain has (D29). */
const OWN_STORE = 'x'

export interface VersionedStoreOptions {
  /** Stores that take part in the app hash; default all of the chain's and our own. */
  readonly hashedStores?: readonly string[]
  /** How many heights stay readable, two at least: the header of the later proves the earlier. Default all. */
  readonly keepHeights?: number
  /** How often the trees of the app hash are written down. */
  readonly checkpoints?: Partial<CheckpointSpacing>
  /** Who writes the trees of large blocks while their rows are made; default nobody else. */
  readonly createTreeHelper?: CreateTreeHelper
}

interface BlockCommit {
  /** One more than the latest; any positive height if there is none. */
  readonly height: bigint
  /** Sorted by store and key, each key once: what `Branch.changes` gives. The first block's include genesis. */
  readonly changes: readonly Change[]
  /** Runs that lie under the changes: what `Branch.staged` gives. */
  readonly staged?: Staged | undefined
  /** What an upgrade does to the stores in this block; the changes name the stores as they are then. */
  readonly stores?: StoreChanges | undefined
  /** Rows for the tables, made when the app hash is known, written with the state or not at all. */
  readonly records?: (appHash: Uint8Array) => Iterable<TableWrite>
}

export interface VersionedStore {
  /** 0 before the first commit. */
  latestHeight(): bigint
  earliestHeight(): bigint
  /** App hash of the latest height; empty before the first commit. */
  appHash(): Uint8Array
  /**
   * State at a height, the latest by default. Close it when done: until then the disk keeps what it reads. Throws 14
   * before the first commit, 11 for a height to come, 5 for a pruned one, each with `HeightBounds`.
   */
  at(height?: bigint): Snapshot
  /** Writes a block's state and records: all, durably, or nothing. */
  commit(block: BlockCommit): { readonly appHash: Uint8Array }
  /**
   * Goes back to a kept height, as if nothing later had been committed, and writes records with it. What stays open of
   * later heights may no longer be read. Throws as `at` does.
   */
  rollback(to: Pick<BlockCommit, 'records'> & { readonly height: bigint }): { readonly appHash: Uint8Array }
  /** What `records` wrote, as of the latest commit. */
  readonly tables: Tables
  /** Writes rows outside a block: for indexes that are built anew. */
  writeRecords(rows: Iterable<TableWrite>): void
  /** Bytes in use by the backend. */
  sizeBytes(): number
  close(): Promise<void>
}

const LEAST_KEPT = 2

/** Opens what a backend holds. Over a read-only one it serves reads, at the heights that others commit. */
export function openVersionedStore(backend: Backend, options: VersionedStoreOptions = {}): VersionedStore {
  const hashedStores = options.hashedStores ?? [...CHAIN_STORES, OWN_STORE]
  const keepHeights = Math.max(options.keepHeights ?? Number.POSITIVE_INFINITY, LEAST_KEPT)
  let tip = readTip(backend)
  let registry = readRegistry(backend, hashedStores, [OWN_STORE])
  let trees: Trees | undefined
  let failure: unknown

  const oldTrees = createOldTrees()
  const blocks = createBlocks()
  const logBlocks = createBlocks()

  const changesOf = (tables: Tables, stores: Registry, height: number): Change[] =>
    Array.from(readHeight(tables, height), ({ key, value }) => ({
      store: stores.nameAt(key[0]!, height),
      key: key.subarray(1),
      value,
    }))

  const asked = { ...DEFAULT_SPACING, ...options.checkpoints }
  // The log must reach back to a checkpoint, so a short history needs them closer together, and every one.
  const isShort = Number.isFinite(keepHeights)
  const spacing = { ...asked, blocks: Math.min(asked.blocks, keepHeights), ...(isShort && { lasting: 0 }) }
  const openTreesAt = (height: number, appHash: Uint8Array | undefined) => {
    const latest = { height, appHash, first: tip.logFrom }
    return openTrees(
      backend,
      registry.eraAt,
      latest,
      (at) => changesOf(backend, registry, at),
      spacing,
      options.createTreeHelper,
    )
  }
  if (!backend.readOnly) {
    clearStaged(backend)
    trees = openTreesAt(tip.height, tip.appHash)
  }

  const currentTip = () => (backend.readOnly ? readTip(backend) : tip)

  /** The stores as a view knows them: those of a reader change with what others commit. */
  function registryOf(view: Tables, seen: Tip): Registry {
    if (seen.height === tip.height && seen.rollbacks === tip.rollbacks) return registry
    if (!backend.readOnly) return registry
    registry = readRegistry(view, hashedStores, [OWN_STORE])
    tip = seen
    return registry
  }

  /** Nobody else writes, so until the next commit all snapshots of the writer share one view. */
  let shared: SharedView | undefined
  function openView(): BackendRead {
    if (backend.readOnly) return backend.read()
    shared ??= shareView(backend.read())
    return shared.open()
  }

  /** The state that was asked for last. */
  let revision = { height: -1, rollbacks: -1 }
  function revisionOf(height: number, rollbacks: number): object {
    if (revision.height !== height || revision.rollbacks !== rollbacks) revision = { height, rollbacks }
    return revision
  }

  function at(height?: bigint): Snapshot {
    const view = openView()
    const seen = backend.readOnly ? readTip(view) : tip
    const error = heightError(height ?? BigInt(seen.height), seen)
    if (error) {
      view.close()
      throw error
    }
    const wanted = height === undefined ? seen.height : Number(height)
    const stores = registryOf(view, seen)
    return openSnapshot({
      view,
      height: wanted,
      era: stores.eraAt(wanted),
      openStaging: backend.readOnly ? undefined : () => createStaging(backend),
      rollbacks: seen.rollbacks,
      revision: revisionOf(wanted, seen.rollbacks),
      // A view that is not isolated sees what is committed after it was opened.
      isTip: backend.isolates ? () => wanted === seen.height : () => wanted === tip.height,
      logFrom: backend.isolates ? () => seen.logFrom : () => tip.logFrom,
      prover: (get) => proverAt(get, view, wanted, seen, stores),
    })
  }

  function treeSource(tables: Tables, stores: Registry, height: number, { logFrom, rollbacks }: Tip): TreeSource {
    return {
      tables,
      height,
      logFrom,
      rollbacks,
      changesOf: (at) => changesOf(tables, stores, at),
      orderAt: (at) => stores.eraAt(at).order,
    }
  }

  function proverAt(get: Reader['get'], view: BackendRead, height: number, opened: Tip, stores: Registry): Prover {
    const source = () => checkedSource(view, stores, height, opened)
    return {
      isReady: () => recentTrees(height, opened) !== undefined || oldTrees.has(source()),
      prove: (store, key) => proveKey(recentTrees(height, opened) ?? oldTrees.at(source()), get, store, key),
    }
  }

  /** The writer's own trees of a height, if they are those that the snapshot saw. */
  function recentTrees(height: number, opened: Tip): TreesAt | undefined {
    return opened.rollbacks === tip.rollbacks ? trees?.at(height) : undefined
  }

  /** What a view that is not isolated shows may have been pruned since it was opened. */
  function checkedSource(view: BackendRead, stores: Registry, height: number, opened: Tip): TreeSource {
    const seen = backend.isolates ? opened : tip
    const error = heightError(BigInt(height), seen)
    if (error) throw error
    return treeSource(view, stores, height, seen)
  }

  function commit(block: BlockCommit): { appHash: Uint8Array } {
    if (failure) throw new Error('an earlier commit failed: the store must be opened again', { cause: failure })
    if (!trees) throw new Error('a read-only store does not commit')
    const next = Number(block.height)
    if (next < 1 || (tip.height > 0 && next !== tip.height + 1)) {
      throw new Error(`height ${block.height} does not follow ${tip.height}`)
    }
    const isLarge = block.staged !== undefined || (block.stores !== undefined && changesStores(block.stores))
    try {
      const following = isLarge ? writeLarge(trees, block) : writeBlock(trees, block)
      tip = following
      retireView()
      return { appHash: tip.appHash }
    } catch (error) {
      // Trees and disk may differ now; what the disk holds is whole.
      failure = error
      throw error
    }
  }

  const stateRowsOf = (height: number) =>
    createStateRows({ backend, height, logFrom: tip.logFrom, numberFor: registry.numberFor, blocks, logBlocks })

  const tipAfter = (height: number, appHash: Uint8Array): Tip =>
    tip.height === 0 ? { ...tip, height, appHash, earliest: height, logFrom: height } : { ...tip, height, appHash }

  function writeBlock(of: Trees, { height, changes, records }: BlockCommit): Tip {
    const next = Number(height)
    const growth = of.begin(next, changes)
    let following = tip
    function* rows(): IterableIterator<TableWrite> {
      yield* stateRows(next, changes)
      const { appHash, rows: treeRows } = growth.finish()
      const pruned = prune(backend, tipAfter(next, appHash), keepHeights)
      yield* treeRows
      yield* pruned.rows
      following = pruned.tip
      yield tipRow(following)
      if (records) yield* records(appHash)
    }
    try {
      backend.write(rows())
    } finally {
      growth.giveUp()
    }
    return following
  }

  function* stateRows(height: number, changes: Iterable<Change>): IterableIterator<TableWrite> {
    const state = stateRowsOf(height)
    for (const change of changes) yield* state.of(change)
    yield* state.end()
  }

  /** Writes a block as it is read from its runs, so that it is never in memory as a whole. */
  function writeLarge(of: Trees, { height, changes, staged, stores = {}, records }: BlockCommit): Tip {
    const next = Number(height)
    let following = tip
    function* rows(): IterableIterator<TableWrite> {
      const before = registry.eraAt(tip.height)
      if (changesStores(stores)) yield registry.begin(next, stores)
      const growth = of.commitLarge({
        height: next,
        order: registry.eraAt(next).order,
        renamed: new Map(stores.renamed?.map(({ from, to }) => [to, from])),
        entriesOf: (store) => headOf(before.numbers.get(store)),
      })
      yield* growth.begin()
      const state = stateRowsOf(next)
      for (const change of staged?.changes(changes) ?? changes) {
        yield* state.of(change)
        yield* growth.apply(change)
      }
      yield* state.end()
      const { appHash, rows: treeRows } = growth.finish()
      yield* treeRows
      if (staged) yield* staged.clearing()
      following = tipAfter(next, appHash)
      yield tipRow(following)
      if (records) yield* records(appHash)
    }
    backend.write(rows())
    return following
  }

  /** What a store holds at the latest height, whose number is given. */
  function* headOf(number: number | undefined): IterableIterator<Entry> {
    if (number === undefined) return
    const range = { start: Uint8Array.of(number), end: Uint8Array.of(number + 1) }
    for (const [key, bytes] of backend.iterate(HEAD, range)) yield [key.subarray(1), bytes.subarray(takeRun(bytes).end)]
  }

  function rollback({ height, records }: Parameters<VersionedStore['rollback']>[0]): { appHash: Uint8Array } {
    if (failure) throw new Error('an earlier commit failed: the store must be opened again', { cause: failure })
    if (!trees) throw new Error('a read-only store is not rolled back')
    const error = heightError(height, tip)
    if (error) throw error
    const target = Number(height)
    try {
      // They need nothing of what goes, so they are the trees of the chain that is left.
      const opened = openTreesAt(target, undefined)
      const { order, forest, grove } = opened.at(target)!
      const appHash = appHashOf(order, forest, grove)
      const back: Tip = { ...tip, height: target, appHash, rollbacks: tip.rollbacks + 1 }
      const nextPage = findCheckpoint(backend, target)?.nextPage ?? 1
      const recorded = records?.(appHash) ?? []
      const pages = removeCheckpointsAfter(backend, target, nextPage)
      const names = registry.rewind(target)
      backend.write(inOrder(rewindRows(backend, tip, target), pages, names, [tipRow(back)], recorded))
      tip = back
      void trees.close()
      trees = opened
      return { appHash }
    } catch (cause) {
      failure = cause
      throw cause
    } finally {
      retireView()
    }
  }

  function retireView(): void {
    shared?.retire()
    shared = undefined
  }

  return {
    latestHeight: () => BigInt(currentTip().height),
    earliestHeight: () => BigInt(currentTip().earliest),
    appHash: () => currentTip().appHash,
    at,
    commit,
    rollback,
    tables: { get: backend.get, iterate: backend.iterate },
    writeRecords(rows) {
      backend.write(rows)
      retireView()
    },
    sizeBytes: backend.sizeBytes,
    async close() {
      retireView()
      if (trees && !failure && tip.height > trees.checkpointHeight()) backend.write(trees.checkpoint())
      await trees?.close()
      await backend.close()
    },
  }
}

function* inOrder(...lists: readonly Iterable<TableWrite>[]): IterableIterator<TableWrite> {
  for (const list of lists) yield* list
}
