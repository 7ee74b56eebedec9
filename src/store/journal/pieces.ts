/**
 * Tables of pieces: rows of up to a few kilobytes, under a number and their place among those of the number. Pieces are
 * appended and never changed.
 */

import type { Tables, TableWrite } from '../types.ts'
import type { Output } from '../varint.ts'
import { makeRoom } from './byte-arena.ts'
import { putVersion, type Spot, takeVersions, type Version, versionLength } from './versions.ts'

/** Number in five bytes, piece in three: the keys sort by both. */
export function pieceKey(number: number, piece: number): Uint8Array {
  const high = Math.floor(number / 2 ** 32)
  return Uint8Array.of(high, number >>> 24, number >>> 16, number >>> 8, number, piece >>> 16, piece >>> 8, piece)
}

/** Collects the versions of one number. */
export interface PieceWriter {
  /** Adds a version and says where it lies, which is where it stays. */
  add(version: Version): Spot
  /** The piece in which the version lies that was added last. */
  piece(): number
  /** Whether there are pieces to take. */
  isFull(): boolean
  /** Adds to `rows` the pieces that are full, each once; when it is the last time, also the one that is not. */
  take(rows: TableWrite[], isLast: boolean): void
}

/** What `putVersion` asks room for beyond what it writes. */
const SPARE_BYTES = 8

/**
 * Writes pieces of at most so many bytes into blocks, to which nothing else is written meanwhile; a longer version has a piece
 * to itself.
 */
export function createPieceWriter(table: string, number: number, pieceBytes: number, blocks: Output): PieceWriter {
  const closed: TableWrite[] = []
  let piece = 0
  let start = blocks.length
  const close = () => {
    if (blocks.length === start) return
    closed.push({ table, key: pieceKey(number, piece++), value: blocks.bytes.subarray(start, blocks.length) })
    start = blocks.length
  }
  return {
    add(version) {
      const length = versionLength(version)
      const room = length + SPARE_BYTES
      if (blocks.length - start + length > pieceBytes || blocks.length + room > blocks.bytes.length) close()
      makeRoom(blocks, room)
      if (blocks.length === 0) start = 0
      return putVersion(blocks, version)
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

/** All versions under a number, in the order in which they were added. */
export function* readPieces(tables: Tables, table: string, number: number): IterableIterator<Version> {
  const range = { start: pieceKey(number, 0), end: pieceKey(number + 1, 0) }
  for (const [, bytes] of tables.iterate(table, range)) yield* takeVersions(bytes)
}

/** The number in a piece's key. */
export function numberOf(key: Uint8Array): number {
  return key[0]! * 2 ** 32 + new DataView(key.buffer, key.byteOffset).getUint32(1)
}

/** The place among those of the number, in a piece's key. */
export function pieceOf(key: Uint8Array): number {
  return (key[5]! << 16) | (key[6]! << 8) | key[7]!
}
