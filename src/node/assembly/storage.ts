/** The storage of a node: its tables, and the versioned store over them. */
import { rmSync } from 'node:fs'
import { storesOf } from '../../app/stores.ts'
import type { Identity } from '../../identity/types.ts'
import type { Backend } from '../../store/backend/backend.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import { openStore } from '../backend.ts'
import type { OpenedChain } from '../chain.ts'
import { configError } from '../config.ts'
import { createEphemeralFolder } from '../ephemeral-folder.ts'
import type { Log } from '../log.ts'
import { createSnapshotSchedule, type SnapshotSchedule } from '../snapshots/schedule.ts'
import { createTreeHelper } from '../trees/tree-helper.ts'

export interface NodeStorage {
  /** Folder of the database; undefined for a chain in memory. */
  readonly dataPath: string | undefined
  readonly backend: Backend
  readonly store: VersionedStore
}

/** Opens the storage of a chain, and adds the steps that close it to `undo`. Rejects with the errors of `openStore`. */
export async function openStorage(
  chain: OpenedChain,
  identity: Identity,
  log: Log,
  undo: (() => unknown)[],
): Promise<NodeStorage> {
  const dataPath = dataFolder(chain, undo)
  const { keep } = chain.config.store
  const { backend, store } = await openStore(
    {
      path: dataPath,
      noSync: chain.home === undefined,
      onNewFormat: (before, now) =>
        log('info', 'converted the database to a new format: older builds cannot open it', { before, now }),
    },
    { ...storesOf(identity), createTreeHelper, ...(keep > 0 && { keepHeights: keep }) },
  )
  undo.push(() => store.close())
  return { dataPath, backend, store }
}

/** Returns the folder in the home, a temporary one if workers must read the store, or undefined for a store in memory. */
function dataFolder({ home, config }: OpenedChain, undo: (() => unknown)[]): string | undefined {
  if (home) return home.paths.data
  if (config.compute.workers === 0 && config.api.workers === 0) return undefined
  const folder = createEphemeralFolder()
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Opens the snapshots of a home; undefined without one. Throws `invalidArgument` for an interval of a chain without a home. */
export function openSnapshots(
  { home, config }: OpenedChain,
  identity: Identity,
  store: VersionedStore,
  log: Log,
): SnapshotSchedule | undefined {
  const { interval, keepRecent } = config.snapshots
  if (!home && interval > 0)
    throw configError('snapshots.interval (--snapshot-interval) needs a home: a chain in memory has no snapshots')
  const { data, snapshots } = home?.paths ?? {}
  if (!data || !snapshots) return undefined
  return createSnapshotSchedule({
    data,
    snapshots,
    stores: storesOf(identity),
    store,
    interval,
    keepRecent,
    elapsed: () => performance.now(),
    log,
  })
}
