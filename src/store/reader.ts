/** Snapshots of committed heights, and proofs over them. */
import type { Backend, BackendRead } from './backend/backend.ts'
import { readHeight } from './history/change-log.ts'
import { heightError, readTip, type Tip } from './history/heights.ts'
import type { Registry } from './history/registry.ts'
import { type SharedView, shareView } from './history/shared-view.ts'
import { openSnapshot } from './history/snapshot.ts'
import { createStaging } from './history/staging.ts'
import type { Latest } from './latest.ts'
import { createOldTrees, type TreeSource } from './tree/old-trees.ts'
import { proveKey } from './tree/proof.ts'
import type { TreesAt } from './tree/trees.ts'
import type { Change, Prover, Reader, Snapshot, Tables } from './types.ts'

export interface StoreReader {
  /** Opens a snapshot, of the latest height by default. Throws as `heightError` says. */
  at(height?: bigint): Snapshot
  /** Returns the latest commit; a read-only store asks the disk, since others commit. */
  tip(): Tip
  /** Makes later snapshots see what has been written since. */
  refresh(): void
}

/** Returns the changes of one height from the change log. */
export function loggedChanges(tables: Tables, registry: Registry, height: number): Change[] {
  return Array.from(readHeight(tables, height), ({ key, value }) => ({
    store: registry.nameAt(key[0]!, height),
    key: key.subarray(1),
    value,
  }))
}

/** Creates the reading half of a store. `loadRegistry` reads the stores from a view that others have written to. */
export function createReader(
  backend: Backend,
  latest: Latest,
  loadRegistry: (tables: Tables) => Registry,
): StoreReader {
  const oldTrees = createOldTrees()
  /** Snapshots of the writer share one view until the next commit, because nobody else writes. */
  let shared: SharedView | undefined
  /** One object per state, so that caches can tell states apart by identity. */
  let revision = { height: -1, rollbacks: -1 }

  const tip = () => (backend.readOnly ? readTip(backend) : latest.tip)

  function openView(): BackendRead {
    if (backend.readOnly) return backend.read()
    shared ??= shareView(backend.read())
    return shared.open()
  }

  /** Returns the stores as a view sees them. In a read-only store they change when another process commits an upgrade. */
  function registryOf(view: Tables, seen: Tip): Registry {
    const { height, rollbacks } = latest.tip
    if (!backend.readOnly || (seen.height === height && seen.rollbacks === rollbacks)) return latest.registry
    latest.registry = loadRegistry(view)
    latest.tip = seen
    return latest.registry
  }

  function revisionOf(height: number, rollbacks: number): object {
    if (revision.height !== height || revision.rollbacks !== rollbacks) revision = { height, rollbacks }
    return revision
  }

  function at(height?: bigint): Snapshot {
    const view = openView()
    const seen = backend.readOnly ? readTip(view) : latest.tip
    const error = heightError(height ?? BigInt(seen.height), seen)
    if (error) {
      view.close()
      throw error
    }
    const wanted = height === undefined ? seen.height : Number(height)
    const registry = registryOf(view, seen)
    return openSnapshot({
      view,
      height: wanted,
      era: registry.eraAt(wanted),
      openStaging: backend.readOnly ? undefined : () => createStaging(backend),
      rollbacks: seen.rollbacks,
      revision: revisionOf(wanted, seen.rollbacks),
      // A view that is not isolated sees commits made after it was opened.
      isTip: backend.isolates ? () => wanted === seen.height : () => wanted === latest.tip.height,
      logFrom: backend.isolates ? () => seen.logFrom : () => latest.tip.logFrom,
      prover: (get) => proverAt(get, view, wanted, seen, registry),
    })
  }

  function proverAt(get: Reader['get'], view: BackendRead, height: number, opened: Tip, registry: Registry): Prover {
    const source = () => sourceOf(view, registry, height, opened)
    return {
      isReady: () => recentTrees(height, opened) !== undefined || oldTrees.has(source()),
      prove: (store, key) => proveKey(recentTrees(height, opened) ?? oldTrees.at(source()), get, store, key),
    }
  }

  /** Returns the writer's trees of a height, unless a rollback has replaced the height since the snapshot was opened. */
  function recentTrees(height: number, opened: Tip): TreesAt | undefined {
    return opened.rollbacks === latest.tip.rollbacks ? latest.treesAt(height) : undefined
  }

  /** Throws if the height has been pruned since a view that is not isolated was opened. */
  function sourceOf(view: BackendRead, registry: Registry, height: number, opened: Tip): TreeSource {
    const seen = backend.isolates ? opened : latest.tip
    const error = heightError(BigInt(height), seen)
    if (error) throw error
    return {
      tables: view,
      height,
      logFrom: seen.logFrom,
      rollbacks: seen.rollbacks,
      changesOf: (at) => loggedChanges(view, registry, at),
      orderAt: (at) => registry.eraAt(at).order,
    }
  }

  return {
    at,
    tip,
    refresh() {
      shared?.retire()
      shared = undefined
    },
  }
}
