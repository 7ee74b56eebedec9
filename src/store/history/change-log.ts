/** The change log: the versions that each height wrote. */

import type { Output } from '../../primitives/varint.ts'
import type { BackendRead } from '../backend/backend.ts'
import { createPieceWriter, pieceKey, readPieces } from '../journal/pieces.ts'
import { DELETED, findVersion, type Version } from '../journal/versions.ts'
import { LOG } from '../tables.ts'
import type { Tables, TableWrite } from '../types.ts'
import type { VersionRef } from './version-refs.ts'

/** Four pieces fill a page of the disk. Small pieces are faster to read, because a search starts at the beginning of one. */
const PIECE_BYTES = 960

/** Collects the versions of one height, in the order of their keys. */
export interface LogWriter {
  /** Adds a version and returns the reference to it. */
  add(version: Version): VersionRef
  /** Whether `take` has full pieces to return. */
  isFull(): boolean
  /** Adds the full pieces to `rows`, each once. The last call also adds the piece that is not full. */
  take(rows: TableWrite[], isLast: boolean): void
}

/** Creates a writer of pieces in an arena. Write nothing else to the arena until the last call of `take`. */
export function createLogWriter(height: number, arena: Output): LogWriter {
  const { add, piece, isFull, take } = createPieceWriter(LOG, height, PIECE_BYTES, arena)
  return {
    add(version) {
      add(version)
      return { height, piece: piece() }
    },
    isFull,
    take,
  }
}

/** Returns a key's value in a version; undefined for a deletion. Throws an `Error` if the log is broken. */
export function readValue(view: BackendRead, { height, piece }: VersionRef, key: Uint8Array): Uint8Array | undefined {
  const found = view.peek(LOG, pieceKey(height, piece), (bytes) => findVersion(bytes, key))
  if (found === undefined) throw new Error(`the change log of height ${height} lacks a key that refers to it`)
  return found === DELETED ? undefined : found
}

/** Yields all versions that a height wrote, in key order. */
export function readHeight(tables: Tables, height: number): IterableIterator<Version> {
  return readPieces(tables, LOG, height)
}

/** Yields the keys of the pieces of a height. */
export function* piecesOf(tables: Tables, height: number): IterableIterator<Uint8Array> {
  for (const [key] of tables.iterate(LOG, { start: pieceKey(height, 0), end: pieceKey(height + 1, 0) })) yield key
}
