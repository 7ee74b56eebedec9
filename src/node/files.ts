/** The file system interface of the node, which a program can replace. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { queryError } from '../primitives/errors.ts'
import { requireFileOrPipe } from './input-file.ts'

export interface Files {
  /** Reads a text file. Returns undefined if the path does not exist or is a folder. Throws `invalidArgument` for a device. */
  read(path: string): string | undefined
  /**
   * Writes a file atomically, by a rename. `secret`: only the owner can read it. `durable`: the file survives a power cut. Throws
   * `invalidArgument` for a folder.
   */
  write(path: string, text: string, options?: { readonly secret?: boolean; readonly durable?: boolean }): void
  /** Creates a file atomically. Returns false if it exists; of concurrent attempts one succeeds. */
  create(path: string, text: string): boolean
  exists(path: string): boolean
  /** Whether no other user can read a file; true for one that does not exist, and where files have no such modes. */
  isPrivate(path: string): boolean
  /** Returns the names in a folder; none if it does not exist. */
  list(path: string): string[]
  /** Deletes a file, or a folder with its content. Does nothing if the path does not exist. */
  remove(path: string): void
}

/** Flushes a file, or a folder: the name of a new file is durable only then. */
export function flushFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Creates a file on a disk without hard links. A process that is killed between two system calls leaves it empty. */
function createInPlace(path: string, text: string): boolean {
  try {
    put(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Writes a text. An error names the file; that of a full disk does not by itself. */
function put(path: string, text: string, options: { readonly mode?: number; readonly flag?: string } = {}): void {
  try {
    writeFileSync(path, text, { ...options, flush: true })
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    if (failure.path === undefined) failure.message += ` '${path}'`
    throw failure
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

export const diskFiles: Files = {
  read(path) {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || found.isDirectory()) return undefined
    requireFileOrPipe(found, path)
    return readFileSync(path, 'utf8')
  },
  write(path, text, options) {
    mkdirSync(dirname(path), { recursive: true })
    const temporary = `${path}.${process.pid}.new`
    try {
      put(temporary, text, { mode: options?.secret ? 0o600 : 0o644 })
      renameSync(temporary, path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw isFolder(path) ? queryError('invalidArgument', `${path}: must be a file, and is a folder`) : error
    }
    if (options?.durable) flushFile(dirname(path))
  },
  create(path, text) {
    mkdirSync(dirname(path), { recursive: true })
    const temporary = `${path}.${process.pid}.new`
    try {
      put(temporary, text)
      linkSync(temporary, path)
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return false
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
      return createInPlace(path, text)
    } finally {
      rmSync(temporary, { force: true })
    }
  },
  exists: existsSync,
  isPrivate: (path) =>
    process.platform === 'win32' || ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o044) === 0,
  list: (path) => (existsSync(path) ? readdirSync(path) : []),
  remove: (path) => rmSync(path, { recursive: true, force: true }),
}

/** Returns the free bytes for this user on the disk of a folder; undefined if the system does not report them. */
export function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}
