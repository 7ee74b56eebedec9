/** The storage interface under the versioned store: ordered tables, atomic writes, consistent reads. */
import type { Tables, TableWrite } from '../types.ts'

/** A table's name, and how a backend on disk stores it. The name is part of the format on disk. */
export interface TableDeclaration {
  readonly name: string
  /**
   * `shared`: small, in one database with other small tables. `own`: large, in its own database, with writes anywhere among
   * its keys. `append`: the same, with most writes after its last key.
   */
  readonly placement: 'shared' | 'own' | 'append'
  /** Whether the write-ahead journal collects its rows before they are written to the table. Set for at most one table. */
  readonly isJournaled?: true
  /** Whether it is an index that is rebuilt from the blocks. */
  readonly isDerived?: true
}

/** Maximum length of table name and key together, in bytes. Reading a longer key finds nothing, writing one throws. */
export const MAX_ROW_KEY = 1900

export const isTooLong = (table: string, key: Uint8Array): boolean => table.length + key.length > MAX_ROW_KEY

/** Throws an `Error` for a key that is too long to write. */
export function checkKey({ table, key }: TableWrite): void {
  if (!isTooLong(table, key)) return
  throw new Error(`a key of ${key.length} bytes in table ${table}: name and key have at most ${MAX_ROW_KEY} bytes`)
}

interface PeekTables extends Tables {
  /** Reads a row without a copy: the bytes that `use` receives are valid only until it returns. Undefined if there is no row. */
  peek<T>(table: string, key: Uint8Array, use: (bytes: Uint8Array) => T): T | undefined
}

/** A view of all tables as of its opening if the backend isolates, else as they are now. */
export interface BackendRead extends PeekTables {
  close(): void
}

export interface Backend extends PeekTables {
  /** Whether a view that `read` opens stays the same during later writes. */
  readonly isolates: boolean
  readonly readOnly: boolean
  /** Opens a consistent view of all tables. Returned bytes stay valid after it is closed. */
  read(): BackendRead
  /**
   * Writes all rows or none, in order. The source of the rows can read the rows that it has already yielded. Throws an `Error`
   * for a key beyond `MAX_ROW_KEY`. The rows are durable on return, unless the backend was opened without syncing. A backend that
   * can hold writes may keep a held one in memory: this process reads it, other threads and processes do not, and it is durable
   * with the next write that is not held, or with `flush`.
   */
  write(rows: Iterable<TableWrite>, isHeld?: boolean): void
  /** Makes held writes durable. On failure they stay held. */
  flush(): void
  /** Bytes in use on disk or in memory. */
  sizeBytes(): number
  /** Bytes of the rows: the size without pages that removed rows have left for later ones. */
  usedBytes(): number
  close(): Promise<void>
}
