/**
 * Where the versions of a key lie in the change log. The newest few stand with the key, newest first; whenever there are
 * `RUN` of them they become a row of an index and the key begins a new run. So a write looks at nothing but the key's
 * own row, and any version is found with at most one more read.
 */
import type { Entry, Tables, TableWrite } from '../types.ts'
import { createOutput, type Input, type Output, putBytes, putVarint, takeVarint, varintLength } from '../varint.ts'

/** The height of a version and the piece of that height's log that holds it. */
export interface Place {
  readonly height: number
  readonly piece: number
}

/** Runs of places by length of key, key, and oldest height. */
const INDEX = 'index'
const RUN = 32
const HEIGHT_BYTES = 5
const MAX_HEIGHT = 2 ** 40 - 1

/** What stands before a key's value, unpacked as far as every reader needs it. */
export interface Run {
  readonly newest: Place
  /** Number of places behind the newest, in `bytes` from `olderAt` to `end`. */
  readonly older: number
  readonly isIndexed: boolean
  readonly bytes: Uint8Array
  readonly olderAt: number
  /** Where the value begins. */
  readonly end: number
}

export function takeRun(bytes: Uint8Array): Run {
  const input: Input = { bytes, at: 0 }
  const newest = { height: takeVarint(input), piece: takeVarint(input) }
  const counts = takeVarint(input)
  const length = takeVarint(input)
  return {
    newest,
    older: counts >>> 1,
    isIndexed: counts % 2 === 1,
    bytes,
    olderAt: input.at,
    end: input.at + length,
  }
}

/** Writes the run with one more place. Gives the row for the index if the run was full. */
export function putRun(out: Output, key: Uint8Array, place: Place, run: Run | undefined): TableWrite | undefined {
  putVarint(out, place.height)
  putVarint(out, place.piece)
  if (!run) {
    putVarint(out, 0)
    putVarint(out, 0)
    return undefined
  }
  if (run.older + 1 === RUN) {
    putVarint(out, 1)
    putVarint(out, 0)
    const oldest = Array.from(placesOf(run)).at(-1)!
    return { table: INDEX, key: indexKey(key, oldest.height), value: run.bytes.slice(0, run.end) }
  }
  const step = place.height - run.newest.height
  putVarint(out, (run.older + 1) * 2 + (run.isIndexed ? 1 : 0))
  putVarint(out, varintLength(step) + varintLength(run.newest.piece) + run.end - run.olderAt)
  putVarint(out, step)
  putVarint(out, run.newest.piece)
  if (run.older > 0) putBytes(out, run.bytes.subarray(run.olderAt, run.end))
  return undefined
}

/** Writes a run of places, at least one, from the newest to the oldest. */
function putPlaces(out: Output, places: readonly Place[], isIndexed: boolean): void {
  const older = createOutput()
  let above = places[0]!
  for (const place of places.slice(1)) {
    putVarint(older, above.height - place.height)
    putVarint(older, place.piece)
    above = place
  }
  putVarint(out, places[0]!.height)
  putVarint(out, places[0]!.piece)
  putVarint(out, (places.length - 1) * 2 + (isIndexed ? 1 : 0))
  putVarint(out, older.length)
  putBytes(out, older.bytes.subarray(0, older.length))
}

/**
 * Writes a key's run as it was after a height, and says where its newest version lies; undefined if there was none.
 * `rows` are those of the index that then no longer are.
 */
export function rewindRun(
  out: Output,
  tables: Tables,
  key: Uint8Array,
  run: Run,
  height: number,
): { readonly newest: Place | undefined; readonly rows: TableWrite[] } {
  const rows: TableWrite[] = []
  const upTo = (of: Run) => Array.from(placesOf(of)).filter((place) => place.height <= height)
  let places = upTo(run)
  let isIndexed = run.isIndexed
  if (places.length === 0 && run.isIndexed) {
    isIndexed = false
    const range = { start: indexKey(key, 0), end: indexKey(key, MAX_HEIGHT), reverse: true }
    for (const [at, bytes] of tables.iterate(INDEX, range)) {
      rows.push({ table: INDEX, key: at, value: undefined })
      const indexed = takeRun(bytes)
      places = upTo(indexed)
      isIndexed = indexed.isIndexed
      if (places.length > 0) break
    }
  }
  if (places.length > 0) putPlaces(out, places, isIndexed)
  return { newest: places[0], rows }
}

/** From the newest to the oldest. */
function* placesOf(run: Run): IterableIterator<Place> {
  yield run.newest
  const input: Input = { bytes: run.bytes, at: run.olderAt }
  let { height } = run.newest
  for (let i = 0; i < run.older; i++) {
    height -= takeVarint(input)
    yield { height, piece: takeVarint(input) }
  }
}

/** The newest version of a key that is not after `height`; undefined if there is none. */
export function findPlace(tables: Tables, key: Uint8Array, run: Run, height: number): Place | undefined {
  for (const place of placesOf(run)) if (place.height <= height) return place
  if (!run.isIndexed) return undefined
  const range = { start: indexKey(key, 0), end: indexKey(key, height + 1), reverse: true }
  const { value: row } = tables.iterate(INDEX, range).next() as { value: Entry | undefined }
  if (!row) return undefined
  for (const place of placesOf(takeRun(row[1]))) if (place.height <= height) return place
  return undefined
}

/** Keys of one length stand together, so that no key's rows lie among another's. */
function indexKey(key: Uint8Array, height: number): Uint8Array {
  const out = new Uint8Array(2 + key.length + HEIGHT_BYTES)
  const view = new DataView(out.buffer)
  view.setUint16(0, key.length)
  out.set(key, 2)
  view.setUint8(key.length + 2, Math.floor(height / 2 ** 32))
  view.setUint32(key.length + 3, height >>> 0)
  return out
}
