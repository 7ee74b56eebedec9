/** The restore of a backup into a new home, whose state must have the app hash of the backup. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join, normalize, sep } from 'node:path'
import { storesOf } from '../../app/stores.ts'
import { createIdentity } from '../../identity/identity.ts'
import { formatHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { recomputeAppHash } from '../../store/sync/app-hash.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { openBackend } from '../backend.ts'
import { diskFiles, flushFile } from '../files.ts'
import { homePaths } from '../home-paths.ts'
import { profileOfHome } from '../home-record.ts'
import { type ChunkStore, openChunks } from './chunks.ts'
import { isKeyFile } from './key-files.ts'
import { type BackupFile, type Manifest, requireBackups, type StoredBackup } from './manifest.ts'

/** Permissions that a restored file can have, and those of a file with keys, whatever the list of the backup says. */
const MOST_MODE = 0o755
const OWNER_ONLY = 0o600

export interface RestoreRequest {
  /** Folder of the backups. */
  readonly folder: string
  /** The home to make. It must not exist, or be an empty folder. */
  readonly home: string
  /** Height of the backup; undefined: the newest backup. */
  readonly height: number | undefined
  /** Receives the bytes that were written, and those to write. */
  readonly onProgress?: (done: number, total: number) => void
  /** Receives the number of keys that were verified. */
  readonly onVerified?: (keys: number) => void
}

export interface Restored {
  readonly manifest: Manifest
  /** Number of keys of the state. */
  readonly keys: number
  /** Later heights of backups in the folder. */
  readonly later: readonly number[]
}

/**
 * Restores a backup beside the home, verifies it, and moves it to its place in one step. Rejects with `notFound` if there is no such
 * backup, `alreadyExists` for a home that is not empty, `dataLoss` that names the damaged file.
 */
export async function restoreBackup(request: RestoreRequest): Promise<Restored> {
  const { folder, home } = request
  const backups = requireBackups(folder)
  const { manifest } = chooseBackup(folder, backups, request.height)
  const later = backups.map((one) => one.manifest.height).filter((height) => height > manifest.height)
  if (existsSync(home) && readdirSync(home).length > 0)
    throw queryError(
      'alreadyExists',
      `${home} is not empty: restore into a new home with --home, or move this one away`,
    )
  const beside = `${home}.restoring`
  rmSync(beside, { recursive: true, force: true })
  mkdirSync(beside, { recursive: true })
  try {
    await writeFiles(request, manifest, beside)
    requireSameChain(manifest, beside)
    const keys = await verifyState(manifest, beside, request.onVerified)
    if (existsSync(home)) rmdirSync(home)
    renameSync(beside, home)
    flushFile(dirname(home))
    return { manifest, keys, later }
  } catch (error) {
    rmSync(beside, { recursive: true, force: true })
    throw error
  }
}

function chooseBackup(folder: string, backups: readonly StoredBackup[], height: number | undefined): StoredBackup {
  const found = height === undefined ? backups.at(-1) : backups.findLast(({ manifest }) => manifest.height === height)
  if (found) return found
  const heights = backups.map(({ manifest }) => manifest.height).join(', ')
  throw queryError('notFound', `${folder} has no backup of height ${height}: it has those of ${heights}`)
}

async function writeFiles({ folder, onProgress }: RestoreRequest, { files }: Manifest, root: string): Promise<void> {
  const chunks = openChunks(join(folder, 'chunks'))
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  for (const file of files) {
    await writeFile(chunks, file, placeIn(root, file), (bytes) => {
      done += bytes
      onProgress?.(done, total)
    })
  }
}

/** Returns the place of a file. Throws `dataLoss` for a path that leads out of the home. */
function placeIn(root: string, { path }: BackupFile): string {
  const place = normalize(join(root, path))
  if (place.startsWith(root + sep)) return place
  throw queryError('dataLoss', `the backup is damaged: the path ${path} leads out of the home`)
}

async function writeFile(
  chunks: ChunkStore,
  { mode, size, path, chunks: names }: BackupFile,
  place: string,
  onBytes: (count: number) => void,
): Promise<void> {
  mkdirSync(dirname(place), { recursive: true })
  const file = openSync(place, 'wx', isKeyFile(path) ? OWNER_ONLY : mode & MOST_MODE)
  let written = 0
  try {
    for (const name of names) {
      const bytes = await chunks.read(name)
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      written += bytes.length
      onBytes(bytes.length)
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (written !== size) throw queryError('dataLoss', `the backup is damaged: ${path} has ${written} bytes, not ${size}`)
}

/** Throws `dataLoss` if the genesis document is not that of the chain that the list names. */
function requireSameChain({ chain_id: id }: Manifest, root: string): void {
  const { genesis } = homePaths(root)
  const text = diskFiles.read(genesis)
  if (text === undefined || readChainId(text) === id) return
  throw queryError('dataLoss', `the backup is damaged: its list is of chain ${id}, and its genesis.json is not`)
}

function readChainId(text: string): unknown {
  try {
    return (JSON.parse(text) as { chain_id?: unknown } | null)?.chain_id
  } catch {
    return undefined
  }
}

/** Computes the app hash from all keys and values. Returns the number of keys. Throws `dataLoss` for another hash. */
async function verifyState(
  { height, app_hash }: Manifest,
  root: string,
  onVerified: RestoreRequest['onVerified'],
): Promise<number> {
  const paths = homePaths(root)
  const stores = storesOf(createIdentity(profileOfHome(paths, diskFiles)))
  const backend = await openBackend({ path: paths.data, readOnly: true })
  try {
    if (height === 0) throw queryError('dataLoss', 'the backup is damaged: it has no block')
    const state = openVersionedStore(backend, stores).exportAt(BigInt(height))
    try {
      const { appHash, keys } = recomputeAppHash(state, onVerified)
      const found = formatHex(appHash)
      if (found !== app_hash)
        throw queryError(
          'dataLoss',
          `the restored ${paths.data} has the app hash ${found}, and the backup has ${app_hash}`,
        )
      return keys
    } finally {
      state.close()
    }
  } finally {
    await backend.close()
  }
}
