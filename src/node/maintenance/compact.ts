/** Compaction of the database of a stopped chain: a copy without free pages takes its place. */
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { INDEX_TABLES } from '../../indexer/tables.ts'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { readTip } from '../../store/history/heights.ts'
import { STORE_TABLES } from '../../store/tables.ts'
import type { Entry, TableWrite } from '../../store/types.ts'
import { openBackend } from '../backend.ts'
import { DATABASE } from '../database-meta.ts'
import { openDisk, openNewDisk } from '../disk.ts'
import { diskFiles, flushFile, freeBytes } from '../files.ts'
import type { HomePaths } from '../home-paths.ts'
import { requireDatabase } from '../lost-chain.ts'

export interface Compacted {
  readonly beforeBytes: number
  readonly afterBytes: number
}

/** Returns the folder of the copy. LMDB takes a name with a dot for a file. */
const folderOf = (data: string): string => `${data}-compact`
/** Keys and values that are written in one transaction. */
const BATCH_BYTES = 1 << 22
const TABLES = [...STORE_TABLES, ...INDEX_TABLES]

/**
 * Writes the database without its free pages beside it, checks that it has the same latest height and app hash, and puts it in
 * its place by a rename. The caller holds the lock of the home. `onProgress` receives the written bytes. Rejects with
 * `resourceExhausted` if the disk has no room for the copy.
 */
export async function compactHome(paths: HomePaths, onProgress: (bytes: number) => void): Promise<Compacted> {
  requireDatabase(paths, diskFiles)
  const { data } = paths
  const folder = folderOf(data)
  rmSync(folder, { recursive: true, force: true })
  // A clean stop empties the journal, and marks a database of an older format.
  await (await openBackend({ path: data })).close()
  const beforeBytes = statSync(join(data, DATABASE)).size
  requireRoom(data, beforeBytes)
  mkdirSync(folder, { recursive: true })
  try {
    await copyRows(data, folder, onProgress)
    await requireSame(data, folder)
    const copy = join(folder, DATABASE)
    flushFile(copy)
    rmSync(join(data, 'lock.mdb'), { force: true })
    renameSync(copy, join(data, DATABASE))
    flushFile(data)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { beforeBytes, afterBytes: statSync(join(data, DATABASE)).size }
}

function requireRoom(data: string, bytes: number): void {
  const free = freeBytes(data)
  if (free === undefined || free > bytes) return
  throw queryError(
    'resourceExhausted',
    `the copy can take ${bytes} bytes, and ${free} are free on the disk of ${data}: free space, or restore a backup onto a larger disk`,
  )
}

/**
 * Copies every row in the order of its keys, which fills pages completely. The compacting copy of LMDB is not used: the list of
 * free pages of such a file can be damaged, which only a later write finds.
 */
async function copyRows(data: string, folder: string, onProgress: (bytes: number) => void): Promise<void> {
  const from = openDisk(data, { readOnly: true })
  const to = openNewDisk(folder)
  const view = from.read()
  try {
    let bytes = 0
    for (const { name } of TABLES) {
      for (const rows of batches(name, view.iterate(name))) {
        to.write(rows)
        bytes += rows.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0)
        onProgress(bytes)
      }
    }
  } finally {
    view.close()
    await to.close()
    await from.close()
  }
}

/** Yields rows of a table in lists of about `BATCH_BYTES`. */
function* batches(table: string, entries: Iterable<Entry>): IterableIterator<TableWrite[]> {
  let rows: TableWrite[] = []
  let bytes = 0
  for (const [key, value] of entries) {
    rows.push({ table, key, value })
    bytes += key.length + value.length
    if (bytes < BATCH_BYTES) continue
    yield rows
    rows = []
    bytes = 0
  }
  if (rows.length > 0) yield rows
}

async function requireSame(data: string, copy: string): Promise<void> {
  const [before, after] = [await tipOf(data), await tipOf(copy)]
  if (before.height === after.height && equal(before.appHash, after.appHash)) return
  throw queryError(
    'dataLoss',
    `the copy has height ${after.height}, the database has ${before.height}: nothing was changed`,
  )
}

async function tipOf(path: string) {
  const backend = await openBackend({ path, readOnly: true })
  try {
    return readTip(backend)
  } finally {
    await backend.close()
  }
}
