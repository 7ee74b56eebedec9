/**
 * References from a key to its versions in the change log. The newest few precede the key's value in its row, newest first.
 * When there are `REFS_PER_ROW` of them they move to a row of their own, and the key starts a new list. So a write reads nothing
 * but the key's own row, and one more read finds any version.
 */

import {
  createOutput,
  type Input,
  type Output,
  putBytes,
  putVarint,
  takeVarint,
  varintLength,
} from '../../primitives/varint.ts'
import { REFERENCES } from '../tables.ts'
import type { Entry, Tables, TableWrite } from '../types.ts'

/** A reference to a version: its height, and the piece of that height's log that contains it. */
export interface VersionRef {
  readonly height: number
  readonly piece: number
}

const REFS_PER_ROW = 32
const HEIGHT_BYTES = 5
const MAX_HEIGHT = 2 ** 40 - 1

/** The references that precede a key's value in its row. The older ones stay encoded. */
export interface VersionRefs {
  readonly newest: VersionRef
  /** Number of older references, in `bytes` from `olderAt` to `end`. */
  readonly older: number
  /** Whether still older references are in rows of the table `REFERENCES`. */
  readonly hasRows: boolean
  readonly bytes: Uint8Array
  readonly olderAt: number
  /** Offset of the value. */
  readonly end: number
}

export function readRefs(bytes: Uint8Array): VersionRefs {
  const input: Input = { bytes, at: 0 }
  const newest = { height: takeVarint(input), piece: takeVarint(input) }
  const counts = takeVarint(input)
  const length = takeVarint(input)
  return {
    newest,
    older: counts >>> 1,
    hasRows: counts % 2 === 1,
    bytes,
    olderAt: input.at,
    end: input.at + length,
  }
}

/** Writes the references of a key with a new one before them. Returns the row that a full list moves to. */
export function appendRef(
  out: Output,
  key: Uint8Array,
  ref: VersionRef,
  refs: VersionRefs | undefined,
): TableWrite | undefined {
  putVarint(out, ref.height)
  putVarint(out, ref.piece)
  if (!refs) {
    putVarint(out, 0)
    putVarint(out, 0)
    return undefined
  }
  if (refs.older + 1 === REFS_PER_ROW) {
    putVarint(out, 1)
    putVarint(out, 0)
    const oldest = Array.from(listed(refs)).at(-1)!
    return { table: REFERENCES, key: rowKey(key, oldest.height), value: refs.bytes.slice(0, refs.end) }
  }
  const step = ref.height - refs.newest.height
  putVarint(out, (refs.older + 1) * 2 + (refs.hasRows ? 1 : 0))
  putVarint(out, varintLength(step) + varintLength(refs.newest.piece) + refs.end - refs.olderAt)
  putVarint(out, step)
  putVarint(out, refs.newest.piece)
  if (refs.older > 0) putBytes(out, refs.bytes.subarray(refs.olderAt, refs.end))
  return undefined
}

/** Writes a list of at least one reference, newest first. */
function putRefs(out: Output, refs: readonly VersionRef[], hasRows: boolean): void {
  const older = createOutput()
  let above = refs[0]!
  for (const ref of refs.slice(1)) {
    putVarint(older, above.height - ref.height)
    putVarint(older, ref.piece)
    above = ref
  }
  putVarint(out, refs[0]!.height)
  putVarint(out, refs[0]!.piece)
  putVarint(out, (refs.length - 1) * 2 + (hasRows ? 1 : 0))
  putVarint(out, older.length)
  putBytes(out, older.bytes.subarray(0, older.length))
}

/**
 * Writes a key's references as they were after a height. Returns the newest of them, undefined if the key had no version then,
 * and the deletions of rows that are no longer needed.
 */
export function rewindRefs(
  out: Output,
  tables: Tables,
  key: Uint8Array,
  refs: VersionRefs,
  height: number,
): { readonly newest: VersionRef | undefined; readonly rows: TableWrite[] } {
  const rows: TableWrite[] = []
  const upTo = (all: VersionRefs) => Array.from(listed(all)).filter((ref) => ref.height <= height)
  let left = upTo(refs)
  let { hasRows } = refs
  if (left.length === 0 && hasRows) {
    hasRows = false
    const range = { start: rowKey(key, 0), end: rowKey(key, MAX_HEIGHT), reverse: true }
    for (const [at, bytes] of tables.iterate(REFERENCES, range)) {
      rows.push({ table: REFERENCES, key: at, value: undefined })
      const row = readRefs(bytes)
      left = upTo(row)
      hasRows = row.hasRows
      if (left.length > 0) break
    }
  }
  if (left.length > 0) putRefs(out, left, hasRows)
  return { newest: left[0], rows }
}

/** Yields the references of a list, newest first. */
function* listed(refs: VersionRefs): IterableIterator<VersionRef> {
  yield refs.newest
  const input: Input = { bytes: refs.bytes, at: refs.olderAt }
  let { height } = refs.newest
  for (let i = 0; i < refs.older; i++) {
    height -= takeVarint(input)
    yield { height, piece: takeVarint(input) }
  }
}

/** Returns the newest version of a key that is not after `height`; undefined if there is no such version. */
export function findRef(tables: Tables, key: Uint8Array, refs: VersionRefs, height: number): VersionRef | undefined {
  for (const ref of listed(refs)) if (ref.height <= height) return ref
  if (!refs.hasRows) return undefined
  const range = { start: rowKey(key, 0), end: rowKey(key, height + 1), reverse: true }
  const { value: row } = tables.iterate(REFERENCES, range).next() as { value: Entry | undefined }
  if (!row) return undefined
  for (const ref of listed(readRefs(row[1]))) if (ref.height <= height) return ref
  return undefined
}

/** Returns length, key, height. The length comes first so that no key's rows are among those of a longer key. */
function rowKey(key: Uint8Array, height: number): Uint8Array {
  const out = new Uint8Array(2 + key.length + HEIGHT_BYTES)
  const view = new DataView(out.buffer)
  view.setUint16(0, key.length)
  out.set(key, 2)
  view.setUint8(key.length + 2, Math.floor(height / 2 ** 32))
  view.setUint32(key.length + 3, height >>> 0)
  return out
}
