/** The height at which a restored chain begins here: it has the state of that height, and nothing of earlier ones. */
import { utf8 } from '../../primitives/bytes.ts'
import { createOutput, finish, putVarint, takeVarint } from '../../primitives/varint.ts'
import { META } from '../tables.ts'
import type { Tables, TableWrite } from '../types.ts'

const RESTORED = utf8('restored')

/** Returns the height of the snapshot that a store was restored from; undefined if it began with its first block. */
export function restoredHeight(tables: Tables): number | undefined {
  const bytes = tables.get(META, RESTORED)
  return bytes && takeVarint({ bytes, at: 0 })
}

export function restoredRow(height: number): TableWrite {
  const out = createOutput()
  putVarint(out, height)
  return { table: META, key: RESTORED, value: finish(out) }
}
