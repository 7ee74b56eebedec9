/**
 * Checkpoints of the trees on disk: the page of each root at a height, and lists of pages that only older checkpoints need.
 * Pages are numbered in the order of writing, so all pages of a checkpoint and of older ones are below its `nextPage`.
 */
import { utf8 } from '../../primitives/bytes.ts'
import {
  createOutput,
  finish,
  type Input,
  putBytes,
  putVarint,
  takeBytes,
  takeVarint,
} from '../../primitives/varint.ts'
import { CHECKPOINTS, PAGES, STALE_PAGES } from '../tables.ts'
import type { Tables, TableWrite } from '../types.ts'
import type { PageChanges, PageReference } from './pages.ts'

/** Pages in one row of a list. A row is deleted in one commit. */
const PIECE_PAGES = 500

export interface Checkpoint {
  readonly height: number
  readonly nextPage: number
  /** Number of written keys of all heights up to this one. */
  readonly changes: number
  /** Undefined for an empty tree. */
  readonly trees: readonly { readonly name: string; readonly reference: PageReference | undefined }[]
}

/** Returns the latest checkpoint at or before a height. */
export function findCheckpoint(tables: Tables, height: number): Checkpoint | undefined {
  const range = { end: numberKey(height + 1), reverse: true }
  const { value: row } = tables.iterate(CHECKPOINTS, range).next()
  return row && decodeCheckpoint(row[1])
}

/** Returns the heights of the first checkpoints after a height, ascending. */
export function checkpointsAfter(tables: Tables, height: number, most: number): number[] {
  const found: number[] = []
  for (const [, value] of tables.iterate(CHECKPOINTS, { start: numberKey(height + 1) })) {
    found.push(decodeCheckpoint(value).height)
    if (found.length === most) break
  }
  return found
}

export function readPage(tables: Tables, page: number): Uint8Array | undefined {
  return tables.get(PAGES, numberKey(page))
}

export function pageRows(written: PageChanges['written']): TableWrite[] {
  return written.map(([page, value]) => ({ table: PAGES, key: numberKey(page), value }))
}

/** Returns rows that delete pages. */
export function removePages(pages: readonly number[]): TableWrite[] {
  return pages.map((page) => ({ table: PAGES, key: numberKey(page), value: undefined }))
}

/** Returns the rows of a checkpoint. */
export function checkpointRows(checkpoint: Checkpoint, { written, dropped }: PageChanges): TableWrite[] {
  const at = numberKey(checkpoint.height)
  const rows = pageRows(written)
  for (const row of staleRows(checkpoint, dropped)) rows.push(row)
  rows.push({ table: CHECKPOINTS, key: at, value: encodeCheckpoint(checkpoint) })
  return rows
}

/**
 * Returns the rows of a checkpoint and deletes the `superseded` one before it, with the pages that neither the new one nor
 * `older` needs.
 */
export function supersedingRows(
  tables: Tables,
  checkpoint: Checkpoint,
  { written, dropped }: PageChanges,
  older: Checkpoint,
  superseded: Checkpoint,
): TableWrite[] {
  const rows: TableWrite[] = []
  const stale = [...dropped]
  const pieces = { start: staleKey(superseded.height, 0), end: staleKey(superseded.height + 1, 0) }
  for (const [key, value] of tables.iterate(STALE_PAGES, pieces)) {
    for (const page of decodeNumbers(value)) stale.push(page)
    rows.push({ table: STALE_PAGES, key, value: undefined })
  }
  for (const page of stale) {
    if (page >= older.nextPage) rows.push({ table: PAGES, key: numberKey(page), value: undefined })
  }
  rows.push({ table: CHECKPOINTS, key: numberKey(superseded.height), value: undefined })
  const needed = { written, dropped: stale.filter((page) => page < older.nextPage) }
  return [...rows, ...checkpointRows(checkpoint, needed)]
}

