/** The change log: what each height wrote, in pieces of at most a few kilobytes, appended and never changed. */
import { equal } from '../primitives/bytes.ts'
import { type Place, putPlaces, takePlaces } from './trail.ts'
import type { Tables, TableWrite } from './types.ts'
import { createOutput, finish, type Input, type Output, putBytes, putVarint, takeBytes, takeVarint } from './varint.ts'

export const LOG = 'log'

/** One version of a key: first byte of `key` is the number of its store. */
export interface Version {
  readonly key: Uint8Array
  /** Undefined: deleted. */
  readonly value: Uint8Array | undefined
  readonly references: readonly Place[]
}

/** Two pieces fill a page of the disk; a longer version has a piece to itself. */
const PIECE_BYTES = 1960

/** Height in five bytes, piece in three: the log's keys sort by both. */
export function pieceKey({ height, piece }: Place): Uint8Array {
  const key = new Uint8Array(8)
  const view = new DataView(key.buffer)
  view.setUint8(0, Math.floor(height / 2 ** 32))
  view.setUint32(1, height >>> 0)
  view.setUint8(5, piece >>> 16)
  view.setUint16(6, piece & 0xffff)
  return key
}

/** Collects the versions of one height, in the order of their keys. */
export interface LogWriter {
  /** Adds a version and says where it will lie. */
  add(version: Version): Place
  rows(): TableWrite[]
}

export function createLogWriter(height: number): LogWriter {
  const pieces: Uint8Array[] = []
  let out: Output = createOutput(2 * PIECE_BYTES)
  const one = createOutput()
  const close = () => {
    if (out.length === 0) return
    pieces.push(finish(out))
    out = createOutput(2 * PIECE_BYTES)
  }
  return {
    add(version) {
      one.length = 0
      putVersion(one, height, version)
      if (out.length + one.length > PIECE_BYTES) close()
      putBytes(out, one.bytes.subarray(0, one.length))
      return { height, piece: pieces.length }
    },
    rows() {
      close()
      return pieces.map((value, piece) => ({ table: LOG, key: pieceKey({ height, piece }), value }))
    },
  }
}

function putVersion(out: Output, height: number, { key, value, references }: Version): void {
  putVarint(out, key.length)
  putBytes(out, key)
  putVarint(out, references.length * 2 + (value ? 1 : 0))
  putPlaces(out, height, references)
  if (value) {
    putVarint(out, value.length)
    putBytes(out, value)
  }
}

/** Reads the rest of a version whose key has been taken. */
function takeVersion(input: Input, height: number, key: Uint8Array): Version {
  const head = takeVarint(input)
  const references = takePlaces(input, height, head >>> 1)
  const value = head % 2 === 1 ? takeBytes(input, takeVarint(input)) : undefined
  return { key, value, references }
}

/** The version of a key at a place. Throws an `Error` if it is not there: the log is then broken. */
export function readVersion(tables: Tables, place: Place, key: Uint8Array): Version {
  const bytes = tables.get(LOG, pieceKey(place))
  if (bytes) {
    const input: Input = { bytes, at: 0 }
    while (input.at < bytes.length) {
      const found = takeBytes(input, takeVarint(input))
      const version = takeVersion(input, place.height, found)
      if (equal(found, key)) return version
    }
  }
  throw new Error(`the change log of height ${place.height} lacks a key that it should hold`)
}

/** All versions that a height wrote, in key order. */
export function* readHeight(tables: Tables, height: number): IterableIterator<Version> {
  const start = pieceKey({ height, piece: 0 })
  const end = pieceKey({ height: height + 1, piece: 0 })
  for (const [, bytes] of tables.iterate(LOG, { start, end })) {
    const input: Input = { bytes, at: 0 }
    while (input.at < bytes.length) yield takeVersion(input, height, takeBytes(input, takeVarint(input)))
  }
}

/** Keys of the pieces of a height. */
export function* piecesOf(tables: Tables, height: number): IterableIterator<Uint8Array> {
  const start = pieceKey({ height, piece: 0 })
  const end = pieceKey({ height: height + 1, piece: 0 })
  for (const [key] of tables.iterate(LOG, { start, end })) yield key
}
