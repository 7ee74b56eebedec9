/** Rollback of the state to an earlier height, as if nothing later had been committed. */

import { createOutput, finish, putBytes } from '../../primitives/varint.ts'
import type { Backend } from '../backend/backend.ts'
import { BASE, DEAD, HEAD, LOG } from '../tables.ts'
import type { TableWrite } from '../types.ts'
import { piecesOf, readHeight, readValue } from './change-log.ts'
import type { Tip } from './heights.ts'
import { readRefs, rewindRefs } from './version-refs.ts'

/**
 * Yields rows that restore every key to its state after a height, and that remove later heights from the log. Write each row
 * before requesting the next: a key that several heights wrote is then rewound only once.
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
  const refs = readRefs(row)
  if (refs.newest.height <= height) return []
  const out = createOutput()
  const { newest, rows } = rewindRefs(out, backend, key, refs, height)
  const isPruned = newest !== undefined && newest.height < logFrom
  const value = isPruned ? backend.get(BASE, key) : newest && readValue(backend, newest, key)
  if (isPruned) rows.push({ table: BASE, key, value: undefined })
  const dead = newest && !value ? finish(out) : undefined
  if (value) putBytes(out, value)
  rows.push({ table: HEAD, key, value: value && finish(out) }, { table: DEAD, key, value: dead })
  return rows
}
