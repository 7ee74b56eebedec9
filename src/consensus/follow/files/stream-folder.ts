/** The folder into which a node streams its changes, one file a block: `[PREFIX-]block-HEIGHT-data`. */
import {
  closeSync,
  constants,
  existsSync,
  type FSWatcher,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  watch,
} from 'node:fs'
import { join } from 'node:path'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import type { ChangeSource, Gap, StreamedBlock } from '../source.ts'
import { cutOff, type FileContent, LENGTH_BYTES, mergedRuns, parseStreamFile, wrongFile } from './stream-file.ts'

export interface StreamFolderOptions {
  readonly path: string
  /** Whether files of durable heights are deleted, all but the newest `FILES_KEPT`. */
  readonly deletes: boolean
}

/** Files that stay although their heights are durable: a node that replays writes them again. */
const FILES_KEPT = 100n
/** Time between two looks at the folder without an event: some file systems send none. Unit: milliseconds. */
const POLL_MS = 250
/** Looks for one height after which the names of all files are read: a folder can have a million. */
const LOOKS_FOR_ALL = 40
/** Size of the largest file that is read: buffers of Node.js end there. Unit: bytes. */
const MOST_BYTES = 2 ** 31 - 1
/** Later files that are looked for at each block. */
const LOOKS_AHEAD = 100

const NAME = /^(?:(.+)-)?block-(\d{1,18})-(data|meta)$/

/** Opens the folder. Throws `notFound` if it does not exist, `permissionDenied` if it cannot be read. */
export function openStreamFolder({ path, deletes }: StreamFolderOptions): ChangeSource {
  requireFolder(path)
  /** Names of the files before the height; the prefix is the node's setting. */
  let prefix = prefixIn(path)
  let seen: bigint | undefined
  let released: bigint | undefined
  const waiting = new Set<() => void>()
  const watcher = watchFolder(path, () => {
    for (const wake of [...waiting]) wake()
  })

  const pathOf = (height: bigint, kind: 'data' | 'meta'): string => join(path, `${prefix ?? ''}block-${height}-${kind}`)

  /** Reads a height. Returns undefined if its file does not exist. */
  function read(height: bigint) {
    prefix ??= prefixIn(path)
    const file = pathOf(height, 'data')
    try {
      return { file, ...contentOf(file) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      if (error instanceof ChainError) throw error
      throw queryError('permissionDenied', `${file} cannot be read: ${(error as Error).message}. ${OWNER_HINT}`)
    }
  }

  /** Returns the gap that a height is in, if a later file tells that its own will not come. */
  function gapAt(height: bigint, now: ReturnType<typeof read>, looksAtAll: boolean): Gap | undefined {
    if (now?.kind === 'wrong') return undefined
    const candidates = looksAtAll ? heightsIn(path, prefix) : [height + 1n]
    const later = candidates.find((one) => one > height && read(one)?.kind === 'complete')
    if (later === undefined) return undefined
    // The node may have written both since the first look.
    if (read(height)?.kind === 'complete') return undefined
    const reason =
      now?.kind === 'partial' ? `${now.file} is cut off: ${now.reason}` : `${pathOf(height, 'data')} is missing`
    return { until: later, reason }
  }

  /** Moves `seen` on over the files that are there, some for each block. */
  function lookAhead(height: bigint): void {
    if (seen === undefined || height > seen) seen = height
    for (let i = 0; i < LOOKS_AHEAD && existsSync(pathOf(seen + 1n, 'data')); i++) seen++
  }

  async function next(height: bigint, signal: AbortSignal): Promise<StreamedBlock | Gap> {
    for (let looks = 0; ; looks++) {
      signal.throwIfAborted()
      const found = read(height)
      if (found?.kind === 'wrong') throw wrongFile(found.file, found.reason)
      if (found?.kind === 'complete') {
        lookAhead(height)
        return { height, changes: mergedRuns(found.changes) }
      }
      const gap = gapAt(height, found, looks % LOOKS_FOR_ALL === 0)
      if (gap) return gap
      await change(waiting, signal)
    }
  }

  function release(height: bigint): void {
    if (!deletes) return
    const last = height - FILES_KEPT
    if (released === undefined) {
      for (const one of heightsIn(path, prefix)) if (one <= last) remove(one)
    } else for (let one = released + 1n; one <= last; one++) remove(one)
    released = last
  }

  function forget(height: bigint): void {
    if (seen !== undefined && seen >= height) seen = undefined
  }

  function remove(height: bigint): void {
    for (const kind of ['data', 'meta'] as const) rmSync(pathOf(height, kind), { force: true })
  }

  return { next, release, forget, latest: () => seen, close: () => watcher?.close() }
}

/** Reads a file, whole unless its length says that it is cut off. Throws `dataLoss` for what is no file: a pipe under its name would hold the process. */
function contentOf(path: string): FileContent {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw wrongFile(path, 'it is no regular file')
    // A first block with genesis is written in many pieces, and each wakes the replica.
    const start = new Uint8Array(LENGTH_BYTES)
    readSync(file, start, 0, LENGTH_BYTES, 0)
    const missing = stat.size < LENGTH_BYTES ? undefined : cutOff(start, stat.size)
    if (missing) return missing
    if (stat.size > MOST_BYTES) throw wrongFile(path, `it has ${stat.size} bytes, and at most ${MOST_BYTES} are read`)
    return parseStreamFile(new Uint8Array(readFileSync(file)))
  } finally {
    closeSync(file)
  }
}

