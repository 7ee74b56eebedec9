/** The change log: what each height wrote. */
import type { BackendRead } from '../backend/backend.ts'
import { createPieceWriter, pieceKey, readPieces } from '../journal/pieces.ts'
import { DELETED, findVersion, type Version } from '../journal/versions.ts'
import type { Tables, TableWrite } from '../types.ts'
import type { Output } from '../varint.ts'
import type { Place } from './version-refs.ts'

export const LOG = 'log'

/** Four pieces fill a page of the disk: what is read is searched from its beginning. */
const PIECE_BYTES = 960

/** Collects the versions of one height, in the order of their keys. */
export interface LogWriter {
  /** Adds a version and says where it will lie. */
  add(version: Version): Place
  /** Whether there are pieces to take. */
  isFull(): boolean
  /** Adds to `rows` the pieces that are full, each once; when it is the last time, also the one that is not. */
  take(rows: TableWrite[], isLast: boolean): void
}

/** Its pieces lie in the blocks, to which nothing else may be written meanwhile. */
export function createLogWriter(height: number, blocks: Output): LogWriter {
  const { add, piece, isFull, take } = createPieceWriter(LOG, height, PIECE_BYTES, blocks)
  return {
    add(version) {
      add(version)
      return { height, piece: piece() }
    },
    isFull,
    take,
  }
}

/** What a key was given at a place. Throws an `Error` if it is not there: the log is then broken. */
export function readValue(view: BackendRead, { height, piece }: Place, key: Uint8Array): Uint8Array | undefined {
  const found = view.peek(LOG, pieceKey(height, piece), (bytes) => findVersion(bytes, key))
  if (found === undefined) throw new Error(`the change log of height ${height} lacks a key that it should hold`)
  return found === DELETED ? undefined : found
}

/** All versions that a height wrote, in key order. */
export function readHeight(tables: Tables, height: number): IterableIterator<Version> {
  return readPieces(tables, LOG, height)
}

/** Keys of the pieces of a height. */
export function* piecesOf(tables: Tables, height: number): IterableIterator<Uint8Array> {
  for (const [key] of tables.iterate(LOG, { start: pieceKey(height, 0), end: pieceKey(height + 1, 0) })) yield key
}
