/** The change log: what each height wrote, in pieces of at most a few kilobytes, appended and never changed. */
import type { BackendRead } from './backend.ts'
import type { Place } from './places.ts'
import type { Tables, TableWrite } from './types.ts'
import { createOutput, finish, type Input, type Output, putBytes, putVarint, takeBytes, takeVarint } from './varint.ts'

export const LOG = 'log'

/** One version of a key. */
export interface Version {
  /** Number of the store, then the key in it. */
  readonly key: Uint8Array
  /** Undefined: deleted. */
  readonly value: Uint8Array | undefined
}

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
  rows(): TableWrite[]
}

export function createLogWriter(height: number): LogWriter {
  const pieces: Uint8Array[] = []
  const out = createOutput(2 * PIECE_BYTES)
  const one = createOutput()
  const close = () => {
    if (out.length > 0) pieces.push(finish(out))
    out.length = 0
  }
  return {
    add(version) {
      one.length = 0
      putVersion(one, version)
      if (out.length + one.length > PIECE_BYTES) close()
      putBytes(out, one.bytes.subarray(0, one.length))
      return { height, piece: pieces.length }
    },
    rows() {
      close()
      return pieces.map((value, piece) => ({ table: LOG, key: pieceKey(height, piece), value }))
    },
  }
}

/** Key and value behind their lengths; a length of 0 means deleted, else it is one more than the value's. */
function putVersion(out: Output, { key, value }: Version): void {
  putVarint(out, key.length)
  putBytes(out, key)
  putVarint(out, value ? value.length + 1 : 0)
  if (value) putBytes(out, value)
}

/** What a key was given at a place. Throws an `Error` if it is not there: the log is then broken. */
export function readValue(view: BackendRead, { height, piece }: Place, key: Uint8Array): Uint8Array | undefined {
  const found = view.peek(LOG, pieceKey(height, piece), (bytes) => findVersion(bytes, key))
  if (found === undefined) throw new Error(`the change log of height ${height} lacks a key that it should hold`)
  return found === DELETED ? undefined : found
}

const DELETED = Symbol('deleted')

/** The value of a key in a piece, copied; undefined if the piece has no such key. */
function findVersion(bytes: Uint8Array, key: Uint8Array): Uint8Array | typeof DELETED | undefined {
  const input: Input = { bytes, at: 0 }
  while (input.at < bytes.length) {
    const length = takeVarint(input)
    const isWanted = length === key.length && matches(bytes, input.at, key)
    input.at += length
    const valueLength = takeVarint(input)
    if (isWanted) return valueLength === 0 ? DELETED : takeBytes(input, valueLength - 1).slice()
    if (valueLength > 0) input.at += valueLength - 1
  }
  return undefined
}

/** Keys differ at their ends more often than at their beginnings. */
function matches(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = key.length - 1; i >= 0; i--) if (bytes[at + i] !== key[i]) return false
  return true
}

/** All versions that a height wrote, in key order. */
export function* readHeight(tables: Tables, height: number): IterableIterator<Version> {
  for (const [, bytes] of tables.iterate(LOG, { start: pieceKey(height, 0), end: pieceKey(height + 1, 0) })) {
    const input: Input = { bytes, at: 0 }
    while (input.at < bytes.length) {
      const key = takeBytes(input, takeVarint(input))
      const valueLength = takeVarint(input)
      yield { key, value: valueLength === 0 ? undefined : takeBytes(input, valueLength - 1) }
    }
  }
}

/** Keys of the pieces of a height. */
export function* piecesOf(tables: Tables, height: number): IterableIterator<Uint8Array> {
  for (const [key] of tables.iterate(LOG, { start: pieceKey(height, 0), end: pieceKey(height + 1, 0) })) yield key
}
