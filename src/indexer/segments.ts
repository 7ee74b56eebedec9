/**
 * The inverted index, from terms to the blocks and transactions that have them. The terms of a new block are one small row,
 * which is cheap to commit. Once there are enough, they are merged into a segment, sorted by term in pages of about 4 kB.
 * Segments cover disjoint ranges of heights, and a lookup reads one page of each.
 */
import { concat, decodeUint64, encodeUint64 } from '../primitives/bytes.ts'
import { takeVarint } from '../primitives/varint.ts'
import type { Tables, TableWrite } from '../store/types.ts'
import { FRESH_TERMS, SEGMENT_PAGES, SEGMENTS } from './tables.ts'
import type { BlockTerms } from './terms.ts'
import { finishWriting, type Out, putNumber, startReading, startWriting } from './wire.ts'

/** Number of unmerged entries, or of unmerged blocks, at which a segment is written. */
export interface SegmentLimits {
  readonly entries: number
  readonly blocks: number
}

const SEGMENT_LIMITS: SegmentLimits = { entries: 32_768, blocks: 1024 }
const PAGE_BYTES = 4096

export const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** An occurrence of a term. */
export interface Posting {
  readonly height: bigint
  readonly ordinal: number
}

interface FreshBlock extends BlockTerms {
  readonly height: bigint
}

/** Collects the terms of new blocks and returns rows to write. A store has one, for its only writer. */
export interface PostingsWriter {
  add(height: bigint, block: BlockTerms): TableWrite[]
}

function encodeFresh({ terms, ordinals }: BlockTerms): Uint8Array {
  const out = startWriting(terms.length * 10 + 8)
  putNumber(out, terms.length)
  for (let i = 0; i < terms.length; i++) {
    putNumber(out, terms[i]!)
    putNumber(out, ordinals[i]!)
  }
  return finishWriting(out)
}

/** Returns the row of a block that is in no segment; for a block without terms, the removal of the row. */
export function freshRow(height: bigint, block: BlockTerms): TableWrite {
  const value = block.terms.length === 0 ? undefined : encodeFresh(block)
  return { table: FRESH_TERMS, key: encodeUint64(height), value }
}

function decodeFresh(bytes: Uint8Array): BlockTerms {
  const input = startReading(bytes)
  const count = takeVarint(input)
  const terms: number[] = new Array(count)
  const ordinals: number[] = new Array(count)
  for (let i = 0; i < count; i++) {
    terms[i] = takeVarint(input)
    ordinals[i] = takeVarint(input)
  }
  return { terms, ordinals }
}

/** Returns the positions of `terms` in ascending order. A stable radix sort in four passes of 16 bits. */
function sortPositions(terms: Float64Array): Uint32Array {
  const count = terms.length
  let from = new Uint32Array(count)
  for (let i = 0; i < count; i++) from[i] = i
  let to = new Uint32Array(count)
  for (let pass = 0; pass < 4; pass++) {
    const divisor = 2 ** (16 * pass)
    const counts = new Uint32Array(65_537)
    const digits = new Uint16Array(count)
    for (let i = 0; i < count; i++) {
      const digit = Math.floor(terms[i]! / divisor) % 65_536
      digits[i] = digit
      counts[digit + 1]!++
    }
    for (let i = 0; i < 65_536; i++) counts[i + 1]! += counts[i]!
    for (let i = 0; i < count; i++) {
      const position = from[i]!
      to[counts[digits[position]!]!++] = position
    }
    const swap = from
    from = to
    to = swap
  }
  return from
}

const pageKey = (firstHeight: bigint, term: number): Uint8Array =>
  concat(encodeUint64(firstHeight), encodeUint64(BigInt(term)))

