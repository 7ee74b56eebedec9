/** Pieces of files in a backup folder, each in a file named by its SHA-256, so that equal pieces are stored once. */
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { formatHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'

/** Size of a chunk. The last chunk of a file is shorter. */
export const CHUNK_BYTES = 128 * 1024

const REMEDY = 'restore an earlier height, or make a new backup with --verify while the home still exists'

export interface ChunkStore {
  /**
   * Stores a chunk durably, unless it is stored: then its size is compared, or with `verify` its content. Resolves with its name,
   * and whether it was written.
   */
  put(bytes: Uint8Array, verify: boolean): Promise<{ readonly name: string; readonly isNew: boolean }>
  /** Reads a chunk. Rejects with `dataLoss` that names the file if it is missing or damaged. */
  read(name: string): Promise<Uint8Array>
  /** Deletes the chunks that `isUsed` does not select. Resolves with their number. */
  sweep(isUsed: (name: string) => boolean): Promise<number>
}

/** Opens the chunks in a folder, which is created when needed. */
export function openChunks(root: string): ChunkStore {
  const folders = new Set<string>()
  const folderOf = (name: string): string => join(root, name.slice(0, 2))

  async function makeFolder(path: string): Promise<void> {
    if (folders.has(path)) return
    await mkdir(path, { recursive: true, mode: 0o700 })
    folders.add(path)
  }

  return {
    async put(bytes, verify) {
      const name = formatHex(sha256(bytes))
      const folder = folderOf(name)
      const path = join(folder, name)
      const isStored = (await sizeOf(path)) === bytes.length && (!verify || (await isWhole(path, name)))
      if (isStored) return { name, isNew: false }
      await makeFolder(folder)
      const temporary = `${path}.new`
      const file = await open(temporary, 'w', 0o600)
      await writeAndClose(file, bytes)
      await rename(temporary, path)
      return { name, isNew: true }
    },
    async read(name) {
      const path = join(folderOf(name), name)
      let bytes: Uint8Array
      try {
        // A special file could give bytes without end.
        const facts = await stat(path)
        bytes = facts.isFile() && facts.size <= CHUNK_BYTES ? await readFile(path) : new Uint8Array()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        throw queryError('dataLoss', `the backup is damaged: ${path} is missing; ${REMEDY}`)
      }
      if (formatHex(sha256(bytes)) !== name)
        throw queryError('dataLoss', `the backup is damaged: ${path} does not have the digest in its name; ${REMEDY}`)
      return bytes
    },
    async sweep(isUsed) {
      let count = 0
      for (const folder of await namesIn(root)) {
        for (const name of await namesIn(join(root, folder))) {
          if (isUsed(name)) continue
          await rm(join(root, folder, name), { force: true })
          count++
        }
      }
      return count
    },
  }
}

async function writeAndClose(file: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await file.writeFile(bytes)
    await file.datasync()
  } finally {
    await file.close()
  }
}

async function isWhole(path: string, name: string): Promise<boolean> {
  return formatHex(sha256(await readFile(path))) === name
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch {
    return undefined
  }
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
