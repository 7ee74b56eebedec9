/** The backup of a home, also while a node runs in it. A folder holds several backups, which share their chunks. */
import { closeSync, mkdirSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatHex } from '../../primitives/bytes.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { DATABASE } from '../database-meta.ts'
import { diskFiles, freeBytes } from '../files.ts'
import type { HomePaths } from '../home-paths.ts'
import { acquireLock, lockHolder } from '../lock.ts'
import { noBlockError, requireDatabase } from '../lost-chain.ts'
import { VERSION } from '../version.ts'
import { CHUNK_BYTES, type ChunkStore, openChunks } from './chunks.ts'
import { type DatabaseImage, openImage } from './database-image.ts'
import { type HeldEngine, holdEngine, isHeld } from './engine-data.ts'
import { isKeyFile } from './key-files.ts'
import {
  type BackupFile,
  listBackups,
  type Manifest,
  removeBackup,
  type StoredBackup,
  writeManifest,
} from './manifest.ts'

/** Chunks that are written at the same time. */
const CONCURRENT = 8
/** Files of a home that are no part of a backup: those of running processes, and those that can be made again. */
const OMITTED = [
  /^lock(\.turn)?$/,
  /^run\.json$/,
  /^data\/(data|lock)\.mdb$/,
  /^data-restore\//,
  /^snapshots\//,
  /\.new$/,
  /\.sock$/,
]
const ENGINE = /^engine\//
const ENGINE_DATA = /^engine\/data\//

export interface BackupRequest {
  readonly paths: HomePaths
  /** Folder of the backups. */
  readonly folder: string
  readonly chainId: string
  /** Whether an engine has blocks of its own in the home. */
  readonly underEngine: boolean
  readonly includeKeys: boolean
  /** Whether chunks that are stored are read and compared, and written again if they are damaged. */
  readonly verify: boolean
  /** Number of backups to keep in the folder, without those of later heights than this one. */
  readonly keep: number
  readonly now: number
  /** Receives the bytes that were read, and those to read. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface MadeBackup {
  readonly manifest: Manifest
  readonly path: string
  /** Bytes of the files, and of the chunks that this backup wrote. */
  readonly sizeBytes: number
  readonly writtenBytes: number
  /** Number of older backups that were deleted. */
  readonly removed: number
  /** Older backups of later heights, which stay: the chain has lost blocks since. */
  readonly later: readonly StoredBackup[]
}

/** A file to copy. */
interface Source {
  readonly path: string
  readonly mode: number
  readonly size: number
  read(offset: number, length: number): Uint8Array
  close(): void
}

/**
 * Makes a backup of a chain with a block: the database as of its latest commit, and the other files. Only chunks that the folder lacks are written. A
 * backup that is ended before its time leaves chunks, which the next one uses. The databases of an engine that runs are copied as of a
 * moment after that commit: at its start it gives the blocks that follow to the application. Rejects as
 * `noBlockError` says for a home without a block, with `resourceExhausted` if the disk is full, and as `holdEngine` does.
 */
export async function makeBackup(request: BackupRequest): Promise<MadeBackup> {
  const { paths, folder } = request
  requireDatabase(paths, diskFiles)
  requireApart(paths.root, folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = acquireLock(join(folder, 'lock'), diskFiles)
  try {
    return await copyHome(request)
  } catch (error) {
    throw withAdvice(error, folder)
  } finally {
    release()
  }
}

function requireApart(root: string, folder: string): void {
  if (!`${folder}/`.startsWith(`${root}/`)) return
  throw queryError(
    'invalidArgument',
    `${folder} is in the home ${root}: choose a folder outside it, best on another disk`,
  )
}

/** Names the cause of a full disk, whose own message does not say which folder must get room. */
function withAdvice(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof ChainError || (code !== 'ENOSPC' && code !== 'EDQUOT')) return error
  const free = freeBytes(folder)
  const left = free === undefined ? '' : ` (${free} bytes are free)`
  return queryError(
    'resourceExhausted',
    `there is no room in ${folder}${left}: free space and repeat, which continues where this backup ended; earlier backups in it are whole`,
  )
}

async function copyHome(request: BackupRequest): Promise<MadeBackup> {
  const { paths, folder, onProgress } = request
  const earlier = listBackups(folder)
  const other = earlier.find(({ manifest }) => manifest.chain_id !== request.chainId)
  if (other)
    throw queryError(
      'failedPrecondition',
      `${folder} has backups of the chain ${other.manifest.chain_id}, and ${paths.root} has ${request.chainId}: use a folder for each`,
    )
  const chunks = openChunks(join(folder, 'chunks'))
  const image = await openImage(paths.data)
  if (image.tip.height === 0) {
    await image.close()
    throw noBlockError(paths, diskFiles)
  }
  let engine: HeldEngine | undefined
  let sources: readonly Source[] = []
  try {
    // After the image: the engine must have every block that the application has.
    const isRunning = request.underEngine && lockHolder(paths.lock, diskFiles) !== undefined
    engine = isRunning ? await holdEngine(paths.root) : undefined
    sources = [databaseSource(image), ...fileSources(request, engine)]
    const total = sources.reduce((sum, { size }) => sum + size, 0)
    const files: BackupFile[] = []
    let [done, writtenBytes] = [0, 0]
    for (const source of sources) {
      files.push(
        await copyFile(source, chunks, request.verify, (bytes, isNew) => {
          done += bytes
          if (isNew) writtenBytes += bytes
          onProgress?.(done, total)
        }),
      )
    }
    const manifest: Manifest = {
      chain_id: request.chainId,
      height: image.tip.height,
      app_hash: formatHex(image.tip.appHash),
      time: new Date(request.now).toISOString(),
      version: VERSION,
      files,
    }
    const path = writeManifest(folder, manifest)
    const { removed, later } = await removeOld(folder, chunks, { path, manifest }, request.keep)
    return { manifest, path, sizeBytes: total, writtenBytes, removed, later }
  } finally {
    for (const source of sources) source.close()
    engine?.release()
    await image.close()
  }
}

