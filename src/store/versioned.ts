/** The state of a chain at every kept height, and the tables beside it, over one backend. */
import { toKey } from '../primitives/bytes.ts'
import type { Backend, BackendRead } from './backend.ts'
import { createLogWriter, LOG, piecesOf, readHeight } from './change-log.ts'
import { findCheckpoint, forgetCheckpoints, removeCheckpointsAfter } from './checkpoints.ts'
import { appHashOf, orderStores } from './grove.ts'
import { heightError, readStoreNames, readTip, storeNamesRow, type Tip, tipRow } from './heights.ts'
import { createOldTrees, type TreeSource } from './old-trees.ts'
import { putRun, takeRun } from './places.ts'
import { proveKey } from './proof.ts'
import { rewindRows } from './rollback.ts'
import { BASE, DEAD, HEAD, openSnapshot, stateKey } from './snapshot.ts'
import { type CheckpointSpacing, DEFAULT_SPACING, openTrees, type Trees, type TreesAt } from './trees.ts'
import type { Change, Prover, Reader, Snapshot, Tables, TableWrite } from './types.ts'
import { createOutput, finish, putBytes } from './varint.ts'

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
  /** How many heights stay readable; default all. */
  readonly keepHeights?: number
  /** How often the trees of the app hash are written down. */
  readonly checkpoints?: Partial<CheckpointSpacing>
}

