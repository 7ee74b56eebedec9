/**
 * A write-ahead journal for one table of a backend. Rows that change all over a large table would each cost a page of the disk
 * in every write. So a write appends them to the journal, which costs a few pages, and every process caches the rows of the
 * journal in memory, as overlays over the table. When an overlay is full it drains: each following write also writes some of its
 * rows to the table, in key order, so that one page takes many rows. A second overlay collects new rows meanwhile. All of it is
 * part of the transactions of the writes, so nothing needs repair after a crash.
 */

import { createOutput, finish, type Input, putVarint, takeVarint } from '../../primitives/varint.ts'
import { type Backend, type BackendRead, checkKey } from '../backend/backend.ts'
import { mergeEntries } from '../merge.ts'
import { JOURNAL, JOURNAL_BOUNDS } from '../tables.ts'
import type { Tables, TableWrite } from '../types.ts'
import { createByteArena } from './byte-arena.ts'
import { type HashSecret, hashKey } from './key-hash.ts'
import { createOverlay, type Overlay } from './overlay.ts'
import { createPieceWriter, numberOf, pieceKey, pieceOf } from './pieces.ts'
import { DELETED, encodedVersions } from './versions.ts'

/** Two pieces fill a page of the disk: each longer row would occupy further pages. */
const PIECE_BYTES = 1984
const BOUNDS_KEY = new Uint8Array(0)

interface JournalLimits {
  /** An overlay with this many rows, or bytes of keys and values, drains. */
  readonly rows: number
  readonly bytes: number
  /** Maximum number of rows of a journaled write. A larger one is written to the table at once, after everything in the journal. */
  readonly rowsOfWrite: number
}

type NewOverlay = (from: number) => Overlay

/** Limits for at most some 10 MB of memory an overlay; there are two while one drains. */
const DEFAULT_LIMITS: JournalLimits = { rows: 40_000, bytes: 6_000_000, rowsOfWrite: 5_000 }

/** Pieces that a write removes beyond twice the number that it adds. */
const SPARE_PIECES = 16

/** Write numbers in the journal. */
interface Bounds {
  /** Rows of older writes are in the table. */
  readonly first: number
  /** Rows of writes from `first` to before this one drain; later ones are collected. */
  readonly split: number
  readonly last: number
}

/** An overlay whose rows are being written to the table. */
interface Draining {
  readonly overlay: Overlay
  /** Index of the first key that is not yet in the table. */
  readonly at: number
}

/** The journal as of a write, in memory. */
interface State extends Bounds {
  readonly collecting: Overlay
  readonly draining: Draining | undefined
  /** Pieces of older writes have been removed from the disk. */
  readonly trimmed: number
}

const NO_BOUNDS: Bounds = { first: 1, split: 1, last: 0 }

interface JournalOptions {
  readonly limits?: JournalLimits
  /** A secret that prevents attackers from choosing keys that are slow to find. */
  readonly secret: HashSecret
}