/** Returns the rows of a segment of blocks, which are in ascending order. */
function segmentRows(blocks: readonly FreshBlock[]): TableWrite[] {
  const first = blocks[0]!.height
  let count = 0
  for (const { terms } of blocks) count += terms.length
  const terms = new Float64Array(count)
  const offsets = new Uint32Array(count)
  const ordinals = new Uint32Array(count)
  let at = 0
  for (const block of blocks) {
    const offset = Number(block.height - first)
    for (let i = 0; i < block.terms.length; i++) {
      terms[at] = block.terms[i]!
      offsets[at] = offset
      ordinals[at++] = block.ordinals[i]!
    }
  }
  const rows: TableWrite[] = [{ table: SEGMENTS, key: encodeUint64(first), value: encodeUint64(blocks.at(-1)!.height) }]
  const order = sortPositions(terms)
  let out: Out | undefined
  let pageTerm = 0
  for (let start = 0; start < count; ) {
    const term = terms[order[start]!]!
    let end = start + 1
    while (end < count && terms[order[end]!] === term) end++
    if (out && out.length >= PAGE_BYTES) {
      rows.push({ table: SEGMENT_PAGES, key: pageKey(first, pageTerm), value: finishWriting(out) })
      out = undefined
    }
    if (!out) {
      out = startWriting(PAGE_BYTES * 2)
      pageTerm = term
    }
    putNumber(out, term - pageTerm)
    putNumber(out, end - start)
    let last = 0
    for (; start < end; start++) {
      const position = order[start]!
      putNumber(out, offsets[position]! - last)
      putNumber(out, ordinals[position]!)
      last = offsets[position]!
    }
  }
  if (out) rows.push({ table: SEGMENT_PAGES, key: pageKey(first, pageTerm), value: finishWriting(out) })
  return rows
}

/** Opens the writer of a store, and reads the blocks that are in no segment yet. */
export function openPostings(tables: Tables, limits: SegmentLimits = SEGMENT_LIMITS): PostingsWriter {
  const waiting: FreshBlock[] = []
  let entries = 0
  for (const [key, value] of tables.iterate(FRESH_TERMS)) {
    const terms = decodeFresh(value)
    waiting.push({ height: decodeUint64(key), ...terms })
    entries += terms.terms.length
  }
  return {
    add(height, block) {
      if (block.terms.length === 0) return []
      const fresh = freshRow(height, block)
      waiting.push({ height, ...block })
      entries += block.terms.length
      if (entries < limits.entries && waiting.length < limits.blocks) return [fresh]
      const rows = segmentRows(waiting)
      for (const { height: merged } of waiting) {
        if (merged !== height) rows.push({ table: FRESH_TERMS, key: encodeUint64(merged), value: undefined })
      }
      waiting.length = 0
      entries = 0
      return rows
    },
  }
}

/**
 * Yields the rows that remove entries above a height. A segment that extends beyond it is split into its blocks again; `termsAt`
 * returns the terms of a remaining block.
 */
export function* truncatePostings(
  tables: Tables,
  height: bigint,
  termsAt: (height: bigint) => BlockTerms,
): IterableIterator<TableWrite> {
  for (const [key] of tables.iterate(FRESH_TERMS, { start: encodeUint64(height + 1n) })) {
    yield { table: FRESH_TERMS, key: key.slice(), value: undefined }
  }
  for (const [key, last] of tables.iterate(SEGMENTS, { reverse: true })) {
    if (decodeUint64(last) <= height) return
    const first = decodeUint64(key)
    yield { table: SEGMENTS, key: key.slice(), value: undefined }
    const pages = { start: encodeUint64(first), end: encodeUint64(first + 1n) }
    for (const [page] of tables.iterate(SEGMENT_PAGES, pages)) {
      yield { table: SEGMENT_PAGES, key: page.slice(), value: undefined }
    }
    for (let at = first; at <= height; at++) {
      const block = termsAt(at)
      if (block.terms.length > 0) yield freshRow(at, block)
    }
  }
}

interface Segment {
  readonly first: bigint
  readonly last: bigint
}

/** Returns the lowest segment that ends at or above `height`, or in reverse the highest that starts at or below it. */
function segmentAt(tables: Tables, height: bigint, reverse: boolean): Segment | undefined {
  const below = tables.iterate(SEGMENTS, { end: encodeUint64(height + 1n), reverse: true }).next()
  const under = below.done ? undefined : { first: decodeUint64(below.value[0]), last: decodeUint64(below.value[1]) }
  if (reverse || (under && under.last >= height)) return under
  const above = tables.iterate(SEGMENTS, { start: encodeUint64(height + 1n) }).next()
  return above.done ? undefined : { first: decodeUint64(above.value[0]), last: decodeUint64(above.value[1]) }
}

/**
 * Returns the occurrences of terms in a segment, ascending for each term. Terms must be ascending, so that each page is
 * read once.
 */
