/** The tables of a chain that leaves nothing behind: sorted, in memory. */
import { fromKey, toKey } from '../primitives/bytes.ts'
import { type Backend, type BackendRead, MAX_ROW_KEY } from './backend.ts'
import { lowerBound } from './order.ts'
import type { Entry, Range, TableWrite } from './types.ts'

/** Keys of a table in order, in runs short enough to insert into. */
interface Table {
  readonly values: Map<string, Uint8Array>
  readonly runs: string[][]
  /** Counts inserted and removed keys, so that an iteration knows when its place has moved. */
  revision: number
  sizeBytes: number
}

const RUN_LENGTH = 512

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
      table = { values: new Map(), runs: [], revision: 0, sizeBytes: 0 }
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
          if (table.length + key.length > MAX_ROW_KEY) throw new Error(`a key of ${key.length} bytes in table ${table}`)
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
      removeKey(table, text)
    }
    return
  }
  table.values.set(text, value)
  table.sizeBytes += value.length + text.length
  if (!old) insertKey(table, text)
}

/** Index of the run that holds the text, or would. */
function runOf(runs: readonly string[][], text: string): number {
  let low = 0
  let high = runs.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (runs[middle]![0]! <= text) low = middle
    else high = middle - 1
  }
  return low
}

function insertKey(table: Table, text: string): void {
  table.revision++
  if (table.runs.length === 0) {
    table.runs.push([text])
    return
  }
  const index = runOf(table.runs, text)
  const run = table.runs[index]!
  run.splice(lowerBound(run, text), 0, text)
  if (run.length > RUN_LENGTH) {
    // Keys that arrive in order fill their runs.
    const isLast = index === table.runs.length - 1 && run.at(-1) === text
    table.runs.splice(index + 1, 0, run.splice(isLast ? RUN_LENGTH : RUN_LENGTH >>> 1))
  }
}

function removeKey(table: Table, text: string): void {
  table.revision++
  const index = runOf(table.runs, text)
  const run = table.runs[index]!
  run.splice(lowerBound(run, text), 1)
  if (run.length === 0) table.runs.splice(index, 1)
}

/** A place among the keys: before `runs[run][at]`. */
function seek(table: Table, text: string): { run: number; at: number } {
  if (table.runs.length === 0) return { run: 0, at: 0 }
  const run = runOf(table.runs, text)
  const at = lowerBound(table.runs[run]!, text)
  return at === table.runs[run]!.length ? { run: run + 1, at: 0 } : { run, at }
}

function* iterateTable(table: Table | undefined, { start, end, reverse }: Range): IterableIterator<Entry> {
  if (!table) return
  const first = start ? toKey(start) : ''
  const last = end && toKey(end)
  let revision = table.revision
  let place = reverse
    ? last === undefined
      ? { run: table.runs.length, at: 0 }
      : seek(table, last)
    : seek(table, first)
  for (;;) {
    if (reverse) {
      place =
        place.at > 0
          ? { run: place.run, at: place.at - 1 }
          : { run: place.run - 1, at: (table.runs[place.run - 1]?.length ?? 0) - 1 }
    }
    const text = table.runs[place.run]?.[place.at]
    if (text === undefined || (reverse ? text < first : last !== undefined && text >= last)) return
    yield [fromKey(text), table.values.get(text)!]
    if (table.revision !== revision) {
      revision = table.revision
      place = seek(table, reverse ? text : `${text}\0`)
    } else if (!reverse) {
      const at = place.at + 1
      place = at < table.runs[place.run]!.length ? { run: place.run, at } : { run: place.run + 1, at: 0 }
    }
  }
}
