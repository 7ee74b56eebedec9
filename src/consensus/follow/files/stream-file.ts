/**
 * The content of a file of the change stream. The file streamer of SDK 0.47 writes the length of all that follows, eight bytes
 * big-endian; newer tools begin with the first record. Source: docs/follow.md#files.
 */
import { EMPTY, formatUtf8 } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import type { Change } from '../../../store/types.ts'

/** Bytes of the length before the records of SDK 0.47. */
export const LENGTH_BYTES = 8

/** Fields of `StoreKVPair`. */
const STORE = 1
const DELETED = 2
const KEY = 3
const VALUE = 4

/** Wire types of protobuf. */
const VARINT = 0
const BYTES = 2

/** The content of a file, as far as it can be known. */
export type FileContent =
  /** All records of the block. */
  | { readonly kind: 'complete'; readonly changes: readonly Change[] }
  /** Cut off: its writer has not finished, or never will. */
  | { readonly kind: 'partial'; readonly reason: string }
  /** Wrong bytes, at an offset. */
  | { readonly kind: 'wrong'; readonly reason: string }

interface Cursor {
  readonly bytes: Uint8Array
  at: number
}

/** The bytes end before a record does. */
class CutOff extends Error {}

type CutOffFile = Extract<FileContent, { readonly kind: 'partial' }>

/** Returns how a file of a size is cut off, as far as its first eight bytes tell; undefined if they do not. */
export function cutOff(start: Uint8Array, size: number): CutOffFile | undefined {
  // A file without a length begins with that of its first record, which is not 0. No file has 2^56 bytes.
  if (start[0] !== 0) return undefined
  const stated = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0)
  const present = BigInt(size - LENGTH_BYTES)
  return stated > present ? { kind: 'partial', reason: `it has ${present} of ${stated} bytes` } : undefined
}

/** Parses a file with a length, or one without. */
export function parseStreamFile(bytes: Uint8Array): FileContent {
  const { length } = bytes
  if (length > 0 && bytes[0] !== 0) return parseRecords(bytes, 0)
  if (length < LENGTH_BYTES) return { kind: 'partial', reason: `it has ${length} bytes` }
  const missing = cutOff(bytes, length)
  if (missing) return missing
  const stated = new DataView(bytes.buffer, bytes.byteOffset, LENGTH_BYTES).getBigUint64(0)
  const present = BigInt(length - LENGTH_BYTES)
  if (stated < present) {
    // A host that loses power leaves the size of a file without its content.
    if (stated === 0n && bytes.every((byte) => byte === 0)) return { kind: 'partial', reason: 'it has only zeroes' }
    return { kind: 'wrong', reason: `it has ${present} bytes after a length of ${stated}` }
  }
  const found = parseRecords(bytes, LENGTH_BYTES)
  return found.kind === 'partial' ? { kind: 'wrong', reason: 'its last record is cut off' } : found
}

/** Parses records from an offset on. */
export function parseRecords(bytes: Uint8Array, start: number): FileContent {
  const changes: Change[] = []
  const cursor: Cursor = { bytes, at: start }
  let record = start
  try {
    while (cursor.at < bytes.length) {
      record = cursor.at
      const length = takeVarint(cursor)
      const end = cursor.at + length
      if (end > bytes.length) throw new CutOff()
      changes.push(takeChange({ bytes: bytes.subarray(0, end), at: cursor.at }))
      cursor.at = end
    }
  } catch (error) {
    if (error instanceof CutOff) return { kind: 'partial', reason: `its record at byte ${record} is cut off` }
    return { kind: 'wrong', reason: `its record at byte ${record} is wrong: ${(error as Error).message}` }
  }
  return { kind: 'complete', changes }
}

/** Reads a `StoreKVPair`. An absent value is an empty one, unless the pair deletes. */
function takeChange(cursor: Cursor): Change {
  let store = ''
  let isDeleted = false
  let key = EMPTY
  let value = EMPTY
  while (cursor.at < cursor.bytes.length) {
    const tag = within(() => takeVarint(cursor))
    const field = tag >>> 3
    if ((tag & 7) === VARINT && field === DELETED) isDeleted = within(() => takeVarint(cursor)) !== 0
    else if ((tag & 7) !== BYTES) throw new Error(`it has field ${field} of wire type ${tag & 7}`)
    else {
      const found = within(() => takeBytes(cursor))
      if (field === STORE) store = formatUtf8(found)
      else if (field === KEY) key = found
      else if (field === VALUE) value = found
      else throw new Error(`it has field ${field}`)
    }
  }
  if (store === '') throw new Error('it names no store')
  if (key.length === 0) throw new Error(`its key in store ${store} is empty`)
  return { store, key, value: isDeleted ? undefined : value }
}

/** Runs a step inside of a record that is all there: its end is no end of the file. */
function within<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof CutOff) throw new Error('a field is longer than the record')
    throw error
  }
}

function takeVarint(cursor: Cursor): number {
  let value = 0
  let scale = 1
  for (let i = 0; i < 7; i++) {
    const byte = cursor.bytes[cursor.at++]
    if (byte === undefined) throw new CutOff()
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
    scale *= 0x80
  }
  throw new Error('a number is longer than 7 bytes')
}

function takeBytes(cursor: Cursor): Uint8Array {
  const length = takeVarint(cursor)
  const start = cursor.at
  cursor.at += length
  if (cursor.at > cursor.bytes.length) throw new CutOff()
  return cursor.bytes.subarray(start, cursor.at)
}

/**
 * Returns the changes with one for each key, the last, sorted by store and key. A file of a node that failed to write the one
 * before has two runs of a store.
 */
export function mergedRuns(changes: readonly Change[]): Change[] {
  let isSorted = true
  for (let i = 1; i < changes.length && isSorted; i++) isSorted = isBefore(changes[i - 1]!, changes[i]!)
  if (isSorted) return [...changes]
  const last = new Map<string, Change>()
  for (const change of changes) last.set(`${change.store}/${Buffer.from(change.key).toString('latin1')}`, change)
  return [...last.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1))
}

const isBefore = (a: Change, b: Change): boolean =>
  a.store === b.store ? Buffer.compare(a.key, b.key) < 0 : a.store < b.store

/** Returns the error for a file that no wait mends. */
export const wrongFile = (path: string, reason: string) =>
  queryError('dataLoss', `${path} is no file of the change stream: ${reason}`)