function postingsInSegment(tables: Tables, segment: Segment, terms: readonly number[]): Posting[] {
  const found: Posting[] = []
  for (let next = 0; next < terms.length; ) {
    const end = pageKey(segment.first, terms[next]! + 1)
    const page = tables.iterate(SEGMENT_PAGES, { end, reverse: true }).next()
    const isThere = !page.done && decodeUint64(page.value[0]) === segment.first
    const after = isThere ? postingsInPage(page.value, segment.first, terms, next, found) : next
    // If this page does not have the term, no page has.
    next = after > next ? after : next + 1
  }
  return found
}

/** Adds the occurrences in a page of the terms from index `next`. Returns the index of the first term after the page. */
function postingsInPage(
  [key, bytes]: readonly [Uint8Array, Uint8Array],
  first: bigint,
  terms: readonly number[],
  next: number,
  found: Posting[],
): number {
  const pageTerm = Number(decodeUint64(key.subarray(8)))
  const input = startReading(bytes)
  while (input.at < bytes.length && next < terms.length) {
    const here = pageTerm + takeVarint(input)
    const count = takeVarint(input)
    while (terms[next]! < here) next++
    const isWanted = terms[next] === here
    let offset = 0
    for (let i = 0; i < count; i++) {
      offset += takeVarint(input)
      const ordinal = takeVarint(input)
      if (isWanted) found.push({ height: first + BigInt(offset), ordinal })
    }
    while (terms[next] === here) next++
  }
  return next
}

/** A range of heights (both ends included) with its postings. */
export interface PostingsRange {
  readonly from: bigint
  readonly to: bigint
  /**
   * Returns the occurrences in the range of terms, which must be ascending; those of one term are ascending. Must be
   * called before the next range.
   */
  occurrences(terms: readonly number[]): readonly Posting[]
}

/**
 * Iterates over the stored heights in `from..to` by ranges, each of one segment or of the blocks in no segment. Commits between two
 * ranges are harmless: the next range starts where the last one ended.
 */
export function* postingRanges(
  tables: Tables,
  range: { readonly from: bigint; readonly to: bigint; readonly reverse?: boolean },
): IterableIterator<PostingsRange> {
  let { from, to } = range
  const reverse = range.reverse ?? false
  while (from <= to) {
    const newest = reverse ? undefined : segmentAt(tables, from, false)
    const fresh = reverse ? freshRange(tables, from, to) : undefined
    if (fresh) {
      yield fresh
      to = fresh.from - 1n
      continue
    }
    const segment = reverse ? segmentAt(tables, to, true) : newest
    if (!segment || segment.first > to || segment.last < from) {
      const rest = reverse ? undefined : freshRange(tables, from, to)
      if (rest) yield rest
      return
    }
    const [lowest, highest] = [from, to]
    const inside = ({ height }: Posting) => height >= lowest && height <= highest
    yield {
      from: higher(segment.first, from),
      to: lower(segment.last, to),
      occurrences: (terms) => postingsInSegment(tables, segment, terms).filter(inside),
    }
    if (reverse) to = segment.first - 1n
    else from = segment.last + 1n
  }
}

/** Returns the range of the blocks in `from..to` that are in no segment, or undefined without such blocks. */
function freshRange(tables: Tables, from: bigint, to: bigint): PostingsRange | undefined {
  const range = { start: encodeUint64(from), end: encodeUint64(to + 1n) }
  const rows = [...tables.iterate(FRESH_TERMS, range)]
  const first = rows[0]
  if (!first) return undefined
  return {
    from: decodeUint64(first[0]),
    to,
    occurrences(terms) {
      const wanted = new Set(terms)
      return rows.flatMap(([key, value]) => postingsInBlock(decodeUint64(key), value, wanted))
    },
  }
}

/** Returns the occurrences of terms in one block, without lists of the other terms. */
function postingsInBlock(height: bigint, row: Uint8Array, wanted: ReadonlySet<number>): readonly Posting[] {
  const input = startReading(row)
  const count = takeVarint(input)
  let found: Posting[] | undefined
  for (let i = 0; i < count; i++) {
    const term = takeVarint(input)
    const ordinal = takeVarint(input)
    if (!wanted.has(term)) continue
    found ??= []
    found.push({ height, ordinal })
  }
  return found ?? NOWHERE
}

const NOWHERE: readonly Posting[] = []
