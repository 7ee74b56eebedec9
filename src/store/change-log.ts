/** The change log: what each height wrote, in pieces of at most a few kilobytes, appended and never changed. */
import type { Arena } from './arena.ts'
import type { BackendRead } from './backend.ts'
import type { Place } from './places.ts'
import type { Tables, TableWrite } from './types.ts'
import { createOutput, finishIn } from './varint.ts'
import { DELETED, findVersion, putVersion, takeVersions, type Version, versionLength } from './versions.ts'

export const LOG = 'log'

/** Four pieces fill a page of the disk; a longer version has a piece to itself. */
const PIECE_BYTES = 960

/** Height in five bytes, piece in three: the log's keys sort by both. */
function pieceKey(height: number, piece: number): Uint8Array {
  const high = Math.floor(height / 2 ** 32)
  return Uint8Array.of(high, height >>> 24, height >>> 16, height >>> 8, height, piece >>> 16, piece >>> 8, piece)
}

/** Collects the versions of one height, in the order of their keys. */
export interface LogWriter {
  /** Adds a version and says where it will lie. */
  add(version: Version): Place
  /** Rows of the pieces that are full, each once; when it is the last time, also of the one that is not. */
  take(isLast: boolean): TableWrite[]
}

export function createLogWriter(height: number, arena: Arena): LogWriter {
  let rows: TableWrite[] = []
  let piece = 0
  const out = createOutput(2 * PIECE_BYTES)
  const close = () => {
    rows.push({ table: LOG, key: pieceKey(height, piece++), value: finishIn(out, arena) })
    out.length = 0
  }
  return {
    add(version) {
      if (out.length > 0 && out.length + versionLength(version) > PIECE_BYTES) close()
      putVersion(out, version)
      return { height, piece }
    },
    take(isLast) {
      if (isLast && out.length > 0) close()
      const taken = rows
      rows = []
      return taken
    },
  }
}

/** What a key was given at a place. Throws an `Error` if it is not there: the log is then broken. */
export function readValue(view: BackendRead, { height, piece }: Place, key: Uint8Array): Uint8Array | undefined {
  const found = view.peek(LOG, pieceKey(height, piece), (bytes) => findVersion(bytes, key))
  if (found === undefined) throw new Error(`the change log of height ${height} lacks a key that it should hold`)
  return found === DELETED ? undefined : found
}

/** All versions that a height wrote, in key order. */
export function* readHeight(tables: Tables, height: number): IterableIterator<Version> {
  for (const [, bytes] of tables.iterate(LOG, { start: pieceKey(height, 0), end: pieceKey(height + 1, 0) })) {
    yield* takeVersions(bytes)
  }
}

/** Keys of the pieces of a height. */
export function* piecesOf(tables: Tables, height: number): IterableIterator<Uint8Array> {
  for (const [key] of tables.iterate(LOG, { start: pieceKey(height, 0), end: pieceKey(height + 1, 0) })) yield key
}
