/** Rows of a block's state: the newest value of every written key, and the log that all older heights are read from. */
import { copyTo, EMPTY } from '../../primitives/bytes.ts'
import type { Backend } from '../backend/backend.ts'
import { makeRoom } from '../journal/byte-arena.ts'
import type { Change, TableWrite } from '../types.ts'
import { type Output, putBytes } from '../varint.ts'
import { createLogWriter } from './change-log.ts'
import { BASE, DEAD, HEAD } from './snapshot.ts'
import { putRun, type Run, takeRun } from './version-refs.ts'

export interface StateRowsOptions {
  readonly backend: Pick<Backend, 'get' | 'peek'>
  readonly height: number
  /** The first height in the log. */
  readonly logFrom: number
  /** The number of a store, and the row that makes it known if it is new. */
  readonly numberFor: (store: string) => { readonly number: number; readonly row?: TableWrite }
  /** Rows lie here, and pieces of the log there. */
  readonly blocks: Output
  readonly logBlocks: Output
}

export interface StateRows {
  /** Rows of a change; those of a block come sorted by store and key, each key once. */
  of(change: Change): readonly TableWrite[]
  /** Rows behind those of the last change. */
  end(): readonly TableWrite[]
}

const NO_ROWS: readonly TableWrite[] = []
/** More than the numbers before the places and the value take. */
const NUMBERS_BYTES = 64

export function createStateRows(options: StateRowsOptions): StateRows {
  const { backend, height, logFrom, numberFor, blocks } = options
  const log = createLogWriter(height, options.logBlocks)
  /** Rows beside the one of the key: most changes have none. */
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
    makeRoom(blocks, length)
    const from = blocks.length
    blocks.length += length
    blocks.bytes[from] = number
    copyTo(blocks.bytes, from + 1, key)
    return blocks.bytes.subarray(from, from + length)
  }

  /** Begins the row with the key's places: those that it had and the one of the change. */
  function begin(run: Run | undefined): void {
    const older = run ? run.end - run.olderAt : 0
    makeRoom(blocks, NUMBERS_BYTES + older + (value?.length ?? 0))
    start = blocks.length
    const indexed = putRun(blocks, at, log.add({ key: at, value }), run)
    if (indexed) others.push(indexed)
  }

  /** The row that was begun. */
  const finished = (): Uint8Array => blocks.bytes.subarray(start, blocks.length)

  /** Takes up a key's row where it lies, which is before the next read. */
  const followHead = (before: Uint8Array): boolean => {
    const run = takeRun(before)
    if (run.newest.height < logFrom) others.push({ table: BASE, key: at, value: before.slice(run.end) })
    begin(run)
    return true
  }
  const followDead = (before: Uint8Array): boolean => {
    begin(takeRun(before))
    return true
  }

  function set(to: Uint8Array): TableWrite {
    const isHead = backend.peek(HEAD, at, followHead) ?? false
    const isDead = !isHead && (backend.peek(DEAD, at, followDead) ?? false)
    if (!isHead && !isDead) begin(undefined)
    putBytes(blocks, to)
    if (isDead) others.push({ table: DEAD, key: at, value: undefined })
    return { table: HEAD, key: at, value: finished() }
  }

  function remove(): TableWrite | undefined {
    // A key that was made and deleted within one block has never been.
    if (!backend.peek(HEAD, at, followHead)) return undefined
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
