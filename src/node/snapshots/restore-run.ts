/**
 * The restore of a state into the data of a home. It fills a folder beside the data, which takes its place in one step, so
 * that a crash leaves nothing half-restored.
 */
import { createHash, type Hash } from 'node:crypto'
import { closeSync, existsSync, fdatasync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInflate, type Inflate } from 'node:zlib'
import type { StoreList } from '../../app/stores.ts'
import type { Application } from '../../app/types.ts'
import type { RestoreRun } from '../../consensus/cometbft/receive-state.ts'
import { restoredRows } from '../../consensus/restored.ts'
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { readTip } from '../../store/history/heights.ts'
import { createItemReader } from '../../store/sync/items.ts'
import { createRestore, type Restore } from '../../store/sync/restore.ts'
import { openBackend, openStore } from '../backend.ts'
import { openNewDisk } from '../disk.ts'
import { flushFile } from '../files.ts'
import { beyondRoom, type Room, roomOn, STATE_PERCENT } from './room.ts'

/** Bytes of items that are written in one transaction. */
const PIECE_BYTES = 1 << 22
const DATABASE = 'data.mdb'
const LOCK = 'lock.mdb'

/** Returns the folder that a restore into a data folder fills. LMDB takes a name with a dot for a file. */
export const restoreFolder = (data: string): string => `${data}-restore`

/** Deletes what a restore that did not end has left. */
export function clearRestore(data: string): void {
  rmSync(restoreFolder(data), { recursive: true, force: true })
}

export interface RestoreTarget {
  /** The data folder of the home, which must have no database. */
  readonly data: string
  readonly stores: StoreList
  readonly app: Pick<Application, 'readContext'>
  readonly chainId: string
  readonly height: bigint
  /** Hash of all chunks, if it is known. */
  readonly hash?: Uint8Array | undefined
  /** Space for the database: a small snapshot can inflate to any size. By default a part of what is free on the disk. */
  readonly room?: Room | undefined
}

export interface HomeRestore extends Omit<RestoreRun, 'finish'> {
  /** Takes the state into use if it has the app hash; undefined accepts any. Resolves with the app hash. */
  finish(expected: Uint8Array | undefined): Promise<Uint8Array>
}

/** Whether a data folder has a block. */
export async function hasBlocks(data: string): Promise<boolean> {
  if (!existsSync(join(data, DATABASE))) return false
  const backend = await openBackend({ path: data, readOnly: true })
  try {
    return readTip(backend).height > 0
  } finally {
    await backend.close()
  }
}

/** Begins a restore into a data folder without blocks, which nothing else may use meanwhile. */
export function startRestore(target: RestoreTarget): HomeRestore {
  const { data, stores, height } = target
  clearRestore(data)
  const folder = restoreFolder(data)
  mkdirSync(folder, { recursive: true })
  const backend = openNewDisk(folder)
  const restore = createRestore(backend, { height: Number(height), ...stores })
  const inflate = createInflate({ chunkSize: PIECE_BYTES })
  const hash = createHash('sha256')
  const flusher = createFlusher(join(folder, DATABASE))
  const room = target.room ?? roomOn(folder, STATE_PERCENT)
  const requireRoom = (): void => {
    if (statSync(join(folder, DATABASE)).size <= room.bytes) return
    throw beyondRoom(room, `the state of the snapshot of height ${height} does not fit`)
  }
  const consumed = consume(inflate, restore, requireRoom)
  consumed.catch(() => undefined)
  let isClosed = false

  async function close(): Promise<void> {
    if (isClosed) return
    isClosed = true
    inflate.destroy()
    await consumed.catch(() => undefined)
    await flusher.close()
    await backend.close()
  }

  return {
    async write(chunk) {
      hash.update(chunk)
      await Promise.race([written(inflate, chunk), consumed])
      flusher.flush()
    },
    async finish(expected) {
      requireHash(target, hash)
      inflate.end()
      await consumed
      const { appHash } = restore.finish(expected)
      await close()
      await addBlock(folder, target)
      takePlace(folder, data)
      return appHash
    },
    async abandon() {
      await close()
      clearRestore(data)
    },
  }
}

/** Passes the items of a stream to the restore. Rejects with `dataLoss` for a stream that is no snapshot, and as `requireRoom`. */
async function consume(inflate: Inflate, restore: Restore, requireRoom: () => void): Promise<void> {
  const reader = createItemReader()
  try {
    for await (const piece of inflate) {
      restore.add(reader.push(piece as Uint8Array))
      requireRoom()
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code?.toString().startsWith('Z_')) throw queryError('dataLoss', `the snapshot is damaged: ${message}`)
    throw error
  }
  reader.end()
}

/** Resolves when a chunk has been inflated; what fails then shows in the stream. */
function written(inflate: Inflate, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    inflate.write(chunk, (error) => {
      if (!error) resolve()
    })
  })
}

function requireHash({ hash: expected }: RestoreTarget, hash: Hash): void {
  if (!expected || equal(hash.digest(), expected)) return
  throw queryError('dataLoss', 'the snapshot is damaged: its chunks do not have its hash')
}

/** Flushes a file while it is written, so that little is left for the end. */
function createFlusher(path: string): { flush(): void; close(): Promise<void> } {
  const file = openSync(path, 'r')
  let running: Promise<void> | undefined
  return {
    flush() {
      // A failure shows when the file is flushed at the end.
      running ??= new Promise((resolve) =>
        fdatasync(file, () => {
          running = undefined
          resolve()
        }),
      )
    },
    async close() {
      await running
      closeSync(file)
    },
  }
}

/** Adds what the state says about its block, and checks that the database opens. */
async function addBlock(folder: string, { stores, app, chainId }: RestoreTarget): Promise<void> {
  const { store, backend } = await openStore({ path: folder }, stores)
  try {
    backend.write(restoredRows(app, store, chainId))
  } finally {
    await store.close()
  }
}

/** Moves the restored database to its place, where other files stay. */
function takePlace(folder: string, data: string): void {
  const database = join(folder, DATABASE)
  flushFile(database)
  mkdirSync(data, { recursive: true })
  rmSync(join(data, LOCK), { force: true })
  renameSync(database, join(data, DATABASE))
  flushFile(data)
  rmSync(folder, { recursive: true, force: true })
}
