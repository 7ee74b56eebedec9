/** Back to an earlier height, as if nothing later had been committed. */
import { toKey } from '../primitives/bytes.ts'
import type { BackendRead } from './backend.ts'
import { LOG, piecesOf, readHeight, readValue } from './change-log.ts'
import type { Tip } from './heights.ts'
import { rewindRun, takeRun } from './places.ts'
import { BASE, DEAD, HEAD } from './snapshot.ts'
import type { TableWrite } from './types.ts'
import { createOutput, finish, putBytes } from './varint.ts'

/** Rows that give every key what it had after a height, and remove what later heights wrote into the log. */
export function rewindRows(view: BackendRead, tip: Tip, height: number): TableWrite[] {
  const rows: TableWrite[] = []
  const rewound = new Set<string>()
  for (let at = height + 1; at <= tip.height; at++) {
    for (const { key } of readHeight(view, at)) {
      const text = toKey(key)
      if (rewound.has(text)) continue
      rewound.add(text)
      for (const row of rewindKey(view, tip, key, height)) rows.push(row)
    }
    for (const key of piecesOf(view, at)) rows.push({ table: LOG, key, value: undefined })
  }
  return rows
}

function rewindKey(view: BackendRead, { logFrom }: Tip, key: Uint8Array, height: number): TableWrite[] {
  const row = view.get(HEAD, key) ?? view.get(DEAD, key)
  if (!row) throw new Error('the state lacks a key that its change log has')
  const out = createOutput()
  const { newest, rows } = rewindRun(out, view, key, takeRun(row), height)
  const isForgotten = newest !== undefined && newest.height < logFrom
  const value = isForgotten ? view.get(BASE, key) : newest && readValue(view, newest, key)
  if (isForgotten) rows.push({ table: BASE, key, value: undefined })
  const dead = newest && !value ? finish(out) : undefined
  if (value) putBytes(out, value)
  rows.push({ table: HEAD, key, value: value && finish(out) }, { table: DEAD, key, value: dead })
  return rows
}
