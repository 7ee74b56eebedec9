/** The file system as the node uses it, so that a program may bring its own. */
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

export interface Files {
  /** Undefined if there is no such file. */
  read(path: string): string | undefined
  /** Whole or not at all: written beside and renamed. `secret` keeps it from other users; `durable`: it outlives a power cut. */
  write(path: string, text: string, options?: { readonly secret?: boolean; readonly durable?: boolean }): void
  /** Makes a file, whole or not at all. False if there is one: of several that try at once one succeeds. */
  create(path: string, text: string): boolean
  exists(path: string): boolean
  /** Names in a folder; empty if there is none. */
  list(path: string): string[]
  /** A file, or a folder with all that is in it; nothing if it is not there. */
  remove(path: string): void
}

/** A name is on disk when its folder is. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** For disks without a second name for a file: only a process that is killed between two calls leaves it empty. */
function createInPlace(path: string, text: string): boolean {
  try {
    put(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Writes a text. An error names the file, which those of the operating system do not when it is the disk that is full. */
function put(path: string, text: string, options: { readonly mode?: number; readonly flag?: string } = {}): void {
  try {
    writeFileSync(path, text, { ...options, flush: true })
  } catch (error) {
    const failure = error as NodeJS.ErrnoException
    if (failure.path === undefined) failure.message += ` '${path}'`
    throw failure
  }
}

export const diskFiles: Files = {
  read: (path) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === false ? readFileSync(path, 'utf8') : undefined,
  write(path, text, options) {
    mkdirSync(dirname(path), { recursive: true })
    const beside = `${path}.${process.pid}.new`
    try {
      put(beside, text, { mode: options?.secret ? 0o600 : 0o644 })
      renameSync(beside, path)
    } catch (error) {
      rmSync(beside, { force: true })
      throw error
    }
    if (options?.durable) syncFolder(dirname(path))
  },
  create(path, text) {
    mkdirSync(dirname(path), { recursive: true })
    const beside = `${path}.${process.pid}.new`
    try {
      put(beside, text)
      linkSync(beside, path)
      return true
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') return false
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
      return createInPlace(path, text)
    } finally {
      rmSync(beside, { force: true })
    }
  },
  exists: existsSync,
  list: (path) => (existsSync(path) ? readdirSync(path) : []),
  remove: (path) => rmSync(path, { recursive: true, force: true }),
}

/** What the disk of a folder has left for this user, bytes; undefined where nobody knows. */
export function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return undefined
  }
}