const OWNER_HINT = 'The node writes its files for its own user only: run the follower as that user, or grant it access.'

function requireFolder(path: string): void {
  if (!existsSync(path)) {
    throw queryError(
      'notFound',
      `there is no folder ${path}: set write_dir in section [streamers.file] of the app.toml of the node to it, and restart the node`,
    )
  }
  if (!statSync(path).isDirectory()) throw queryError('invalidArgument', `${path} is no folder`)
  namesIn(path)
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    throw queryError(
      'permissionDenied',
      `the folder ${path} cannot be read: ${(error as Error).message}. ${OWNER_HINT}`,
    )
  }
}

/** Returns what precedes `block` in the names; undefined without a file. Throws `failedPrecondition` for files of two nodes. */
function prefixIn(path: string): string | undefined {
  const found = new Set<string>()
  for (const name of namesIn(path)) {
    const [, prefix, , kind] = NAME.exec(name) ?? []
    if (kind === 'data') found.add(prefix === undefined ? '' : `${prefix}-`)
  }
  if (found.size > 1) {
    const names = [...found].map((one) => `${one}block-*`).join(' and ')
    throw queryError(
      'failedPrecondition',
      `${path} has files of more than one stream (${names}): move one of them away`,
    )
  }
  return [...found][0]
}

/** Returns the heights with a data file, ascending. */
function heightsIn(path: string, prefix: string | undefined): bigint[] {
  const heights: bigint[] = []
  for (const name of namesIn(path)) {
    const [, before, height, kind] = NAME.exec(name) ?? []
    if (kind === 'data' && (before === undefined ? '' : `${before}-`) === (prefix ?? '')) heights.push(BigInt(height!))
  }
  return heights.sort((a, b) => (a < b ? -1 : 1))
}

/** Watches the folder. Without events the looks of `POLL_MS` find the files. */
function watchFolder(path: string, wake: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, wake)
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

/** Resolves at the next event of the folder, or after a while. Rejects if the signal aborts. */
function change(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      waiting.delete(wake)
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    const wake = (): void => {
      end()
      resolve()
    }
    const abort = (): void => {
      end()
      reject(signal.reason as Error)
    }
    const timer = setTimeout(wake, POLL_MS)
    waiting.add(wake)
    signal.addEventListener('abort', abort, { once: true })
  })
}
