/**
 * A table that is written behind. Rows that change all over a large table would each take a page of the disk into every
 * write. So a write appends them to a journal, which takes a few, and every process lays what is in the journal over the
 * table. When enough has gathered it moves to its places, some of it with each write that follows, in the order of the
 * keys: a page then takes many rows at once. All of it is in the transactions of the writes, so nothing has to be mended
 * after a crash.
 */
import { type Backend, type BackendRead, checkKey } from '../backend/backend.ts'
import { mergeEntries } from '../order.ts'
import type { Tables, TableWrite } from '../types.ts'
import { createOutput, finish, type Input, putVarint, takeVarint } from '../varint.ts'
import { createBlocks } from './byte-arena.ts'
import { type HashSecret, hashKey } from './key-hash.ts'
import { createLayer, type Layer } from './layer.ts'
import { createPieceWriter, numberOf, pieceKey, pieceOf } from './pieces.ts'
import { DELETED, spotsIn } from './versions.ts'

/** Rows by number of write and piece. */
export const JOURNAL = 'journal'
/** Two pieces fill a page of the disk: the longest that it does not keep elsewhere. */
const PIECE_BYTES = 1984
/** One row: which numbers of the journal count. */
const BOUNDS = 'journaled'
const BOUNDS_KEY = new Uint8Array(0)

interface BehindLimits {
  /** Rows that gather before they move, and their bytes. */
  readonly rows: number
  readonly bytes: number
  /** A write of more rows moves everything at once, its own rows included. */
  readonly rowsOfWrite: number
}

/** Makes layers, of the rows of a write and those after it. */
type NewLayer = (from: number) => Layer

/** What is laid over the table takes some 10 MB at most, twice while it moves. */
const DEFAULT_LIMITS: BehindLimits = { rows: 40_000, bytes: 6_000_000, rowsOfWrite: 5_000 }

/** Pieces that a write removes beyond twice those that it adds. */
const SPARE_PIECES = 16

/** Numbers of writes in the journal. */
interface Bounds {
  /** Rows of older writes are in their places. */
  readonly first: number
  /** Rows of older writes move; those from here on gather. */
  readonly split: number
  readonly last: number
}

/** A layer whose rows go to their places. */
interface Moving {
  readonly layer: Layer
  /** Index of the first of its keys that has not moved. */
  readonly at: number
}

/** What a process knows of the journal as of a write. */
interface State extends Bounds {
  readonly gathering: Layer
  readonly moving: Moving | undefined
  /** Pieces of older writes are no longer on disk. */
  readonly swept: number
}

const NO_BOUNDS: Bounds = { first: 1, split: 1, last: 0 }

interface BehindOptions {
  readonly limits?: BehindLimits
  /** So that nobody can choose keys that are slow to find. */
  readonly secret: HashSecret
}

/** A backend over another, one of whose tables is written behind. */
export function writeBehind(base: Backend, table: string, options: BehindOptions): Backend {
  const { limits = DEFAULT_LIMITS, secret } = options
  const newLayer: NewLayer = (from) => createLayer(from, secret)
  const blocks = createBlocks()
  /** As of the latest write, as far as this process has looked. */
  let state: State = { ...NO_BOUNDS, gathering: newLayer(NO_BOUNDS.split), moving: undefined, swept: 0 }
  look(base)
  /** What reads outside a view see: during a write, what it has written so far. */
  let now = state
  /** Whether the disk may hold a write whose end was not heard. */
  let isUncertain = false

  function look(tables: Tables): void {
    state = follow(tables, state, newLayer)
  }

  function makeCertain(): void {
    if (!isUncertain) return
    look(base)
    now = state
    isUncertain = false
  }

  function* settle(): IterableIterator<TableWrite> {
    yield* movedRows(table, now.moving, Number.POSITIVE_INFINITY)
    yield* movedRows(table, movingOf(now.gathering), Number.POSITIVE_INFINITY)
  }

  /** Moves rows so that they are in their places when as many more have gathered, and all that are left once those have. */
  function* move(number: number, count: number): IterableIterator<TableWrite> {
    const { gathering, moving } = now
    const isFull = gathering.rowCount() >= limits.rows || gathering.sizeBytes() >= limits.bytes
    const behind = isFull || !moving ? Number.POSITIVE_INFINITY : moving.at + shareOf(moving.layer, count)
    yield* movedRows(table, moving, behind)
    if (isFull) {
      const split = number + 1
      const gathered = movingOf(gathering)
      now = { ...now, first: gathering.from, split, last: number, gathering: newLayer(split), moving: gathered }
    } else if (moving && behind < moving.layer.keyCount()) {
      now = { ...now, last: number, moving: { ...moving, at: behind } }
    } else now = { ...now, first: gathering.from, last: number, moving: undefined }
  }

  /** Removes pieces that no longer count, the oldest first. What is in them is not read. */
  function* sweep(count: number): IterableIterator<TableWrite> {
    if (now.swept >= now.first) return
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
    if (number >= now.first) now = { ...now, swept: now.first }
  }

  function* journaled(number: number, rows: Iterable<TableWrite>): IterableIterator<TableWrite> {
    const writer = createPieceWriter(JOURNAL, number, PIECE_BYTES, blocks)
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
      now.gathering.lay(number, writer.add(row))
      if (writer.isFull()) yield* piecesOf(false)
      if (++count <= limits.rowsOfWrite) continue
      yield* settle()
      const split = number + 1
      now = { ...now, first: split, split, last: number, gathering: newLayer(split), moving: undefined }
    }
    if (count === 0) return
    if (count <= limits.rowsOfWrite) {
      yield* piecesOf(true)
      yield* move(number, count)
    }
    yield* sweep(2 * pieces + SPARE_PIECES)
    yield boundsRow(now)
  }

  /** Writes what `rows` gives, which may put into `now` what holds afterwards. */
  function commit(rows: Iterable<TableWrite>): void {
    try {
      base.write(rows)
      state = now
    } catch (error) {
      state.gathering.undo(state.last + 1)
      now = state
      isUncertain = true
      throw error
    }
  }

  function* settled(): IterableIterator<TableWrite> {
    yield* settle()
    const split = now.last + 1
    now = { ...now, first: split, split, gathering: newLayer(split), moving: undefined }
    yield* sweep(Number.POSITIVE_INFINITY)
    yield boundsRow(now)
  }

  const hasRows = () => state.moving !== undefined || state.gathering.rowCount() > 0

  const current = (): Seen => {
    if (base.readOnly) look(base)
    return { state: base.readOnly ? state : now, upTo: Number.POSITIVE_INFINITY }
  }

  return {
    ...laidOver(base, table, secret, current),
    isolates: base.isolates,
    readOnly: base.readOnly,
    read() {
      const view = base.read()
      try {
        if (base.readOnly) look(view)
      } catch (error) {
        view.close()
        throw error
      }
      const seen = { state, upTo: state.last }
      return { ...laidOver(view, table, secret, () => seen), close: view.close }
    },
    write(rows) {
      makeCertain()
      commit(journaled(state.last + 1, rows))
    },
    sizeBytes: base.sizeBytes,
    async close() {
      try {
        makeCertain()
        // So that the next opening has nothing to read.
        if (!base.readOnly && hasRows()) commit(settled())
      } finally {
        await base.close()
      }
    },
  }
}

