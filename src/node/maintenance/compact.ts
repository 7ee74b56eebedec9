/** Compaction of the database of a stopped chain: a copy without free pages takes its place. */
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { readTip } from '../../store/history/heights.ts'
import { openBackend } from '../backend.ts'
import { DATABASE } from '../backup/database-image.ts'
import { diskFiles, flushFile, freeBytes } from '../files.ts'
import { type HomePaths, requireDatabase } from '../home.ts'

export interface Compacted {
  readonly beforeBytes: number
  readonly afterBytes: number
}

/** Returns the folder of the copy. LMDB takes a name with a dot for a file. */
const folderOf = (data: string): string => `${data}-compact`
/** Interval of the progress. */
const PROGRESS_MS = 1000

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
    await copyTo(data, folder, onProgress)
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

/** Writes the copy. LMDB names its file. */
async function copyTo(data: string, folder: string, onProgress: (bytes: number) => void): Promise<void> {
  const file = join(folder, DATABASE)
  const root = open({ path: data, readOnly: true, encoding: 'binary' })
  const timer = setInterval(() => onProgress(statSync(file, { throwIfNoEntry: false })?.size ?? 0), PROGRESS_MS)
  try {
    await root.backup(folder, true)
  } finally {
    clearInterval(timer)
    await root.close()
  }
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