/** Returns a backend that writes one table of another backend through a journal. */
export function withJournal(base: Backend, table: string, options: JournalOptions): Backend {
  const { limits = DEFAULT_LIMITS, secret } = options
  const newOverlay: NewOverlay = (from) => createOverlay(from, secret)
  const arena = createByteArena()
  /** The journal as of the latest write that this process has read. */
  let state: State = { ...NO_BOUNDS, collecting: newOverlay(NO_BOUNDS.split), draining: undefined, trimmed: 0 }
  reload(base)
  /** The state for reads outside a view: during a write it includes the rows written so far. */
  let now = state
  /** Whether a failed write is possibly on disk. */
  let isUncertain = false

  function reload(tables: Tables): void {
    state = refresh(tables, state, newOverlay)
  }

  function makeCertain(): void {
    if (!isUncertain) return
    reload(base)
    now = state
    isUncertain = false
  }

  function* drainAll(): IterableIterator<TableWrite> {
    yield* drainedRows(table, now.draining, Number.POSITIVE_INFINITY)
    yield* drainedRows(table, drainFromStart(now.collecting), Number.POSITIVE_INFINITY)
  }

  /**
   * Drains in proportion to new rows, so that draining ends before the collecting overlay is full. When that one is full, drains
   * the rest, and the collecting overlay begins to drain.
   */
  function* drain(number: number, count: number): IterableIterator<TableWrite> {
    const { collecting, draining } = now
    const isFull = collecting.rowCount() >= limits.rows || collecting.sizeBytes() >= limits.bytes
    const end = isFull || !draining ? Number.POSITIVE_INFINITY : draining.at + shareOf(draining.overlay, count)
    yield* drainedRows(table, draining, end)
    if (isFull) {
      const split = number + 1
      const next = drainFromStart(collecting)
      now = { ...now, first: collecting.from, split, last: number, collecting: newOverlay(split), draining: next }
    } else if (draining && end < draining.overlay.keyCount()) {
      now = { ...now, last: number, draining: { ...draining, at: end } }
    } else now = { ...now, first: collecting.from, last: number, draining: undefined }
  }

  /** Removes at most `count` pieces of drained writes, the oldest first, without reading them. */
  function* trim(count: number): IterableIterator<TableWrite> {
    if (now.trimmed >= now.first) return
    const { value: oldest } = base.iterate(JOURNAL, { end: pieceKey(now.first, 0) }).next()
    let number = oldest ? numberOf(oldest[0]) : now.first
    let piece = oldest ? pieceOf(oldest[0]) : 0
    for (let left = count; left > 0 && number < now.first; ) {
      const key = pieceKey(number, piece)
      if (base.peek(JOURNAL, key, () => true)) {
        yield { table: JOURNAL, key, value: undefined }
        left--
        piece++
      } else {
        number++
        piece = 0
      }
    }
    if (number >= now.first) now = { ...now, trimmed: now.first }
  }

  function* journaled(number: number, rows: Iterable<TableWrite>): IterableIterator<TableWrite> {
    const writer = createPieceWriter(JOURNAL, number, PIECE_BYTES, arena)
    const full: TableWrite[] = []
    let [count, pieces] = [0, 0]
    function* piecesOf(isLast: boolean): IterableIterator<TableWrite> {
      writer.take(full, isLast)
      pieces += full.length
      yield* full
      full.length = 0
    }
    for (const row of rows) {
      if (row.table !== table || count > limits.rowsOfWrite) {
        yield row
        continue
      }
      checkKey(row)
      now.collecting.add(number, writer.add(row))
      if (writer.isFull()) yield* piecesOf(false)
      if (++count <= limits.rowsOfWrite) continue
      yield* drainAll()
      const split = number + 1
      now = { ...now, first: split, split, last: number, collecting: newOverlay(split), draining: undefined }
    }
    if (count === 0) return
    if (count <= limits.rowsOfWrite) {
      yield* piecesOf(true)
      yield* drain(number, count)
    }
    yield* trim(2 * pieces + SPARE_PIECES)
    yield boundsRow(now)
  }

  /** Writes rows whose source sets `now` to the state after them. */
  function commit(rows: Iterable<TableWrite>, isHeld = false): void {
    try {
      base.write(rows, isHeld)
      state = now
    } catch (error) {
      state.collecting.undo(state.last + 1)
      now = state
      isUncertain = true
      throw error
    }
  }

  function* emptied(): IterableIterator<TableWrite> {
    yield* drainAll()
    const split = now.last + 1
    now = { ...now, first: split, split, collecting: newOverlay(split), draining: undefined }
    yield* trim(Number.POSITIVE_INFINITY)
    yield boundsRow(now)
  }

  const hasRows = () => state.draining !== undefined || state.collecting.rowCount() > 0

  const current = (): Seen => {
    if (base.readOnly) reload(base)
    return { state: base.readOnly ? state : now, upTo: Number.POSITIVE_INFINITY }
  }

  return {
    ...overlaidReads(base, table, secret, current),
    isolates: base.isolates,
    readOnly: base.readOnly,
    read() {
      const view = base.read()
      try {
        if (base.readOnly) reload(view)
      } catch (error) {
        view.close()
        throw error
      }
      const seen = { state, upTo: state.last }
      return { ...overlaidReads(view, table, secret, () => seen), close: view.close }
    },
    write(rows, isHeld) {
      makeCertain()
      commit(journaled(state.last + 1, rows), isHeld)
    },
    flush: base.flush,
    sizeBytes: base.sizeBytes,
    usedBytes: base.usedBytes,
    async close() {
      try {
        makeCertain()
        // The next opening then has no journal to read.
        if (!base.readOnly && hasRows()) commit(emptied())
      } finally {
        await base.close()
      }
    },
  }
}

