/** What the versioned store needs of a disk: ordered tables, atomic writes, consistent reads. */
import type { Tables, TableWrite } from '../types.ts'

/** The longest name of a table and key together. No row has a longer one: reading finds nothing, writing throws. */
export const MAX_ROW_KEY = 1900

export const isTooLong = (table: string, key: Uint8Array): boolean => table.length + key.length > MAX_ROW_KEY

/** Throws an `Error` for a row that no backend writes. */
export function checkKey({ table, key }: TableWrite): void {
  if (isTooLong(table, key)) throw new Error(`a key of ${key.length} bytes in table ${table}`)
}

interface PeekTables extends Tables {
  /** Reads a row where it lies, without a copy: what `use` is given is gone when it returns. Undefined if there is none. */
  peek<T>(table: string, key: Uint8Array, use: (bytes: Uint8Array) => T): T | undefined
}

/** Tables as they were when it was opened, if the backend isolates; else as they are now. */
export interface BackendRead extends PeekTables {
  close(): void
}

export interface Backend extends PeekTables {
  /** Whether what `read` opens stays as it is while others write. */
  readonly isolates: boolean
  readonly readOnly: boolean
  /** Opens a consistent view of all tables. Returned bytes stay valid after it is closed. */
  read(): BackendRead
  /** Writes all rows or none, each as the source gives it, which may read what it gave before; a key beyond `MAX_ROW_KEY` is an `Error`. When it returns they are durable, unless the backend was told otherwise. */
  write(rows: Iterable<TableWrite>): void
  /** Bytes in use on disk or in memory. */
  sizeBytes(): number
  close(): Promise<void>
}
