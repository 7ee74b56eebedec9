/** The backend of a node, on disk or in memory, and the store over it. */
import type { Backend } from '../store/backend/backend.ts'
import { openMemory } from '../store/backend/memory.ts'
import { openVersionedStore, type VersionedStore, type VersionedStoreOptions } from '../store/versioned.ts'
import type { DiskOptions } from './disk.ts'

export interface BackendConfig extends DiskOptions {
  /** Folder of the database; undefined keeps the tables in memory. */
  readonly path: string | undefined
}

/** Opens a backend. Throws an `Error` for a database of another format, or for a reader of a database that does not exist. */
export async function openBackend({ path, ...options }: BackendConfig): Promise<Backend> {
  if (path === undefined) return openMemory()
  // A chain in memory starts without loading LMDB.
  const { openDisk } = await import('./disk.ts')
  return openDisk(path, options)
}

/**
 * Opens a backend and the store over it; closing the store closes both. Rejects with an `Error` as `openBackend` does, and if
 * the trees do not give the recorded app hash; then nothing stays open.
 */
export async function openStore(
  config: BackendConfig,
  options: VersionedStoreOptions,
): Promise<{ readonly backend: Backend; readonly store: VersionedStore }> {
  const backend = await openBackend(config)
  try {
    return { backend, store: openVersionedStore(backend, options) }
  } catch (error) {
    await backend.close()
    throw error
  }
}
