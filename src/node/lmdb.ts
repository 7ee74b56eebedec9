/** The tables of a node on disk, in LMDB. */
import { randomFillSync } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { type Database, open, type RootDatabase } from 'lmdb'
import { type Backend, type BackendRead, checkKey, isTooLong, MAX_ROW_KEY } from '../store/backend/backend.ts'
import { HEAD } from '../store/history/snapshot.ts'
import { JOURNAL, writeBehind } from '../store/journal/write-behind.ts'
import type { Entry, Range, TableWrite } from '../store/types.ts'
import { createOpenings, type OpeningFacts } from './openings.ts'

export interface LmdbOptions extends OpeningFacts {
  /** For readers in other threads and processes. The database must exist. */
  readonly readOnly?: boolean
  /** Commits without waiting for the disk: for chains that leave nothing behind. */
  readonly noSync?: boolean
  /** Hears that a database of an older format has become one of this build. */
  readonly onNewFormat?: (before: string, now: string) => void
}

/**
 * Address space for the file, of which it takes what it fills. A file that outgrows its map is mapped anew, and the old
 * maps with their pages stay until the process ends: on a chain of 60,000 blocks they held more than the file.
 */
const MAP_BYTES = 2 ** 36
const FORMAT = 'almanac store 3'
/** Has no journal, and is else the same. */
const FORMAT_BEFORE = 'almanac store 2'
const FORMAT_TABLE = 'format'
/**
 * Tables with a database of their own, because they are large: the first group is written anywhere, the second grows at
 * its end. All others share one, behind their names. The set is fixed, since opening a database disturbs open views.
 */
const SCATTERED = [HEAD] as const
const GROWING = ['log', 'node', 'block', 'results', 'receipts', JOURNAL] as const
const SHARED = 'tables'

type Db = Database<Buffer, Buffer>

const BLOCK_BYTES = 16_384
const SHORT_BYTES = 256
/** A reader closes the file when it has not been asked for so long: only what no thread has open is given back. */
const IDLE_MS = 1_000

/** What LMDB's declarations leave out. */
interface Fast {
  getBinaryFast(key: Buffer, options: object): Buffer | undefined
}

/** A table's database, and what stands before its keys there. */
interface Place {
  readonly db: Db
  readonly prefix: Buffer
  /** The greatest key, once known, of a database that grows at its end. */
  last: Buffer | undefined
  readonly grows: boolean
}

/** The file while it is open. */
interface Opened {
  readonly root: RootDatabase<Buffer, Buffer>
  placeOf(table: string): Place
  forgetLast(): void
}

function openFile(path: string, { readOnly = false, noSync = false }: LmdbOptions): Opened {
  const root: RootDatabase<Buffer, Buffer> = open({
    path,
    encoding: 'binary',
    keyEncoding: 'binary',
    // A commit returns when the disk has it, so nothing may be flushed later.
    overlappingSync: false,
    noSync,
    // The threads of a process share one file, open in the way of the first: a thread opens it as its process does.
    readOnly: readOnly && isMainThread,
    mapSize: MAP_BYTES,
  })
  const places = new Map<string, Place>()
  const openDb = (name: string): Db => root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  const own = { prefix: Buffer.alloc(0), last: undefined }
  for (const name of SCATTERED) places.set(name, { ...own, db: openDb(name), grows: false })
  for (const name of GROWING) places.set(name, { ...own, db: openDb(name), grows: true })
  const shared = openDb(SHARED)
  return {
    root,
    placeOf(table) {
      let place = places.get(table)
      if (!place) {
        place = { db: shared, prefix: Buffer.from(`${table}\0`), last: undefined, grows: false }
        places.set(table, place)
      }
      return place
    },
    forgetLast() {
      for (const place of places.values()) place.last = undefined
    },
  }
}

/**
 * Looks at the format of a file, and marks a new one, and one of the format before. Throws an `Error` for another format,
 * for none to a reader.
 */
function checkFormat(path: string, { root, placeOf }: Opened, { readOnly, onNewFormat }: LmdbOptions): void {
  const { db, prefix } = placeOf(FORMAT_TABLE)
  const found = db.getBinary(prefix)?.toString()
  if (found === FORMAT) return
  if (!readOnly && (found === undefined || found === FORMAT_BEFORE)) {
    db.putSync(prefix, Buffer.from(FORMAT))
    if (found !== undefined) onNewFormat?.(found, FORMAT)
    return
  }
  void root.close()
  const way = found === FORMAT_BEFORE ? '; a node that starts in it makes it one of that' : ''
  throw new Error(`the database in ${path} has format "${found ?? 'none'}", this build reads "${FORMAT}"${way}`)
}

