/** A backend on disk, in LMDB. The tables are declared by its caller. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { type Database, open, type RootDatabase } from 'lmdb'
import { queryError } from '../primitives/errors.ts'
import {
  type Backend,
  type BackendRead,
  checkKey,
  isTooLong,
  MAX_ROW_KEY,
  type TableDeclaration,
} from '../store/backend/backend.ts'
import type { Entry, Range, TableWrite } from '../store/types.ts'
import { createReopenPolicy, type ReopenFacts } from './reopen-policy.ts'
import { inTurn } from './turns.ts'

export interface LmdbOptions extends ReopenFacts {
  /** A table that is not declared is in the shared database. */
  readonly tables?: readonly TableDeclaration[] | undefined
  /** For readers in other threads and processes. The database must exist. */
  readonly readOnly?: boolean | undefined
  /**
   * Turns of the threads of a process that only reads: LMDB cannot open the same file for reading in two threads at the same
   * time. Absent in a process that writes, where LMDB's own lock orders them.
   */
  readonly turns?: SharedArrayBuffer | undefined
  /** Commits without waiting for the disk, for chains that are deleted when their process ends. */
  readonly noSync?: boolean | undefined
  /** Called after a database of an older format was converted to the format of this build. */
  readonly onNewFormat?: ((before: string, now: string) => void) | undefined
}

/**
 * Address space reserved for the file, of which only the length of the file is backed. LMDB maps a file again when it outgrows
 * its map, and keeps the old maps with their pages until the process ends: on a chain of 60,000 blocks they used more memory
 * than the file.
 */
const MAP_BYTES = 2 ** 36
const FORMAT = 'almanac store 3'
/** The previous format. It only lacks the write-ahead journal, so marking a database converts it. */
const FORMAT_BEFORE = 'almanac store 2'
/** One row of the shared database: the format. */
const FORMAT_TABLE = 'format'
/** The database of all tables without their own. Its keys begin with the table's name and a zero byte. */
const SHARED = 'tables'

type Db = Database<Buffer, Buffer>

const BLOCK_BYTES = 16_384
const SHORT_BYTES = 256
/** A reader closes the file after this time without reads. The system frees mapped pages once no thread has the file open. */
const IDLE_MS = 1_000

/** A method that LMDB's type declarations omit. */
interface FastReads {
  getBinaryFast(key: Buffer, options: object): Buffer | undefined
}

/** A table's database, and the prefix of its keys there. */
interface TableSlot {
  readonly db: Db
  readonly prefix: Buffer
  /** Whether rows after the last key are appended, which fills pages completely. */
  readonly appends: boolean
  /** The last key of a table that appends, once it has been read. */
  last: Buffer | undefined
}

/** The file while it is open. */
interface Opened {
  readonly root: RootDatabase<Buffer, Buffer>
  slotOf(table: string): TableSlot
  /** Bytes of the pages of all tables. */
  usedBytes(): number
  /** Drops the cached last keys, which a failed transaction invalidates. */
  forgetLast(): void
}

interface TableStats {
  readonly pageSize: number
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

function pageBytesOf(db: Db): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = db.getStats() as TableStats
  return (treeBranchPageCount + treeLeafPageCount + overflowPages) * pageSize
}

function openFile(path: string, options: LmdbOptions): Opened {
  const { turns } = options
  return turns ? inTurn(turns, () => openNow(path, options)) : openNow(path, options)
}

function openNow(path: string, { tables = [], readOnly = false, turns, noSync = false }: LmdbOptions): Opened {
  const root: RootDatabase<Buffer, Buffer> = open({
    path,
    encoding: 'binary',
    keyEncoding: 'binary',
    // A commit returns once it is on disk, so LMDB must not flush it later.
    overlappingSync: false,
    noSync,
    // The threads of a process share one open file in the mode of the first opener, so a thread opens it as its process does.
    readOnly: readOnly && (isMainThread || turns !== undefined),
    mapSize: MAP_BYTES,
  })
  const slots = new Map<string, TableSlot>()
  function openDb(name: string): Db {
    const db: Db | undefined = root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
    if (db) return db
    // LMDB makes a missing table only for a writer.
    void root.close()
    throw new Error(`the database in ${path} has no table ${name}: it is damaged, or no database of this program`)
  }
  // All databases are opened now: opening one later would disturb open views.
  for (const { name, placement } of tables) {
    if (placement === 'shared') continue
    const slot = { db: openDb(name), prefix: Buffer.alloc(0), appends: placement === 'append', last: undefined }
    slots.set(name, slot)
  }
  const shared = openDb(SHARED)
  return {
    root,
    usedBytes() {
      const all = new Set([shared, ...[...slots.values()].map(({ db }) => db)])
      return [...all].reduce((sum, db) => sum + pageBytesOf(db), 0)
    },
    slotOf(table) {
      let slot = slots.get(table)
      if (!slot) {
        slot = { db: shared, prefix: Buffer.from(`${table}\0`), appends: false, last: undefined }
        slots.set(table, slot)
      }
      return slot
    },
    forgetLast() {
      for (const slot of slots.values()) slot.last = undefined
    },
  }
}

