/** The tables of a chain that leaves nothing behind: sorted, in memory. */
import { fromKey, toKey } from '../primitives/bytes.ts'
import { type Backend, type BackendRead, checkKey } from './backend.ts'
import { createSortedTexts, type SortedTexts } from './sorted-texts.ts'
import type { Entry, Range, TableWrite } from './types.ts'

interface Table {
  readonly values: Map<string, Uint8Array>
  readonly order: SortedTexts
  sizeBytes: number
}

/** A backend in memory. Its reads are not isolated: they see what is written after them. */
export function openMemory(): Backend {
  const tables = new Map<string, Table>()
  const get = (table: string, key: Uint8Array) => tables.get(table)?.values.get(toKey(key))
  const iterate = (table: string, range: Range = {}) => iterateTable(tables.get(table), range)
  const peek: BackendRead['peek'] = (table, key, use) => {
    const bytes = get(table, key)
    return bytes && use(bytes)
  }
  function put(row: TableWrite): void {
    let table = tables.get(row.table)
    if (!table) {
      table = { values: new Map(), order: createSortedTexts(), sizeBytes: 0 }
      tables.set(row.table, table)
    }
    apply(table, row)
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
          undo.push({ table, key, value: get(table, key) })
          put(row)
        }
      } catch (error) {
        for (const row of undo.reverse()) put(row)
        throw error
      }
    },
    sizeBytes() {
      let total = 0
      for (const table of tables.values()) total += table.sizeBytes
      return total
    },
    async close() {
      tables.clear()
    },
  }
}

function apply(table: Table, { key, value }: TableWrite): void {
  const text = toKey(key)
  const old = table.values.get(text)
  if (old) table.sizeBytes -= old.length + text.length
  if (value === undefined) {
    if (old) {
      table.values.delete(text)
      table.order.remove(text)
    }
    return
  }
  table.values.set(text, value)
  table.sizeBytes += value.length + text.length
  if (!old) table.order.insert(text)
}

function* iterateTable(table: Table | undefined, range: Range): IterableIterator<Entry> {
  if (!table) return
  for (const text of table.order.walk(range)) yield [fromKey(text), table.values.get(text)!]
}
