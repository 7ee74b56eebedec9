/** The list of a backup: what it is a copy of, and the chunks of each file. It is written last, so a list is a whole backup. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { formatHex, utf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { diskFiles } from '../files.ts'

const FORMAT = 'almanac backup 1'
const FOLDER = 'backups'
const NAME = /^\d{12}-\d{14}\.json$/
const DIGEST = /^[0-9a-f]{64}$/

/** A file of the home. */
export interface BackupFile {
  /** Path in the home, with `/`. */
  readonly path: string
  /** Permissions of the file. */
  readonly mode: number
  readonly size: number
  readonly chunks: readonly string[]
}

export interface Manifest {
  readonly chain_id: string
  /** Height of the state, from 1 on. */
  readonly height: number
  readonly app_hash: string
  /** Time of the backup, RFC 3339. */
  readonly time: string
  /** Version of the program that made it. */
  readonly version: string
  readonly files: readonly BackupFile[]
}

/** A backup in a folder. `path` is that of its list. */
export interface StoredBackup {
  readonly path: string
  readonly manifest: Manifest
}

const digestOf = (manifest: Manifest): string => formatHex(sha256(utf8(JSON.stringify(manifest))))

/** Writes the list of a backup durably. Returns its path. */
export function writeManifest(root: string, manifest: Manifest): string {
  const time = manifest.time.replace(/\D/g, '').slice(0, 14)
  const path = join(root, FOLDER, `${String(manifest.height).padStart(12, '0')}-${time}.json`)
  const text = JSON.stringify({ format: FORMAT, sha256: digestOf(manifest), manifest }, null, 1)
  diskFiles.write(path, `${text}\n`, { secret: true, durable: true })
  return path
}

/** Returns the backups in a folder, the newest last. Throws `notFound` without one, `dataLoss` for a damaged list. */
export function requireBackups(root: string): readonly StoredBackup[] {
  if (!existsSync(root)) throw queryError('notFound', `${root}: no such folder`)
  const backups = listBackups(root)
  if (backups.length > 0) return backups
  throw queryError('notFound', `${root} contains no complete backup: \`almanac backup\` makes one`)
}

/** Returns the backups in a folder, the newest last. Throws `dataLoss` for a damaged list. */
export function listBackups(root: string): readonly StoredBackup[] {
  const folder = join(root, FOLDER)
  if (!existsSync(folder)) return []
  const backups = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .map((name) => readManifest(join(folder, name)))
  return backups.sort((a, b) => (a.manifest.time < b.manifest.time ? -1 : 1))
}

function readManifest(path: string): StoredBackup {
  const damaged = () =>
    queryError('dataLoss', `the backup is damaged: ${path} is not as it was written; delete it to go on without it`)
  let read: { readonly format: string; readonly sha256: string; readonly manifest: Manifest }
  try {
    read = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged()
    throw error
  }
  if (!isRecord(read) || !isRecord(read.manifest)) throw damaged()
  if (read.format !== FORMAT)
    throw queryError('failedPrecondition', `${path} has format ${read.format}, this build reads "${FORMAT}"`)
  if (read.sha256 !== digestOf(read.manifest) || !isManifest(read.manifest)) throw damaged()
  return { path, manifest: read.manifest }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a list has the shape that this program writes. Its digest has no key, so a forged list can have it. */
function isManifest(value: Record<string, unknown>): boolean {
  const { height, files } = value
  const texts = [value['chain_id'], value['app_hash'], value['time'], value['version']]
  return (
    texts.every((text) => typeof text === 'string') &&
    Number.isSafeInteger(height) &&
    Array.isArray(files) &&
    files.every(isBackupFile)
  )
}

function isBackupFile(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { path, mode, size, chunks } = value
  return (
    typeof path === 'string' &&
    path !== '' &&
    !path.includes('\0') &&
    [mode, size].every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    Array.isArray(chunks) &&
    chunks.every((name) => typeof name === 'string' && DIGEST.test(name))
  )
}

export function removeBackup({ path }: StoredBackup): void {
  rmSync(path, { force: true })
}