/** Which file is the database in a directory, however it is named; undefined if there is none. */
function fileIn(path: string): string | undefined {
  const found = statSync(join(path, 'data.mdb'), { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino}`
}

/**
 * Opens the database in a directory, creating it if need be. Throws an `Error` if the directory holds a database of
 * another format, or none for a reader.
 */
export function openLmdb(path: string, options: LmdbOptions = {}): Backend {
  const tables = openTables(path, options)
  try {
    const [low, high] = randomFillSync(new Int32Array(2))
    return writeBehind(tables, HEAD, { secret: [low!, high!] })
  } catch (error) {
    void tables.close()
    throw error
  }
}

/** As `openLmdb`, with each row where it is written. */
function openTables(path: string, options: LmdbOptions): Backend {
  const { readOnly = false } = options
  // LMDB would make one, also for the thread that only reads.
  if (readOnly && !fileIn(path)) throw new Error(`there is no database in ${path}`)
  const openings = createOpenings(options)
  openings.begin()
  let current: Opened | undefined = openFile(path, options)
  checkFormat(path, current, options)
  const own = fileIn(path)
  let isClosed = false
  let views = 0
  let isAsked = false
  const copy = createCopier()
  const idle = readOnly ? setInterval(closeIdle, IDLE_MS) : undefined
  idle?.unref()

  function file(): Opened {
    isAsked = true
    if (isClosed) throw new Error(`the database in ${path} is closed`)
    if (!current) {
      requireOwn()
      openings.begin()
      current = openFile(path, options)
    }
    return current
  }

  /** What is written to a file that was removed is lost, and where it was LMDB would make an empty one. */
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
    if (!isAsked && views === 0) closeFile()
    isAsked = false
  }

  function renew(): void {
    // What was removed is read while it is open, and written no more.
    if (views === 0 && openings.isDue() && fileIn(path) === own) closeFile()
  }

  /** What LMDB found, to be used before its next read. */
  function find(table: string, key: Uint8Array, options: object): Buffer | undefined {
    if (isTooLong(table, key)) return undefined
    const place = file().placeOf(table)
    return (place.db as unknown as Fast).getBinaryFast(keyIn(place, key), options)
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
    entries(() => file().placeOf(table), range, options, copy)

  /** For a read of the latest commit. LMDB would answer a reader from the commit that it saw first for a millisecond or more. */
  function latest(): object {
    if (readOnly) file().root.resetReadTxn()
    return {}
  }

  function read(): BackendRead {
    const { root } = file()
    // Otherwise a view opened in the same turn of the event loop would be as old as that turn.
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
        renew()
      },
    }
  }

  function write({ placeOf }: Opened, row: TableWrite): void {
    checkKey(row)
    const { table, key, value } = row
    const place = placeOf(table)
    const at = keyIn(place, key)
    openings.count()
    if (value === undefined) {
      place.db.removeSync(at)
      place.last = undefined
    } else if (place.grows && Buffer.compare(at, lastOf(place)) > 0) {
      place.db.putSync(at, asBuffer(value), { append: true })
      place.last = at
    } else place.db.putSync(at, asBuffer(value))
  }

  return {
    isolates: true,
    readOnly,
    get: (table, key) => get(table, key, latest()),
    iterate: (table, range) => iterate(table, range, latest()),
    peek: (table, key, use) => peek(table, key, use, latest()),
    read,
    write(rows) {
      if (readOnly) throw new Error(`the database in ${path} is open for reading`)
      const opened = file()
      requireOwn()
      try {
        // A read left open by the event loop's turn would keep every page that this write replaces.
        opened.root.resetReadTxn()
        opened.root.transactionSync(() => {
          for (const row of rows) write(opened, row)
        })
      } catch (error) {
        opened.forgetLast()
        throw error
      }
      renew()
    },
    sizeBytes() {
      const { lastPageNumber, pageSize } = file().root.getStats() as { lastPageNumber: number; pageSize: number }
      return (lastPageNumber + 1) * pageSize
    },
    async close() {
      isClosed = true
      clearInterval(idle)
      await current?.root.close()
      current = undefined
    },
  }
}

/** LMDB's declarations ask for Node's kind of bytes; it takes any, and making the one from the other costs more than a read. */
function asBuffer(bytes: Uint8Array): Buffer {
  return bytes as Buffer
}

type Copy = (found: Buffer) => Uint8Array

/**
 * Copies what the next read overwrites. `length` is the value's, shorter than the memory it was read into. Short values
 * share blocks of memory: a buffer for each would cost more than reading it.
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

function keyIn(place: Place, key: Uint8Array): Buffer {
  return place.prefix.length === 0 ? asBuffer(key) : Buffer.concat([place.prefix, key])
}

/** A bound of a range. No key is longer than the longest, so what lies behind a longer bound lies behind its beginning. */
function boundIn(place: Place, bound: Uint8Array): Buffer {
  const key = keyIn(place, bound)
  if (key.length <= MAX_ROW_KEY) return key
  return Buffer.concat([key.subarray(0, MAX_ROW_KEY), Buffer.alloc(1)])
}

/** The greatest key of a database; empty if it has none. */
function lastOf(place: Place): Buffer {
  if (!place.last) {
    place.last = Buffer.alloc(0)
    for (const key of place.db.getKeys({ reverse: true, limit: 1 })) place.last = Buffer.from(key)
  }
  return place.last
}

/**
 * Rows at a time, the first one alone: a cursor is open only while it is read from. One that stayed open between two
 * rows, and for good when its reader goes away, would keep every page that later commits replace.
 */
const BATCHES = [1, 16, 256]

function* entries(
  placeNow: () => Place,
  { start, end, reverse }: Range = {},
  options: object,
  copy: Copy,
): IterableIterator<Entry> {
  const place = placeNow()
  const skip = place.prefix.length
  const from = start && start.length > 0 ? boundIn(place, start) : skip > 0 ? place.prefix : undefined
  const to = end ? boundIn(place, end) : skip > 0 ? behind(place.prefix) : undefined
  if (from && to && Buffer.compare(from, to) >= 0) return
  if (end && end.length === 0) return
  // An open bound must not be named. Backwards, LMDB begins at the end bound, which is not part of the range.
  let low: object | undefined = from && (reverse ? { end: from, inclusiveEnd: true } : { start: from })
  let high: object | undefined = to && (reverse ? { start: to, exclusiveStart: true } : { end: to })
  for (let batch = 0; ; batch++) {
    const limit = BATCHES[Math.min(batch, BATCHES.length - 1)]!
    const rows: Entry[] = []
    let last: Buffer | undefined
    for (const { key, value } of placeNow().db.getRange({
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

/** The first key behind all of a table that shares a database: its name ends in 0x00. */
function behind(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix)
  end[end.length - 1] = 1
  return end
}
