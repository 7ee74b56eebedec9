/** Rows of a block's state: the newest value of every written key, and the log that all older heights are read from. */
import { copyTo, EMPTY } from '../primitives/bytes.ts'
import type { Arena } from './arena.ts'
import type { Backend } from './backend.ts'
import { createLogWriter } from './change-log.ts'
import { putRun, takeRun } from './places.ts'
import { BASE, DEAD, HEAD } from './snapshot.ts'
import type { Change, TableWrite } from './types.ts'
import { createOutput, finishIn, putBytes } from './varint.ts'

export interface StateRowsOptions {
  readonly backend: Pick<Backend, 'get' | 'peek'>
  readonly height: number
  /** The first height in the log. */
  readonly logFrom: number
  /** The number of a store, and the row that makes it known if it is new. */
  readonly numberFor: (store: string) => { readonly number: number; readonly row?: TableWrite }
  readonly arena: Arena
}

export interface StateRows {
  /** Adds a change; those of a block come sorted by store and key, each key once. */
  add(change: Change): void
  /** Rows since the last time they were taken; when it is the last time, also those of the log that is not full. */
  take(isLast: boolean): TableWrite[]
}

export function createStateRows({ backend, height, logFrom, numberFor, arena }: StateRowsOptions): StateRows {
  let rows: TableWrite[] = []
  const log = createLogWriter(height, arena)
  const out = createOutput(1024)
  let store: string | undefined
  let number = 0

  // The change in progress.
  let at: Uint8Array = EMPTY
  let value: Uint8Array | undefined

  function enter(name: string): void {
    store = name
    const known = numberFor(name)
    number = known.number
    if (known.row) rows.push(known.row)
  }

  /** Takes up a key's row where it lies, which is before the next read. */
  function follow(before: Uint8Array, isHead: boolean): void {
    const run = takeRun(before)
    if (isHead && run.newest.height < logFrom) rows.push({ table: BASE, key: at, value: before.slice(run.end) })
    const indexed = putRun(out, at, log.add({ key: at, value }), run)
    if (indexed) rows.push(indexed)
  }
  const followHead = (before: Uint8Array): boolean => {
    follow(before, true)
    return true
  }
  const followDead = (before: Uint8Array): boolean => {
    follow(before, false)
    return true
  }

  return {
    add(change) {
      if (change.store !== store) enter(change.store)
      at = arena(change.key.length + 1)
      at[0] = number
      copyTo(at, 1, change.key)
      value = change.value
      out.length = 0
      if (value === undefined) {
        // A key that was made and deleted within one block has never been.
        if (!backend.peek(HEAD, at, followHead)) return
        rows.push({ table: HEAD, key: at, value: undefined }, { table: DEAD, key: at, value: finishIn(out, arena) })
        return
      }
      const isHead = backend.peek(HEAD, at, followHead) ?? false
      const isDead = !isHead && (backend.peek(DEAD, at, followDead) ?? false)
      if (!isHead && !isDead) putRun(out, at, log.add({ key: at, value }), undefined)
      putBytes(out, value)
      rows.push({ table: HEAD, key: at, value: finishIn(out, arena) })
      if (isDead) rows.push({ table: DEAD, key: at, value: undefined })
    },
    take(isLast) {
      const taken = rows
      rows = []
      for (const row of log.take(isLast)) taken.push(row)
      return taken
    },
  }
}