type Reads = Omit<BackendRead, 'close'>

/** The journal as of the opening of a view. */
interface Seen {
  readonly state: State
  /** Number of the latest visible write. */
  readonly upTo: number
}

/** Returns reads of a backend with the overlays over the journaled table. */
function overlaidReads(base: Reads, table: string, secret: HashSecret, seen: () => Seen): Reads {
  function find(name: string, key: Uint8Array): Uint8Array | typeof DELETED | undefined {
    if (name !== table) return undefined
    const { state, upTo } = seen()
    const hash = hashKey(key, 0, key.length, secret)
    return state.collecting.find(key, hash, upTo) ?? state.draining?.overlay.find(key, hash, upTo)
  }
  return {
    get(name, key) {
      const row = find(name, key)
      if (row === undefined) return base.get(name, key)
      return row === DELETED ? undefined : row
    },
    peek(name, key, use) {
      const row = find(name, key)
      if (row === undefined) return base.peek(name, key, use)
      return row === DELETED ? undefined : use(row)
    },
    iterate(name, range = {}) {
      const entries = base.iterate(name, range)
      if (name !== table) return entries
      const { state, upTo } = seen()
      const direction = range.reverse ? -1 : 1
      const { collecting, draining } = state
      const lower = draining ? mergeEntries(entries, draining.overlay.entries(range, upTo), direction) : entries
      return mergeEntries(lower, collecting.entries(range, upTo), direction)
    },
  }
}

const drainFromStart = (overlay: Overlay): Draining => ({ overlay, at: 0 })

/** Returns the number of keys to drain while `count` rows are collected: an overlay has fewer keys than rows. */
const shareOf = (overlay: Overlay, count: number): number =>
  Math.ceil((count * overlay.keyCount()) / overlay.rowCount())

/** Yields rows of an overlay for the table, from the first key that is not yet there to before the index `end`. */
function* drainedRows(table: string, draining: Draining | undefined, end: number): IterableIterator<TableWrite> {
  if (!draining) return
  const { overlay } = draining
  const last = Math.min(end, overlay.keyCount())
  for (let at = draining.at; at < last; at++) {
    const row = overlay.newestAt(at)
    if (row) yield { table, key: row.key, value: row.value }
  }
}

/** Returns the state of the journal on disk. Remaining overlays receive the new rows; earlier views do not show them. */
function refresh(tables: Tables, known: State, newOverlay: NewOverlay): State {
  const bounds = readBounds(tables)
  const { first, split, last } = bounds
  if (last === known.last && first === known.first) return known
  const load = (from: number, to: number) => {
    const same = [known.collecting, known.draining?.overlay].find((overlay) => overlay?.from === from)
    // A draining overlay gains no rows. So it is either complete in memory, or was still collecting when last read.
    const overlay = same ?? newOverlay(from)
    const begin = Math.max(from, same ? known.last + 1 : from)
    const range = { start: pieceKey(begin, 0), end: pieceKey(to + 1, 0) }
    for (const [key, bytes] of tables.iterate(JOURNAL, range)) {
      for (const version of encodedVersions(bytes)) overlay.add(numberOf(key), version)
    }
    return overlay
  }
  const draining = first < split ? drainFromStart(load(first, split - 1)) : undefined
  return { ...bounds, collecting: load(split, last), draining, trimmed: 0 }
}

function readBounds(tables: Tables): Bounds {
  const bytes = tables.get(JOURNAL_BOUNDS, BOUNDS_KEY)
  if (!bytes) return NO_BOUNDS
  const input: Input = { bytes, at: 0 }
  return { first: takeVarint(input), split: takeVarint(input), last: takeVarint(input) }
}

function boundsRow({ first, split, last }: Bounds): TableWrite {
  const out = createOutput(32)
  for (const number of [first, split, last]) putVarint(out, number)
  return { table: JOURNAL_BOUNDS, key: BOUNDS_KEY, value: finish(out) }
}
