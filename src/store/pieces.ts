/**
 * Tables of pieces: rows of up to a few kilobytes, under a number and their place among those of the number. Pieces are
 * appended and never changed.
 */
import type { Arena } from './arena.ts'
import type { Tables, TableWrite } from './types.ts'
import { createOutput, finishIn } from './varint.ts'
import { putVersion, takeVersions, type Version, versionLength } from './versions.ts'

/** Number in five bytes, piece in three: the keys sort by both. */
export function pieceKey(number: number, piece: number): Uint8Array {
  const high = Math.floor(number / 2 ** 32)
  return Uint8Array.of(high, number >>> 24, number >>> 16, number >>> 8, number, piece >>> 16, piece >>> 8, piece)
}

/** Collects the versions of one number. */
export interface PieceWriter {
  /** Adds a version and says in which piece it will lie. */
  add(version: Version): number
  /** Rows of the pieces that are full, each once; when it is the last time, also of the one that is not. */
  take(isLast: boolean): TableWrite[]
}

/** Writes pieces of at most so many bytes; a longer version has a piece to itself. */
export function createPieceWriter(table: string, number: number, pieceBytes: number, arena: Arena): PieceWriter {
  let rows: TableWrite[] = []
  let piece = 0
  const out = createOutput(2 * pieceBytes)
  const close = () => {
    rows.push({ table, key: pieceKey(number, piece++), value: finishIn(out, arena) })
    out.length = 0
  }
  return {
    add(version) {
      if (out.length > 0 && out.length + versionLength(version) > pieceBytes) close()
      putVersion(out, version)
      return piece
    },
    take(isLast) {
      if (isLast && out.length > 0) close()
      const taken = rows
      rows = []
      return taken
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
