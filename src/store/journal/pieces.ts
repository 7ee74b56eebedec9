/**
 * Tables of pieces: rows of up to a few kilobytes that contain versions. The key of a piece is a number, such as a height, and
 * the index of the piece under that number. Pieces are appended and never changed.
 */

import type { Output } from '../../primitives/varint.ts'
import type { Tables, TableWrite } from '../types.ts'
import { makeRoom } from './byte-arena.ts'
import { type EncodedVersion, putVersion, takeVersions, type Version, versionLength } from './versions.ts'

/** Returns the key of a piece: the number in five bytes, the index in three, so that keys sort by both. */
export function pieceKey(number: number, piece: number): Uint8Array {
  const high = Math.floor(number / 2 ** 32)
  return Uint8Array.of(high, number >>> 24, number >>> 16, number >>> 8, number, piece >>> 16, piece >>> 8, piece)
}

/** Collects the versions of one number. */
export interface PieceWriter {
  /** Adds a version and returns its encoded form, whose bytes never change or move. */
  add(version: Version): EncodedVersion
  /** Returns the index of the piece that contains the version added last. */
  piece(): number
  /** Whether `take` has full pieces to return. */
  isFull(): boolean
  /** Adds the full pieces to `rows`, each once. The last call also adds the piece that is not full. */
  take(rows: TableWrite[], isLast: boolean): void
}

/** Room that `putVersion` requires beyond the bytes it writes. */
const SPARE_BYTES = 8

/**
 * Creates a writer of pieces of at most `pieceBytes`; a longer version fills a piece alone. Write nothing else to the
 * arena until the last call of `take`.
 */
export function createPieceWriter(table: string, number: number, pieceBytes: number, arena: Output): PieceWriter {
  const closed: TableWrite[] = []
  let piece = 0
  let start = arena.length
  const close = () => {
    if (arena.length === start) return
    closed.push({ table, key: pieceKey(number, piece++), value: arena.bytes.subarray(start, arena.length) })
    start = arena.length
  }
  return {
    add(version) {
      const length = versionLength(version)
      const room = length + SPARE_BYTES
      if (arena.length - start + length > pieceBytes || arena.length + room > arena.bytes.length) close()
      makeRoom(arena, room)
      if (arena.length === 0) start = 0
      return putVersion(arena, version)
    },
    piece: () => piece,
    isFull: () => closed.length > 0,
    take(rows, isLast) {
      if (isLast) close()
      for (const row of closed) rows.push(row)
      closed.length = 0
    },
  }
}

/** Yields all versions under a number, in the order in which they were added. */
export function* readPieces(tables: Tables, table: string, number: number): IterableIterator<Version> {
  const range = { start: pieceKey(number, 0), end: pieceKey(number + 1, 0) }
  for (const [, bytes] of tables.iterate(table, range)) yield* takeVersions(bytes)
}

/** Returns the number in a piece's key. */
export function numberOf(key: Uint8Array): number {
  return key[0]! * 2 ** 32 + new DataView(key.buffer, key.byteOffset).getUint32(1)
}

/** Returns the index of the piece under its number, from the piece's key. */
export function pieceOf(key: Uint8Array): number {
  return (key[5]! << 16) | (key[6]! << 8) | key[7]!
}
