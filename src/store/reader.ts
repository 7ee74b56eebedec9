/** Snapshots of committed heights, and proofs over them. */
import { queryError } from '../primitives/errors.ts'
import type { Backend, BackendRead } from './backend/backend.ts'
import { readHeight } from './history/change-log.ts'
import { heightError, readTip, type Tip } from './history/heights.ts'
import type { Registry } from './history/registry.ts'
import { type SharedView, shareView } from './history/shared-view.ts'
import { openSnapshot } from './history/snapshot.ts'
import { createStaging } from './history/staging.ts'
import type { Latest } from './latest.ts'
import { itemsOf, type StateExport } from './sync/export.ts'
import { keptExtensions } from './sync/extensions.ts'
import { createOldTrees, type TreeSource } from './tree/old-trees.ts'
import { proveKey } from './tree/proof.ts'
import { appHashOf } from './tree/tree-roots.ts'
import type { TreesAt } from './tree/trees.ts'
import type { Change, Prover, Reader, Snapshot, Tables } from './types.ts'

export interface StoreReader {
  /** Opens a snapshot, of the latest height by default. Throws the errors of `heightError`. */
  at(height?: bigint): Snapshot
  /** Opens the items of a height for a snapshot of the state, the latest height by default. Throws the errors of `heightError`. */
  exportAt(height?: bigint): StateExport
  /** Returns the latest commit; a read-only store reads it from disk, because another process commits. */
  tip(): Tip
  /** Drops the shared view, so that later snapshots include new writes. */
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

/** Yields store and key of everything that a height wrote. Throws the errors of `heightError`. */
function* writtenAt(view: Tables, registry: Registry, height: bigint, tip: Tip) {
  const error = heightError(height, tip)
  if (error) throw error
  const at = Number(height)
  if (at < tip.logFrom) throw queryError('notFound', `the changes of height ${height} are not stored`)
  for (const { key } of readHeight(view, at)) yield { store: registry.nameAt(key[0]!, at), key: key.subarray(1) }
}

/** Creates the reading half of a store. `loadRegistry` reads the stores from a view that another process has written to. */
export function createReader(
  backend: Backend,
  latest: Latest,
  loadRegistry: (tables: Tables) => Registry,
): StoreReader {
  const oldTrees = createOldTrees()
  /** Snapshots of the writer share one view until the next commit, because no other process writes. */
  let shared: SharedView | undefined
  /** The revision of the height opened last; equal for consecutive snapshots of one state. */
  let revision = { height: -1, rollbacks: -1 }

  const tip = () => (backend.readOnly ? readTip(backend) : latest.tip)

  function openView(): BackendRead {
    if (backend.readOnly) return backend.read()
    shared ??= shareView(backend.read())
    return shared.open()
  }

  /** Returns the stores of a view. In a read-only store they change when another process commits an upgrade. */
  function registryOf(view: Tables, viewTip: Tip): Registry {
    const { height, rollbacks } = latest.tip
    if (!backend.readOnly || (viewTip.height === height && viewTip.rollbacks === rollbacks)) return latest.registry
    latest.registry = loadRegistry(view)
    latest.tip = viewTip
    return latest.registry
  }

  function revisionOf(height: number, rollbacks: number): object {
    if (revision.height !== height || revision.rollbacks !== rollbacks) revision = { height, rollbacks }
    return revision
  }

  function at(height?: bigint): Snapshot {
    const view = openView()
    const viewTip = backend.readOnly ? readTip(view) : latest.tip
    const error = heightError(height ?? BigInt(viewTip.height), viewTip)
    if (error) {
      view.close()
      throw error
    }
    const target = height === undefined ? viewTip.height : Number(height)
    const registry = registryOf(view, viewTip)
    return openSnapshot({
      view,
      height: target,
      era: registry.eraAt(target),
      openStaging: backend.readOnly ? undefined : () => createStaging(backend),
      earliest: viewTip.earliest,
      rollbacks: viewTip.rollbacks,
      revision: revisionOf(target, viewTip.rollbacks),
      // A view that is not isolated sees commits made after it was opened.
      isTip: backend.isolates ? () => target === viewTip.height : () => target === latest.tip.height,
      logFrom: backend.isolates ? () => viewTip.logFrom : () => latest.tip.logFrom,
      prover: (get) => proverAt(get, view, target, viewTip, registry),
      writtenAt: (written) => writtenAt(view, registry, written, backend.isolates ? viewTip : latest.tip),
    })
  }

  function exportAt(height?: bigint): StateExport {
    const snapshot = at(height)
    const view = openView()
    try {
      const viewTip = backend.readOnly ? readTip(view) : latest.tip
      // Trees of its own: an export drops what it has walked.
      const trees = createOldTrees().at(sourceOf(view, registryOf(view, viewTip), Number(snapshot.height), viewTip))
      return {
        height: snapshot.height,
        appHash: appHashOf(trees.order, trees.treeStore, trees.roots),
        keyCount: trees.order.names.reduce((sum, _, i) => sum + trees.treeStore.leafCount(trees.roots.nodes[i]!), 0),
        *items() {
          yield* itemsOf(trees, snapshot.iterate)
          yield* keptExtensions(view)
        },
        close() {
          snapshot.close()
          view.close()
        },
      }
    } catch (error) {
      snapshot.close()
      view.close()
      throw error
    }
  }

  function proverAt(get: Reader['get'], view: BackendRead, height: number, viewTip: Tip, registry: Registry): Prover {
    const source = () => sourceOf(view, registry, height, viewTip)
    return {
      isReady: () => recentTrees(height, viewTip) !== undefined || oldTrees.has(source()),
      prove: (store, key) => proveKey(recentTrees(height, viewTip) ?? oldTrees.at(source()), get, store, key),
    }
  }

  /** Returns the writer's trees of a height, unless a rollback has replaced the height since the snapshot was opened. */
  function recentTrees(height: number, viewTip: Tip): TreesAt | undefined {
    return viewTip.rollbacks === latest.tip.rollbacks ? latest.treesAt(height) : undefined
  }

  /** Throws if the height has been pruned since a view that is not isolated was opened. */
  function sourceOf(view: BackendRead, registry: Registry, height: number, viewTip: Tip): TreeSource {
    const tipNow = backend.isolates ? viewTip : latest.tip
    const error = heightError(BigInt(height), tipNow)
    if (error) throw error
    return {
      tables: view,
      height,
      logFrom: tipNow.logFrom,
      rollbacks: tipNow.rollbacks,
      changesOf: (at) => loggedChanges(view, registry, at),
      orderAt: (at) => registry.eraAt(at).order,
    }
  }

  return {
    at,
    exportAt,
    tip,
    refresh() {
      shared?.retire()
      shared = undefined
    },
  }
}
