/** A backend in memory, for chains that need no disk. */
import { fromKey, toKey } from '../../primitives/bytes.ts'
import type { Entry, Range, TableWrite } from '../types.ts'
import { type Backend, type BackendRead, checkKey } from './backend.ts'
import { createSorted, type Sorted } from './sorted.ts'

interface Row {
  readonly text: string
  value: Uint8Array
}

interface Table {
  readonly rows: Map<string, Row>
  readonly sorted: Sorted<Row>
  sizeBytes: number
}

/** Opens an empty backend in memory. Its views are not isolated: they see later writes. */
export function openMemory(): Backend {
  const tables = new Map<string, Table>()
  const get = (table: string, key: Uint8Array) => tables.get(table)?.rows.get(toKey(key))?.value
  const iterate = (table: string, range: Range = {}) => iterateTable(tables.get(table), range)
  const peek: BackendRead['peek'] = (table, key, use) => {
    const bytes = get(table, key)
    return bytes && use(bytes)
  }
  /** Writes a row, and returns the value before. */
  function put(row: TableWrite): Uint8Array | undefined {
    let table = tables.get(row.table)
    if (!table) {
      table = { rows: new Map(), sorted: createSorted(), sizeBytes: 0 }
      tables.set(row.table, table)
    }
    return apply(table, row)
  }
  function sizeBytes(): number {
    let total = 0
    for (const table of tables.values()) total += table.sizeBytes
    return total
  }

  return {
    isolates: false,
    readOnly: false,
    get,
    iterate,
    peek,
    read: () => ({ get, iterate, peek, close() {} }),
    write(rows) {
      const undo: TableWrite[] = []
      try {
        for (const row of rows) {
          const { table, key } = row
          checkKey(row)
          undo.push({ table, key, value: put(row) })
        }
      } catch (error) {
        for (const row of undo.reverse()) put(row)
        throw error
      }
    },
    flush() {},
    sizeBytes,
    usedBytes: sizeBytes,
    async close() {
      tables.clear()
    },
  }
}

/** Writes a row, and returns the value before. */
function apply(table: Table, { key, value }: TableWrite): Uint8Array | undefined {
  const text = toKey(key)
  const row = table.rows.get(text)
  const before = row?.value
  if (before) table.sizeBytes -= before.length + text.length
  if (value === undefined) {
    if (row) {
      table.rows.delete(text)
      table.sorted.remove(text)
    }
    return before
  }
  table.sizeBytes += value.length + text.length
  if (row) row.value = value
  else {
    const made = { text, value }
    table.rows.set(text, made)
    table.sorted.insert(made)
  }
  return before
}

function* iterateTable(table: Table | undefined, range: Range): IterableIterator<Entry> {
  if (!table) return
  for (const { text, value } of table.sorted.walk(range)) yield [fromKey(text), value]
}
