/** The backend of a node: on disk or in memory. */
import type { Backend } from '../store/backend/backend.ts'
import { openMemory } from '../store/backend/memory.ts'
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