const databaseSource = (image: DatabaseImage): Source => ({
  path: `data/${DATABASE}`,
  mode: 0o644,
  size: image.sizeBytes,
  read: image.read,
  close: () => undefined,
})

function fileSources({ paths, includeKeys, underEngine }: BackupRequest, engine: HeldEngine | undefined): Source[] {
  const omitted = [...OMITTED, ...(underEngine ? [] : [ENGINE]), ...(engine ? [ENGINE_DATA] : [])]
  const files = filesIn(paths.root, '')
    .filter((path) => !isHeld(path) && !omitted.some((pattern) => pattern.test(path)))
    .filter((path) => includeKeys || !isKeyFile(path))
    .map((path) => fileSource(path, join(paths.root, path)))
  const held = engine?.files.map(({ path, link, size }) => fileSource(path, link, size)) ?? []
  return [...files, ...held]
}

/**
 * Returns the paths of the files in a folder, in order. Links are followed, so that a restored home has what they lead to. Throws
 * `failedPrecondition` for a link to nothing, or to a folder around it.
 */
function filesIn(root: string, folder: string, around: readonly string[] = []): string[] {
  const real = realpathSync(join(root, folder))
  if (around.includes(real))
    throw queryError('failedPrecondition', `${join(root, folder)} is a link to a folder around it: remove it`)
  const entries = readdirSync(real, { withFileTypes: true })
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      const facts = statSync(join(root, path), { throwIfNoEntry: false })
      if (!facts && entry.isSymbolicLink())
        throw queryError('failedPrecondition', `${join(root, path)} is a link to nothing: mend or remove it`)
      if (facts?.isDirectory()) return filesIn(root, path, [...around, real])
      return facts?.isFile() ? [path] : []
    })
}

/** Opens a file for a copy of its first bytes, by default of all. `path` is its place in the home. */
function fileSource(path: string, full: string, first?: number): Source {
  const facts = statSync(full)
  const size = first ?? facts.size
  const file = openSync(full, 'r')
  return {
    path,
    mode: facts.mode & 0o777,
    size,
    read(offset, length) {
      const bytes = new Uint8Array(Math.min(length, size - offset))
      const count = readSync(file, bytes, 0, bytes.length, offset)
      if (count < bytes.length)
        throw queryError('unavailable', `${full} became shorter while it was copied: repeat the backup`)
      return bytes
    },
    close: () => closeSync(file),
  }
}

/** Stores the chunks of a file, several at a time. */
async function copyFile(
  source: Source,
  chunks: ChunkStore,
  verify: boolean,
  onChunk: (bytes: number, isNew: boolean) => void,
): Promise<BackupFile> {
  const names: string[] = new Array(Math.ceil(source.size / CHUNK_BYTES))
  let next = 0
  async function work(): Promise<void> {
    while (next < names.length) {
      const index = next++
      // A copy: the next read of the source uses the same memory.
      const bytes = source.read(index * CHUNK_BYTES, CHUNK_BYTES).slice()
      const { name, isNew } = await chunks.put(bytes, verify)
      names[index] = name
      onChunk(bytes.length, isNew)
    }
  }
  // All of them end before an error is passed on: none may write once the lock is released.
  const ended = await Promise.allSettled(Array.from({ length: CONCURRENT }, work))
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return { path: source.path, mode: source.mode, size: source.size, chunks: names }
}

/**
 * Deletes all but the newest backups, and chunks that none of the others needs. Backups of later heights than the one that was
 * made stay: they have blocks that the chain has lost, perhaps by mistake.
 */
async function removeOld(
  folder: string,
  chunks: ChunkStore,
  made: StoredBackup,
  keep: number,
): Promise<Pick<MadeBackup, 'removed' | 'later'>> {
  const backups = listBackups(folder)
  const later = backups.filter(({ manifest }) => manifest.height > made.manifest.height)
  const earlier = backups.filter((one) => !later.includes(one) && one.path !== made.path)
  const old = earlier.slice(0, Math.max(0, earlier.length + 1 - keep))
  for (const backup of old) removeBackup(backup)
  const left = backups.filter((one) => !old.includes(one))
  const used = new Set(left.flatMap(({ manifest }) => manifest.files.flatMap((file) => file.chunks)))
  await chunks.sweep((name) => used.has(name))
  return { removed: old.length, later }
}
