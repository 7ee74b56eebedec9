/** The sizes of the tables of a database, also while a node writes to it. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { INDEX_TABLES } from '../../indexer/tables.ts'
import { readTip, type Tip } from '../../store/history/heights.ts'
import { STORE_TABLES } from '../../store/tables.ts'
import { openBackend } from '../backend.ts'
import { DATABASE } from '../database-meta.ts'

interface TableStats {
  readonly name: string
  readonly rows: number
  /** Bytes of keys and values. */
  readonly bytes: number
}

export interface DatabaseStats {
  readonly fileBytes: number
  readonly tip: Tip
  readonly tables: readonly TableStats[]
}

const ROWS_PER_REPORT = 50_000

/** Counts the rows of every table as of one commit. `onRows` receives the number of rows and their bytes so far. */
export async function databaseStats(
  data: string,
  onRows: (rows: number, bytes: number) => void,
): Promise<DatabaseStats> {
  const backend = await openBackend({ path: data, readOnly: true })
  const view = backend.read()
  let [allRows, allBytes] = [0, 0]
  try {
    const tables = [...STORE_TABLES, ...INDEX_TABLES].map(({ name }) => {
      let [rows, bytes] = [0, 0]
      for (const [key, value] of view.iterate(name)) {
        rows++
        bytes += key.length + value.length
        if (++allRows % ROWS_PER_REPORT === 0) onRows(allRows, allBytes + bytes)
      }
      allBytes += bytes
      return { name, rows, bytes }
    })
    return { fileBytes: statSync(join(data, DATABASE)).size, tip: readTip(view), tables }
  } finally {
    view.close()
    await backend.close()
  }
}
