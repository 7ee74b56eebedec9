/** Sorted runs of writes that are too large for memory, in a table of the backend until their block is committed. */
import { toKey } from '../../primitives/bytes.ts'
import { createOutput, finish } from '../../primitives/varint.ts'
import type { Backend } from '../backend/backend.ts'
import { DELETED, findVersion, putVersion, takeVersions, type Version } from '../journal/versions.ts'
import { mergeEntries, type OverlayEntry } from '../merge.ts'
import { compareTexts, lowerBound } from '../order.ts'
import { STAGED } from '../tables.ts'
import type { Change, Range, Reader, RunEntry, Staged, Staging, TableWrite } from '../types.ts'

const PIECE_BYTES = 16_384
/** Pieces per write. */
const PIECES_PER_WRITE = 256

/** A written run. `firsts` has the first key of each piece, in the form of `toKey`. */
interface Run {
  readonly number: number
  readonly store: string
  readonly firsts: string[]
  /** The piece read last. */
  latest: { readonly piece: number; readonly bytes: Uint8Array } | undefined
}

type Rows = Pick<Backend, 'get' | 'iterate' | 'write'>

function pieceKey(run: number, piece: number): Uint8Array {
  const key = new Uint8Array(8)
  const view = new DataView(key.buffer)
  view.setUint32(0, run)
  view.setUint32(4, piece)
  return key
}

/** Removes the runs of a block that was not committed. */
export function clearStaged(rows: Rows): void {
  for (;;) {
    const left: TableWrite[] = []
    for (const [key] of rows.iterate(STAGED)) {
      left.push({ table: STAGED, key, value: undefined })
      if (left.length === PIECES_PER_WRITE) break
    }
    if (left.length === 0) return
    rows.write(left)
  }
}

/** Creates a staging area in a backend, and removes the runs of an earlier one. */
export function createStaging(rows: Rows): Staging {
  clearStaged(rows)
  const runs: Run[] = []
  let next = 0

  function read(run: Run, piece: number): Uint8Array {
    if (run.latest?.piece !== piece) {
      const bytes = rows.get(STAGED, pieceKey(run.number, piece))
      if (!bytes) throw new Error(`piece ${piece} of a staged run of store ${run.store} is missing`)
      run.latest = { piece, bytes }
    }
    return run.latest.bytes
  }

  function find(run: Run, key: Uint8Array): Uint8Array | typeof DELETED | undefined {
    const piece = pieceOf(run, toKey(key))
    return piece < 0 ? undefined : findVersion(read(run, piece), key)
  }

  function* pieces(run: Run, { start, end, reverse }: Range): IterableIterator<Uint8Array> {
    const first = start ? Math.max(0, pieceOf(run, toKey(start))) : 0
    const stop = end ? lowerBound(run.firsts, toKey(end)) : run.firsts.length
    if (reverse) for (let piece = stop - 1; piece >= first; piece--) yield read(run, piece)
    else for (let piece = first; piece < stop; piece++) yield read(run, piece)
  }

  /** Yields the writes of a run in a range, in the range's direction. */
  function* entriesIn(run: Run, range: Range): IterableIterator<OverlayEntry> {
    const start = range.start ? toKey(range.start) : ''
    const end = range.end && toKey(range.end)
    for (const bytes of pieces(run, range)) {
      const versions: Version[] = [...takeVersions(bytes)]
      for (const version of range.reverse ? versions.reverse() : versions) {
        const text = toKey(version.key)
        if (text >= start && (end === undefined || text < end)) yield version
      }
    }
  }

  function write(store: string, entries: Iterable<RunEntry>): void {
    const run: Run = { number: next++, store, firsts: [], latest: undefined }
    const out = createOutput(2 * PIECE_BYTES)
    let waiting: TableWrite[] = []
    let first = ''
    let before: string | undefined
    const close = () => {
      waiting.push({ table: STAGED, key: pieceKey(run.number, run.firsts.length), value: finish(out) })
      run.firsts.push(first)
      out.length = 0
      if (waiting.length < PIECES_PER_WRITE) return
      rows.write(waiting)
      waiting = []
    }
    for (const [key, value] of entries) {
      const text = toKey(key)
      if (before !== undefined && text <= before) throw new Error(`the keys of a run of store ${store} do not ascend`)
      before = text
      if (out.length === 0) first = text
      putVersion(out, { key, value })
      if (out.length >= PIECE_BYTES) close()
    }
    if (out.length > 0) close()
    rows.write(waiting)
    if (run.firsts.length > 0) runs.push(run)
  }

  function over(base: Reader): Reader {
    const get = (store: string, key: Uint8Array): Uint8Array | undefined => {
      for (let i = runs.length - 1; i >= 0; i--) {
        const found = runs[i]!.store === store ? find(runs[i]!, key) : undefined
        if (found !== undefined) return found === DELETED ? undefined : found
      }
      return base.get(store, key)
    }
    return {
      get,
      has: (store, key) => get(store, key) !== undefined,
      iterate(store, range = {}) {
        let entries = base.iterate(store, range)
        for (const run of runs) {
          if (run.store === store) entries = mergeEntries(entries, entriesIn(run, range), range.reverse ? -1 : 1)
        }
        return entries
      },
      ...(base.stores && { stores: base.stores }),
    }
  }

  function staged(): Staged | undefined {
    if (runs.length === 0) return undefined
    return {
      *changes(over) {
        const stores = new Set([...runs.map(({ store }) => store), ...over.map(({ store }) => store)])
        for (const store of [...stores].sort(compareTexts)) {
          let all: Iterable<OverlayEntry> = []
          for (const run of runs) if (run.store === store) all = overlaid(all, entriesIn(run, {}))
          const last = over.filter((change) => change.store === store)
          for (const { key, value } of overlaid(all, last)) yield { store, key, value } satisfies Change
        }
      },
      *clearing() {
        for (const { number, firsts } of runs) {
          for (const piece of firsts.keys()) yield { table: STAGED, key: pieceKey(number, piece), value: undefined }
        }
      },
    }
  }

  return { write, over, staged }
}

/** Returns the index of the last piece that begins at or before a key; -1 if all begin after it. */
function pieceOf({ firsts }: Run, text: string): number {
  const at = lowerBound(firsts, text)
  return firsts[at] === text ? at : at - 1
}

/** Merges writes with later ones, which replace those of the same key. Deletions are kept; both ascend. */
function* overlaid(lower: Iterable<OverlayEntry>, upper: Iterable<OverlayEntry>): IterableIterator<OverlayEntry> {
  const above = upper[Symbol.iterator]()
  let over = above.next()
  let text = over.done ? '' : toKey(over.value.key)
  for (const write of lower) {
    const at = toKey(write.key)
    while (!over.done && text < at) {
      yield over.value
      over = above.next()
      if (!over.done) text = toKey(over.value.key)
    }
    if (over.done || text !== at) yield write
  }
  for (; !over.done; over = above.next()) yield over.value
}