interface BlockCommit {
  /** One more than the latest; any positive height if there is none. */
  readonly height: bigint
  /** Sorted by store and key, each key once: what `Branch.changes` gives. The first block's include genesis. */
  readonly changes: readonly Change[]
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

/** Most heights that one commit prunes, so that a shorter history does not stop the chain; and pieces of lists of pages. */
const PRUNE_PER_COMMIT = 4

/** Opens what a backend holds. Over a read-only one it serves reads, at the heights that others commit. */
export function openVersionedStore(backend: Backend, options: VersionedStoreOptions = {}): VersionedStore {
  const hashedStores = options.hashedStores ?? [...CHAIN_STORES, OWN_STORE]
  const keepHeights = options.keepHeights ?? Number.POSITIVE_INFINITY
  let tip = readTip(backend)
  let names = readStoreNames(backend)
  let numbers = new Map(names.map((name, number) => [name, number]))
  let trees: Trees | undefined
  let failure: unknown

  const order = orderStores(hashedStores)
  const oldTrees = createOldTrees(order)

  const changesOf = (tables: Tables, height: number): Change[] =>
    Array.from(readHeight(tables, height), ({ key, value }) => ({
      store: storeName(key[0]!),
      key: key.subarray(1),
      value,
    }))

  const asked = { ...DEFAULT_SPACING, ...options.checkpoints }
  // The log must reach back to a checkpoint, so a short history needs them closer together, and every one.
  const isShort = Number.isFinite(keepHeights)
  const spacing = { ...asked, blocks: Math.min(asked.blocks, keepHeights), ...(isShort && { lasting: 0 }) }
  const openLatestTrees = () =>
    openTrees(backend, order, { ...tip, first: tip.logFrom }, (height) => changesOf(backend, height), spacing)
  if (!backend.readOnly) trees = openLatestTrees()

  const currentTip = () => (backend.readOnly ? readTip(backend) : tip)

  /** Readers learn of stores as they appear. */
  function learnNames(): void {
    names = readStoreNames(backend)
    numbers = new Map(names.map((name, number) => [name, number]))
  }

  function storeNumber(store: string): number | undefined {
    if (backend.readOnly && !numbers.has(store)) learnNames()
    return numbers.get(store)
  }

  function storeName(number: number): string {
    if (backend.readOnly && number >= names.length) learnNames()
    return names[number]!
  }

  /** Nobody else writes, so until the next commit all snapshots of the writer share one view. */
  let shared: SharedView | undefined
  function openView(): BackendRead {
    if (backend.readOnly) return backend.read()
    shared ??= shareView(backend.read())
    return shared.open()
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
    return openSnapshot({
      view,
      height: wanted,
      rollbacks: seen.rollbacks,
      // A view that is not isolated sees what is committed after it was opened.
      isTip: backend.isolates ? () => wanted === seen.height : () => wanted === tip.height,
      logFrom: backend.isolates ? () => seen.logFrom : () => tip.logFrom,
      storeNumber,
      prover: (get) => proverAt(get, view, wanted, seen),
    })
  }

  function treeSource(tables: Tables, height: number, { logFrom, rollbacks }: Tip): TreeSource {
    return { tables, height, logFrom, rollbacks, changesOf: (at) => changesOf(tables, at) }
  }

  function proverAt(get: Reader['get'], view: BackendRead, height: number, opened: Tip): Prover {
    return {
      isReady: () => recentTrees(height, opened) !== undefined || oldTrees.has(checkedSource(view, height, opened)),
      prove(store, key) {
        const trees = recentTrees(height, opened) ?? oldTrees.at(checkedSource(view, height, opened))
        return proveKey(trees, get, store, key)
      },
    }
  }

  /** The writer's own trees of a height, if they are those that the snapshot saw. */
  function recentTrees(height: number, opened: Tip): TreesAt | undefined {
    return opened.rollbacks === tip.rollbacks ? trees?.at(height) : undefined
  }

  /** What a view that is not isolated shows may have been pruned since it was opened. */
  function checkedSource(view: BackendRead, height: number, opened: Tip): TreeSource {
    const seen = backend.isolates ? opened : tip
    const error = heightError(BigInt(height), seen)
    if (error) throw error
    return treeSource(view, height, seen)
  }

  /** Rows for the state of a height, and for the log that all older heights are read from. */
  function stateRows(height: number, changes: readonly Change[]): TableWrite[] {
    const rows: TableWrite[] = []
    const log = createLogWriter(height)
    const out = createOutput()
    for (const { store, key, value } of changes) {
      const at = stateKey(numberOf(store, rows), key)
      const head = backend.get(HEAD, at)
      const dead = head ? undefined : backend.get(DEAD, at)
      // A key that was made and deleted within one block has never been.
      if (!head && value === undefined) continue
      const before = head ?? dead
      const run = before && takeRun(before)
      if (head && run!.newest.height < tip.logFrom) {
        rows.push({ table: BASE, key: at, value: head.slice(run!.end) })
      }
      out.length = 0
      const indexed = putRun(out, at, log.add({ key: at, value }), run)
      if (indexed) rows.push(indexed)
      if (value === undefined) {
        rows.push({ table: HEAD, key: at, value: undefined }, { table: DEAD, key: at, value: finish(out) })
      } else {
        putBytes(out, value)
        rows.push({ table: HEAD, key: at, value: finish(out) })
        if (dead) rows.push({ table: DEAD, key: at, value: undefined })
      }
    }
    for (const row of log.rows()) rows.push(row)
    return rows
  }

  function numberOf(store: string, rows: TableWrite[]): number {
    const known = numbers.get(store)
    if (known !== undefined) return known
    if (names.length === 255) throw new Error('more than 255 stores')
    names.push(store)
    numbers.set(store, names.length - 1)
    rows.push(storeNamesRow(names))
    return names.length - 1
  }

  /**
   * Rows that forget a height: what it wrote and later heights replaced goes to `base`, as the state that the earliest
   * height still shows.
   */
  function* pruneRows(height: number, written: ReadonlyMap<string, TableWrite>): IterableIterator<TableWrite> {
    for (const { key, value } of readHeight(backend, height)) {
      const row = backend.get(HEAD, key) ?? backend.get(DEAD, key)
      const newest = row && takeRun(row).newest.height
      const isNewest = newest === height && !written.has(toKey(key))
      yield { table: BASE, key, value: isNewest ? undefined : value }
      if (isNewest && value === undefined) yield { table: DEAD, key, value: undefined }
    }
    for (const key of piecesOf(backend, height)) yield { table: LOG, key, value: undefined }
  }

  function commit({ height, changes, records }: BlockCommit): { appHash: Uint8Array } {
    if (failure) throw new Error('an earlier commit failed: the store must be opened again', { cause: failure })
    if (!trees) throw new Error('a read-only store does not commit')
    const next = Number(height)
    if (next < 1 || (tip.height > 0 && next !== tip.height + 1)) {
      throw new Error(`height ${height} does not follow ${tip.height}`)
    }
    try {
      const rows = stateRows(next, changes)
      const { appHash, rows: treeRows } = trees.commit(next, changes)
      for (const row of treeRows) rows.push(row)
      let following: Tip = { ...tip, height: next, appHash }
      if (tip.height === 0) following = { ...following, earliest: next, logFrom: next }
      following = prune(following, rows)
      rows.push(tipRow(following))
      if (records) for (const row of records(appHash)) rows.push(row)
      backend.write(rows)
      tip = following
      retireView()
      return { appHash }
    } catch (error) {
      // Trees and disk may differ now; what the disk holds is whole.
      failure = error
      throw error
    }
  }

  /**
   * Gives up the heights before those to be kept. What they wrote stays in the log back to a checkpoint, from which the
   * trees of the earliest height can be built.
   */
  function prune(before: Tip, rows: TableWrite[]): Tip {
    const following = { ...before, earliest: Math.max(before.earliest, before.height - keepHeights + 1) }
    const base = Number.isFinite(keepHeights) ? findCheckpoint(backend, following.earliest) : undefined
    if (!base) return following
    for (const row of forgetCheckpoints(backend, base.height, PRUNE_PER_COMMIT)) rows.push(row)
    if (following.logFrom > base.height) return following
    const written = new Map(rows.filter(({ table }) => table === HEAD).map((row) => [toKey(row.key), row]))
    const last = Math.min(base.height, following.logFrom + PRUNE_PER_COMMIT - 1)
    // One height after the other: a later one may replace what an earlier one left.
    const forgotten = new Map<string, TableWrite>()
    for (let height = following.logFrom; height <= last; height++) {
      for (const row of pruneRows(height, written)) forgotten.set(`${row.table}\0${toKey(row.key)}`, row)
    }
    for (const row of forgotten.values()) rows.push(row)
    return { ...following, logFrom: last + 1 }
  }

  function rollback({ height, records }: Parameters<VersionedStore['rollback']>[0]): { appHash: Uint8Array } {
    if (failure) throw new Error('an earlier commit failed: the store must be opened again', { cause: failure })
    if (!trees) throw new Error('a read-only store is not rolled back')
    const error = heightError(height, tip)
    if (error) throw error
    const target = Number(height)
    const view = openView()
    try {
      const { forest, grove } = trees.at(target) ?? oldTrees.at(treeSource(view, target, tip))
      const appHash = appHashOf(order, forest, grove)
      const rows = rewindRows(view, tip, target)
      const nextPage = findCheckpoint(view, target)?.nextPage ?? 1
      for (const row of removeCheckpointsAfter(view, target, nextPage)) rows.push(row)
      const back: Tip = { ...tip, height: target, appHash, rollbacks: tip.rollbacks + 1 }
      rows.push(tipRow(back))
      if (records) for (const row of records(appHash)) rows.push(row)
      backend.write(rows)
      tip = back
      trees = openLatestTrees()
      return { appHash }
    } catch (cause) {
      failure = cause
      throw cause
    } finally {
      view.close()
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
      await backend.close()
    },
  }
}

interface SharedView {
  open(): BackendRead
  /** Closes the view as soon as nobody uses it. */
  retire(): void
}

/** One view for many users, each of whom closes it. */
function shareView(view: BackendRead): SharedView {
  let users = 0
  let isRetired = false
  const closeUnused = () => {
    if (isRetired && users === 0) view.close()
  }
  return {
    open() {
      users++
      let isOpen = true
      return {
        get: view.get,
        iterate: view.iterate,
        peek: view.peek,
        close() {
          if (!isOpen) return
          isOpen = false
          users--
          closeUnused()
        },
      }
    },
    retire() {
      if (isRetired) return
      isRetired = true
      closeUnused()
    },
  }
}
