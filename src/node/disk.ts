/** The backend of a node on disk: LMDB with all declared tables, and the write-ahead journal over it. */
import { randomFillSync } from 'node:crypto'
import { INDEX_TABLES } from '../indexer/tables.ts'
import type { Backend } from '../store/backend/backend.ts'
import { withHeldWrites } from '../store/journal/held-backend.ts'
import { withJournal } from '../store/journal/journaled-backend.ts'
import { HEAD, STORE_TABLES } from '../store/tables.ts'
import { type LmdbOptions, openLmdb } from './lmdb.ts'

const TABLES = [...STORE_TABLES, ...INDEX_TABLES]
/** The journaled table. There is only one, because rows of the journal do not name their table. */
const [JOURNALED] = TABLES.filter(({ isJournaled }) => isJournaled)

export type DiskOptions = Omit<LmdbOptions, 'tables'>

/** Opens the database in a folder. Throws the errors of `openLmdb`. */
export function openDisk(path: string, options: DiskOptions = {}): Backend {
  const lmdb = openLmdb(path, { ...options, tables: TABLES })
  try {
    const [low, high] = randomFillSync(new Int32Array(2))
    const secret = [low!, high!] as const
    return withJournal(withHeldWrites(lmdb, secret), JOURNALED!.name, { secret })
  } catch (error) {
    void lmdb.close()
    throw error
  }
}

/**
 * Opens a new database for a state whose keys come in order: they are appended, without the journal. It is durable only once
 * its file is flushed after closing.
 */
export function openNewDisk(path: string): Backend {
  const tables = TABLES.map((table) => (table.name === HEAD ? { ...table, placement: 'append' as const } : table))
  return openLmdb(path, { tables, noSync: true })
}
