/** The committed state of a chain at every kept height, with local tables beside it, over one backend. */
import type { Backend } from './backend/backend.ts'
import type { BlockChanges } from './block-work.ts'
import { readTip } from './history/heights.ts'
import { readRegistry } from './history/registry.ts'
import type { Latest } from './latest.ts'
import { createReader } from './reader.ts'
import type { StateExport } from './sync/export.ts'
import type { CreateTreeHelper } from './tree/tree-writes.ts'
import { type CheckpointSpacing, DEFAULT_SPACING } from './tree/trees.ts'
import type { Snapshot, Tables, TableWrite } from './types.ts'
import { createWriter, type Records, type StoreWriter } from './writer.ts'

export interface VersionedStoreOptions {
  /** Stores in the app hash at the beginning of the chain. Upgrades can change them. */
  readonly hashedStores: readonly string[]
  /** Stores outside the app hash. */
  readonly otherStores: readonly string[]
  /** Number of heights that stay readable, at least two: the header of the later proves the earlier. Default all. */
  readonly keepHeights?: number
  /** How often the trees of the app hash are written to disk. */
  readonly checkpoints?: Partial<CheckpointSpacing>
  /** Starts a helper that writes the trees of large blocks in parallel. Default none. */
  readonly createTreeHelper?: CreateTreeHelper
}

/** The versioned store. A store over a read-only backend serves reads at the heights that another process commits. */
export interface VersionedStore {
  /** 0 before the first commit. */
  latestHeight(): bigint
  earliestHeight(): bigint
  /** App hash of the latest height; empty before the first commit. */
  appHash(): Uint8Array
  /**
   * Opens the state at a height, the latest by default. Close the snapshot when done: until then the disk keeps its pages.
   * Throws `unavailable` before the first commit, `outOfRange` for a future height, `notFound` for a pruned one, each with
   * `HeightBounds`. Makes held commits durable, since other threads may read on at that height.
   */
  at(height?: bigint): Snapshot
  /** Opens the state of the latest commit, for the next block to build on; it may be held. Throws as `at`. */
  atTip(): Snapshot
  /** Opens the items of a height for a snapshot of the state, the latest by default. Throws as `at`. */
  exportAt(height?: bigint): StateExport
  /** Begins a block in two phases. Throws an `Error` in a read-only store. */
  prepare: StoreWriter['prepare']
  /** Makes commits durable that are held. */
  flush(): void
  /** Prepares a block and commits it. */
  commit(block: BlockChanges & { readonly records?: Records }): { readonly appHash: Uint8Array }
  rollback: StoreWriter['rollback']
  amend: StoreWriter['amend']
  pin: StoreWriter['pin']
  pruneOldest: StoreWriter['pruneOldest']
  /** Reads of every table, as of the latest commit. */
  readonly tables: Tables
  /** Writes rows outside a block, for indexes that are rebuilt. */
  writeRecords(rows: Iterable<TableWrite>): void
  /** Bytes in use by the backend. */
  sizeBytes(): number
  /** Bytes of its rows, without the space that removed ones have left. */
  usedBytes(): number
  close(): Promise<void>
}

const MIN_KEPT_HEIGHTS = 2

/** Opens a store over a backend. Throws an `Error` if its trees do not give the recorded app hash. */
export function openVersionedStore(backend: Backend, options: VersionedStoreOptions): VersionedStore {
  const { hashedStores, otherStores } = options
  const keepHeights = Math.max(options.keepHeights ?? Number.POSITIVE_INFINITY, MIN_KEPT_HEIGHTS)
  const loadRegistry = (tables: Tables) => readRegistry(tables, hashedStores, otherStores)
  const latest: Latest = { tip: readTip(backend), registry: loadRegistry(backend), treesAt: () => undefined }
  const reader = createReader(backend, latest, loadRegistry)
  const writer = backend.readOnly
    ? undefined
    : createWriter(backend, latest, {
        keepHeights,
        spacing: spacingFor(keepHeights, options.checkpoints),
        createTreeHelper: options.createTreeHelper,
        onWrite: reader.refresh,
      })

  function requireWriter(): StoreWriter {
    if (!writer) throw new Error('a read-only store cannot commit')
    return writer
  }

  return {
    latestHeight: () => BigInt(reader.tip().height),
    earliestHeight: () => BigInt(reader.tip().earliest),
    appHash: () => reader.tip().appHash,
    at(height) {
      backend.flush()
      return reader.at(height)
    },
    atTip: () => reader.at(),
    exportAt: reader.exportAt,
    prepare: (block) => requireWriter().prepare(block),
    flush: backend.flush,
    commit({ records, ...block }) {
      const prepared = requireWriter().prepare(block)
      prepared.commit(records)
      return { appHash: prepared.appHash }
    },
    rollback: (to) => requireWriter().rollback(to),
    amend: (changes, records) => requireWriter().amend(changes, records),
    pin: (height) => requireWriter().pin(height),
    pruneOldest: (keep) => requireWriter().pruneOldest(keep),
    tables: { get: backend.get, iterate: backend.iterate },
    writeRecords(rows) {
      backend.write(rows)
      reader.refresh()
    },
    sizeBytes: backend.sizeBytes,
    usedBytes: backend.usedBytes,
    async close() {
      reader.refresh()
      await writer?.close()
      await backend.close()
    },
  }
}

/** Returns how often to write checkpoints. A short history keeps all of them, closer together: a pruned log must still contain a checkpoint. */
function spacingFor(keepHeights: number, asked: Partial<CheckpointSpacing> | undefined): CheckpointSpacing {
  const spacing = { ...DEFAULT_SPACING, ...asked }
  if (!Number.isFinite(keepHeights)) return spacing
  return { ...spacing, blocks: Math.min(spacing.blocks, keepHeights), permanent: 0 }
}