type Reads = Omit<BackendRead, 'close'>

interface Seen {
  readonly state: State
  /** Number of the latest write that is seen. */
  readonly upTo: number
}

/** Reads with the rows of the journal laid over those of their table. */
function laidOver(base: Reads, table: string, secret: HashSecret, seen: () => Seen): Reads {
  function find(name: string, key: Uint8Array): Uint8Array | typeof DELETED | undefined {
    if (name !== table) return undefined
    const { state, upTo } = seen()
    const hash = hashKey(key, 0, key.length, secret)
    return state.gathering.find(key, hash, upTo) ?? state.moving?.layer.find(key, hash, upTo)
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
      const { gathering, moving } = state
      const lower = moving ? mergeEntries(entries, moving.layer.covers(range, upTo), direction) : entries
      return mergeEntries(lower, gathering.covers(range, upTo), direction)
    },
  }
}

const movingOf = (layer: Layer): Moving => ({ layer, at: 0 })

/** How many keys of a layer move while so many rows gather, which are so many more than keys as those before were. */
const shareOf = (layer: Layer, count: number): number => Math.ceil((count * layer.keyCount()) / layer.rowCount())

/** Rows of a layer in their own table, from the first that has not moved to the one of an index. */
function* movedRows(table: string, moving: Moving | undefined, behind: number): IterableIterator<TableWrite> {
  if (!moving) return
  const end = Math.min(behind, moving.layer.keyCount())
  for (let at = moving.at; at < end; at++) {
    const row = moving.layer.newestAt(at)
    if (row) yield { table, key: row.key, value: row.value }
  }
}

/** What the journal holds now, from what was known of it before. Layers that stay grow: views of before do not see it. */
function follow(tables: Tables, known: State, newLayer: NewLayer): State {
  const bounds = readBounds(tables)
  const { first, split, last } = bounds
  if (last === known.last && first === known.first) return known
  const layerFrom = (from: number, to: number) => {
    const same = [known.gathering, known.moving?.layer].find((layer) => layer?.from === from)
    // What moves gains nothing, so it is known as a whole or was still gathering.
    const layer = same ?? newLayer(from)
    const begin = Math.max(from, same ? known.last + 1 : from)
    const range = { start: pieceKey(begin, 0), end: pieceKey(to + 1, 0) }
    for (const [key, bytes] of tables.iterate(JOURNAL, range)) {
      for (const spot of spotsIn(bytes)) layer.lay(numberOf(key), spot)
    }
    return layer
  }
  const moving = first < split ? movingOf(layerFrom(first, split - 1)) : undefined
  return { ...bounds, gathering: layerFrom(split, last), moving, swept: 0 }
}

function readBounds(tables: Tables): Bounds {
  const bytes = tables.get(BOUNDS, BOUNDS_KEY)
  if (!bytes) return NO_BOUNDS
  const input: Input = { bytes, at: 0 }
  return { first: takeVarint(input), split: takeVarint(input), last: takeVarint(input) }
}

function boundsRow({ first, split, last }: Bounds): TableWrite {
  const out = createOutput(32)
  for (const number of [first, split, last]) putVarint(out, number)
  return { table: BOUNDS, key: BOUNDS_KEY, value: finish(out) }
}