function staleRows(checkpoint: Checkpoint, dropped: readonly number[]): TableWrite[] {
  const rows: TableWrite[] = []
  const stale = [...dropped].sort((a, b) => a - b)
  for (let from = 0; from < stale.length; from += PIECE_PAGES) {
    const value = encodeNumbers(stale.slice(from, from + PIECE_PAGES))
    rows.push({ table: STALE_PAGES, key: staleKey(checkpoint.height, from / PIECE_PAGES), value })
  }
  return rows
}

/**
 * Returns rows that delete the checkpoints before the one at `height`, and up to `pieces` lists of pages that only those
 * needed.
 */
export function deleteCheckpoints(tables: Tables, height: number, pieces: number): TableWrite[] {
  const rows: TableWrite[] = []
  const end = numberKey(height)
  for (const [key] of tables.iterate(CHECKPOINTS, { end })) rows.push({ table: CHECKPOINTS, key, value: undefined })
  let left = pieces
  for (const [key, value] of tables.iterate(STALE_PAGES, { end: staleKey(height + 1, 0) })) {
    if (left-- === 0) break
    for (const row of removePages(decodeNumbers(value))) rows.push(row)
    rows.push({ table: STALE_PAGES, key, value: undefined })
  }
  return rows
}

/**
 * Yields rows that delete the checkpoints after a height and their pages. `nextPage` is that of the checkpoint that
 * becomes the latest.
 */
export function* removeCheckpointsAfter(
  tables: Tables,
  height: number,
  nextPage: number,
): IterableIterator<TableWrite> {
  const start = numberKey(height + 1)
  for (const [key] of tables.iterate(CHECKPOINTS, { start })) yield { table: CHECKPOINTS, key, value: undefined }
  for (const [key] of tables.iterate(STALE_PAGES, { start })) yield { table: STALE_PAGES, key, value: undefined }
  const first = numberKey(nextPage)
  for (const [key] of tables.iterate(PAGES, { start: first })) yield { table: PAGES, key, value: undefined }
}

/** Returns a number as eight bytes, big-endian. */
function numberKey(number: number): Uint8Array {
  const key = new Uint8Array(8)
  const high = Math.floor(number / 2 ** 32)
  for (let i = 0; i < 4; i++) {
    key[3 - i] = high >>> (8 * i)
    key[7 - i] = number >>> (8 * i)
  }
  return key
}

function staleKey(height: number, piece: number): Uint8Array {
  const key = new Uint8Array(12)
  key.set(numberKey(height))
  new DataView(key.buffer).setUint32(8, piece)
  return key
}

function encodeNumbers(ascending: readonly number[]): Uint8Array {
  const out = createOutput()
  let before = 0
  for (const number of ascending) {
    putVarint(out, number - before)
    before = number
  }
  return finish(out)
}

function decodeNumbers(bytes: Uint8Array): number[] {
  const input: Input = { bytes, at: 0 }
  const numbers: number[] = []
  let before = 0
  while (input.at < bytes.length) {
    before += takeVarint(input)
    numbers.push(before)
  }
  return numbers
}

function encodeCheckpoint({ height, nextPage, changes, trees }: Checkpoint): Uint8Array {
  const out = createOutput()
  putVarint(out, height)
  putVarint(out, nextPage)
  putVarint(out, changes)
  for (const { name, reference } of trees) {
    const bytes = utf8(name)
    putVarint(out, bytes.length)
    putBytes(out, bytes)
    putVarint(out, reference?.page ?? 0)
    if (!reference) continue
    putVarint(out, reference.height)
    putVarint(out, reference.size)
    putBytes(out, reference.hash)
  }
  return finish(out)
}

function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  const input: Input = { bytes, at: 0 }
  const height = takeVarint(input)
  const nextPage = takeVarint(input)
  const changes = takeVarint(input)
  const trees: { name: string; reference: PageReference | undefined }[] = []
  while (input.at < bytes.length) {
    const name = new TextDecoder().decode(takeBytes(input, takeVarint(input)))
    const page = takeVarint(input)
    const reference =
      page === 0
        ? undefined
        : { page, height: takeVarint(input), size: takeVarint(input), hash: takeBytes(input, 32).slice() }
    trees.push({ name, reference })
  }
  return { height, nextPage, changes, trees }
}
