/** The rows of a block's state: the newest value of every written key, and the change log for older heights. */
import { copyTo, EMPTY } from '../../primitives/bytes.ts'
import { type Output, putBytes } from '../../primitives/varint.ts'
import type { Backend } from '../backend/backend.ts'
import { makeRoom } from '../journal/byte-arena.ts'
import { BASE, DEAD, HEAD } from '../tables.ts'
import type { Change, TableWrite } from '../types.ts'
import { createLogWriter } from './change-log.ts'
import { appendRef, readRefs, type VersionRefs } from './version-refs.ts'

export interface StateRowsOptions {
  readonly backend: Pick<Backend, 'get' | 'peek'>
  readonly height: number
  /** The first height in the log. */
  readonly logFrom: number
  /** Returns the number of a store, and a row that records the number if it is new. */
  readonly numberFor: (store: string) => { readonly number: number; readonly row?: TableWrite }
  /** Memory for rows, and for pieces of the log. Pieces are contiguous, so they have their own arena. */
  readonly arena: Output
  readonly logArena: Output
}

export interface StateRows {
  /** Returns the rows of a change. The changes of a block come sorted by store and key, each key once. */
  of(change: Change): readonly TableWrite[]
  /** Returns the rows after those of the last change. */
  end(): readonly TableWrite[]
}

const NO_ROWS: readonly TableWrite[] = []
/** More than the numbers before the older references and the value can need. */
const NUMBERS_BYTES = 64

export function createStateRows(options: StateRowsOptions): StateRows {
  const { backend, height, logFrom, numberFor, arena } = options
  const log = createLogWriter(height, options.logArena)
  /** Rows other than the key's own. Most changes have no such rows. */
  let others: TableWrite[] = []
  let store: string | undefined
  let number = 0

  // The change in progress: its key, its value, and where its row begins.
  let at: Uint8Array = EMPTY
  let value: Uint8Array | undefined
  let start = 0

  function enter(name: string): void {
    store = name
    const known = numberFor(name)
    number = known.number
    if (known.row) others.push(known.row)
  }

  function keyIn(key: Uint8Array): Uint8Array {
    const length = key.length + 1
    makeRoom(arena, length)
    const from = arena.length
    arena.length += length
    arena.bytes[from] = number
    copyTo(arena.bytes, from + 1, key)
    return arena.bytes.subarray(from, from + length)
  }

  /** Begins the key's row with its references: the new one, then the older ones. */
  function begin(refs: VersionRefs | undefined): void {
    const older = refs ? refs.end - refs.olderAt : 0
    makeRoom(arena, NUMBERS_BYTES + older + (value?.length ?? 0))
    start = arena.length
    const full = appendRef(arena, at, log.add({ key: at, value }), refs)
    if (full) others.push(full)
  }

  /** Returns the row that was begun. */
  const finished = (): Uint8Array => arena.bytes.subarray(start, arena.length)

  /** Begins a row with the references of the key's current row, which is in the backend's memory until the next read. */
  const beginFromHead = (before: Uint8Array): boolean => {
    const refs = readRefs(before)
    if (refs.newest.height < logFrom) others.push({ table: BASE, key: at, value: before.slice(refs.end) })
    begin(refs)
    return true
  }
  const beginFromDead = (before: Uint8Array): boolean => {
    begin(readRefs(before))
    return true
  }

  function set(to: Uint8Array): TableWrite {
    const isHead = backend.peek(HEAD, at, beginFromHead) ?? false
    const isDead = !isHead && (backend.peek(DEAD, at, beginFromDead) ?? false)
    if (!isHead && !isDead) begin(undefined)
    putBytes(arena, to)
    if (isDead) others.push({ table: DEAD, key: at, value: undefined })
    return { table: HEAD, key: at, value: finished() }
  }

  function remove(): TableWrite | undefined {
    // A key that is created and deleted within one block leaves no row.
    if (!backend.peek(HEAD, at, beginFromHead)) return undefined
    others.push({ table: DEAD, key: at, value: finished() })
    return { table: HEAD, key: at, value: undefined }
  }

  function takeOthers(): TableWrite[] {
    const taken = others
    others = []
    return taken
  }

  return {
    of(change) {
      if (change.store !== store) enter(change.store)
      at = keyIn(change.key)
      value = change.value
      const row = value ? set(value) : remove()
      if (log.isFull()) log.take(others, false)
      if (others.length === 0) return row ? [row] : NO_ROWS
      if (row) others.push(row)
      return takeOthers()
    },
    end() {
      log.take(others, true)
      return takeOthers()
    },
  }
}
