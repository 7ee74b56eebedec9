/** Back to an earlier height, as if nothing later had been committed. */
import type { Backend } from '../backend/backend.ts'
import type { TableWrite } from '../types.ts'
import { createOutput, finish, putBytes } from '../varint.ts'
import { LOG, piecesOf, readHeight, readValue } from './change-log.ts'
import type { Tip } from './heights.ts'
import { BASE, DEAD, HEAD } from './snapshot.ts'
import { rewindRun, takeRun } from './version-refs.ts'

/**
 * Rows that give every key what it had after a height, and remove what later heights wrote into the log. They are to be
 * written as they come: a key that was written by several heights is then rewound once.
 */
export function* rewindRows(backend: Backend, tip: Tip, height: number): IterableIterator<TableWrite> {
  for (let at = height + 1; at <= tip.height; at++) {
    for (const { key } of readHeight(backend, at)) yield* rewindKey(backend, tip, key, height)
    for (const key of piecesOf(backend, at)) yield { table: LOG, key, value: undefined }
  }
}

function rewindKey(backend: Backend, { logFrom }: Tip, key: Uint8Array, height: number): TableWrite[] {
  const row = backend.get(HEAD, key) ?? backend.get(DEAD, key)
  if (!row) return []
  const run = takeRun(row)
  if (run.newest.height <= height) return []
  const out = createOutput()
  const { newest, rows } = rewindRun(out, backend, key, run, height)
  const isForgotten = newest !== undefined && newest.height < logFrom
  const value = isForgotten ? backend.get(BASE, key) : newest && readValue(backend, newest, key)
  if (isForgotten) rows.push({ table: BASE, key, value: undefined })
  const dead = newest && !value ? finish(out) : undefined
  if (value) putBytes(out, value)
  rows.push({ table: HEAD, key, value: value && finish(out) }, { table: DEAD, key, value: dead })
  return rows
}