/**
 * Checks the format of a file. A writer marks a new file, and converts one of the previous format. Throws `failedPrecondition` for
 * any other format, and for a reader also in these two cases.
 */
function checkFormat(path: string, { root, slotOf }: Opened, { readOnly, onNewFormat }: LmdbOptions): void {
  const { db, prefix } = slotOf(FORMAT_TABLE)
  const found = db.getBinary(prefix)?.toString()
  if (found === FORMAT) return
  if (!readOnly && (found === undefined || found === FORMAT_BEFORE)) {
    db.putSync(prefix, Buffer.from(FORMAT))
    if (found !== undefined) onNewFormat?.(found, FORMAT)
    return
  }
  void root.close()
  const way = found === FORMAT_BEFORE ? ': start a node on it once to convert it' : ''
  throw queryError(
    'failedPrecondition',
    `the database in ${path} has format "${found ?? 'none'}", this build reads "${FORMAT}"${way}`,
  )
}

/** Returns the identity of the database file in a folder, by device and inode; undefined if there is no file. */
function fileIn(path: string): string | undefined {
  const found = statSync(join(path, 'data.mdb'), { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino}`
}

/**
 * Opens the database in a folder; a writer creates it if necessary. Throws `failedPrecondition` if the folder contains a database
 * of another format, and an `Error` if a reader finds none.
 */
export function openLmdb(path: string, options: LmdbOptions = {}): Backend {
  const { readOnly = false } = options
  // LMDB would create the file even in a thread that only reads.
  if (readOnly && !fileIn(path)) throw new Error(`there is no database in ${path}`)
  const policy = createReopenPolicy(options)
  policy.onOpen()
  let current: Opened | undefined = openFile(path, options)
  checkFormat(path, current, options)
  const own = fileIn(path)
  let isClosed = false
  let views = 0
  let isUsed = false
  const copy = createCopier()
  const idle = readOnly ? setInterval(closeIdle, IDLE_MS) : undefined
  idle?.unref()

  function file(): Opened {
    isUsed = true
    if (isClosed) throw new Error(`the database in ${path} is closed`)
    if (!current) {
      requireOwn()
      policy.onOpen()
      current = openFile(path, options)
    }
    return current
  }

  /** Throws if the file is no longer in its folder: writes to it would be lost, and reopening would create an empty one. */
  function requireOwn(): void {
    const found = fileIn(path)
    if (found === own) return
    throw new Error(`the database in ${path} was ${found ? 'replaced' : 'removed'} while it was in use`)
  }

  function closeFile(): void {
    void current?.root.close()
    current = undefined
  }

  function closeIdle(): void {
    if (!isUsed && views === 0) closeFile()
    isUsed = false
  }

  /** Closes the file if it is due to be reopened. The next access opens it. */
  function closeIfDue(): void {
    // A file that was removed stays readable while it is open.
    if (views === 0 && policy.isDue() && fileIn(path) === own) closeFile()
  }

  /** Returns LMDB's own memory, which its next read overwrites. */
  function find(table: string, key: Uint8Array, options: object): Buffer | undefined {
    if (isTooLong(table, key)) return undefined
    const slot = file().slotOf(table)
    return (slot.db as unknown as FastReads).getBinaryFast(keyIn(slot, key), options)
  }
  function get(table: string, key: Uint8Array, options: object): Uint8Array | undefined {
    const found = find(table, key, options)
    return found && copy(found)
  }
  function peek<T>(table: string, key: Uint8Array, use: (bytes: Uint8Array) => T, options: object): T | undefined {
    const found = find(table, key, options)
    return found && use(new Uint8Array(found.buffer, found.byteOffset, found.length))
  }
  const iterate = (table: string, range: Range | undefined, options: object) =>
    entries(() => file().slotOf(table), range, options, copy)

  /** Makes the next read return the latest commit. Without it a reader would return an older one for a millisecond or more. */
  function latest(): object {
    if (readOnly) file().root.resetReadTxn()
    return {}
  }

  function read(): BackendRead {
    const { root } = file()
    // Without it, a view would be as old as the first read in the same turn of the event loop.
    root.resetReadTxn()
    const transaction = root.useReadTransaction()
    const options = { transaction }
    let isOpen = true
    views++
    return {
      get: (table, key) => get(table, key, options),
      iterate: (table, range) => iterate(table, range, options),
      peek: (table, key, use) => peek(table, key, use, options),
      close() {
        if (!isOpen) return
        isOpen = false
        views--
        transaction.done()
        closeIfDue()
      },
    }
  }

  function write({ slotOf }: Opened, row: TableWrite): void {
    checkKey(row)
    const { table, key, value } = row
    const slot = slotOf(table)
    const at = keyIn(slot, key)
    policy.countRow()
    if (value === undefined) {
      slot.db.removeSync(at)
      slot.last = undefined
    } else if (slot.appends && Buffer.compare(at, lastKeyOf(slot)) > 0) {
      slot.db.putSync(at, asBuffer(value), { append: true })
      slot.last = at
    } else slot.db.putSync(at, asBuffer(value))
  }

  return {
    isolates: true,
    readOnly,
    get: (table, key) => get(table, key, latest()),
    iterate: (table, range) => iterate(table, range, latest()),
    peek: (table, key, use) => peek(table, key, use, latest()),
    read,
    write(rows) {
      if (readOnly) throw new Error(`the database in ${path} is open for reading only`)
      const opened = file()
      requireOwn()
      try {
        // LMDB keeps a read open until the event loop's turn ends, and with it every page that this write replaces.
        opened.root.resetReadTxn()
        opened.root.transactionSync(() => {
          for (const row of rows) write(opened, row)
        })
      } catch (error) {
        opened.forgetLast()
        throw error
      }
      closeIfDue()
    },
    flush() {},
    sizeBytes() {
      const { lastPageNumber, pageSize } = file().root.getStats() as { lastPageNumber: number; pageSize: number }
      return (lastPageNumber + 1) * pageSize
    },
    usedBytes: () => file().usedBytes(),
    async close() {
      isClosed = true
      clearInterval(idle)
      await current?.root.close()
      current = undefined
    },
  }
}

/** Casts bytes for LMDB's type declarations. It accepts any bytes, and making a `Buffer` costs more than a read. */
function asBuffer(bytes: Uint8Array): Buffer {
  return bytes as Buffer
}

type Copy = (found: Buffer) => Uint8Array

/**
 * Returns a function that copies values out of LMDB's memory. Short values share larger buffers: allocating one for each
 * would cost more than reading it. The `length` of the result is that of the value, not of its buffer.
 */
function createCopier(): Copy {
  let block = new Uint8Array(BLOCK_BYTES)
  let used = 0
  return (found) => {
    const { length } = found
    if (length > SHORT_BYTES) return new Uint8Array(found.buffer, found.byteOffset, length).slice()
    if (used + length > BLOCK_BYTES) {
      block = new Uint8Array(BLOCK_BYTES)
      used = 0
    }
    const out = block.subarray(used, used + length)
    for (let i = 0; i < length; i++) out[i] = found[i]!
    used += length
    return out
  }
}

function keyIn(slot: TableSlot, key: Uint8Array): Buffer {
  return slot.prefix.length === 0 ? asBuffer(key) : Buffer.concat([slot.prefix, key])
}

/** Returns a bound that LMDB accepts. A bound longer than any key is cut: the same keys sort before and after it. */
function boundIn(slot: TableSlot, bound: Uint8Array): Buffer {
  const key = keyIn(slot, bound)
  if (key.length <= MAX_ROW_KEY) return key
  return Buffer.concat([key.subarray(0, MAX_ROW_KEY), Buffer.alloc(1)])
}

/** Returns the last key of a table with its own database; empty if it has no rows. */
function lastKeyOf(slot: TableSlot): Buffer {
  if (!slot.last) {
    slot.last = Buffer.alloc(0)
    for (const key of slot.db.getKeys({ reverse: true, limit: 1 })) slot.last = Buffer.from(key)
  }
  return slot.last
}

/**
 * Rows per batch: the first, the second, all others. A cursor is open only while a batch is read. A cursor left open between
 * two rows, perhaps permanently, by an abandoned iteration, would keep every page that later commits replace.
 */
const BATCHES = [1, 16, 256]

const FIRST_KEY = Buffer.alloc(1)

function* entries(
  currentSlot: () => TableSlot,
  { start, end, reverse }: Range = {},
  options: object,
  copy: Copy,
): IterableIterator<Entry> {
  const slot = currentSlot()
  const skip = slot.prefix.length
  const from = start && start.length > 0 ? boundIn(slot, start) : skip > 0 ? slot.prefix : undefined
  const to = end ? boundIn(slot, end) : skip > 0 ? endOf(slot.prefix) : undefined
  if (from && to && Buffer.compare(from, to) >= 0) return
  if (end && end.length === 0) return
  // An open bound must be absent from LMDB's options. In reverse, LMDB starts at the end bound, which the range excludes.
  // Without an end, a reverse range would omit the key 0x00.
  let low: object | undefined = reverse ? { end: from ?? FIRST_KEY, inclusiveEnd: true } : from && { start: from }
  let high: object | undefined = to && (reverse ? { start: to, exclusiveStart: true } : { end: to })
  for (let batch = 0; ; batch++) {
    const limit = BATCHES[Math.min(batch, BATCHES.length - 1)]!
    const rows: Entry[] = []
    let last: Buffer | undefined
    for (const { key, value } of currentSlot().db.getRange({
      ...options,
      ...low,
      ...high,
      reverse: reverse ?? false,
      limit,
    })) {
      rows.push([new Uint8Array(key.buffer, key.byteOffset + skip, key.length - skip), copy(value)])
      last = key
    }
    const next = last && rows.length === limit ? { start: Buffer.from(last), exclusiveStart: true } : undefined
    yield* rows
    if (!next) return
    if (reverse) high = next
    else low = next
  }
}

/** Returns the first key after all keys of a table in the shared database. The prefix ends in 0x00. */
function endOf(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix)
  end[end.length - 1] = 1
  return end
}
