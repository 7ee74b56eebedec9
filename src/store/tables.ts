/**
 * The tables of the store: their names, and how a backend on disk stores each of them. The names on disk are historic where
 * they differ from the constants.
 */
import type { TableDeclaration } from './backend/backend.ts'

/** Store number and key to the references of the key's versions and its newest value. */
export const HEAD = 'head'
/** Store number and key to the references of the versions of a deleted key. */
export const DEAD = 'dead'
/** Store number and key to the value at the height up to which the log is pruned, if the head table has a newer one. */
export const BASE = 'base'
/** Height and piece to the versions that the height wrote. */
export const LOG = 'log'
/** Length of the key, key and oldest height to a full list of version references. */
export const REFERENCES = 'index'
/** The tip, the numbers of the stores, and the store changes of upgrades, each under its name. */
export const META = 'meta'
/** Run and piece to writes of a large block that is not committed yet. */
export const STAGED = 'staged'
/** Page number to a page of the trees. */
export const PAGES = 'node'
/** Height to a checkpoint of the trees. */
export const CHECKPOINTS = 'checkpoint'
/** Height of the first checkpoint that does not need them, and piece of the list, to page numbers. */
export const STALE_PAGES = 'stale'
/** Number of an extension of the restored snapshot, and of a payload, to the payload; payload 0 to name and format. */
export const EXTENSIONS = 'extension'
/** Write and piece to rows that wait in the write-ahead journal. */
export const JOURNAL = 'journal'
/** One row: the numbers of the writes in the journal. */
export const JOURNAL_BOUNDS = 'journaled'

export const STORE_TABLES: readonly TableDeclaration[] = [
  { name: HEAD, placement: 'own', isJournaled: true },
  { name: LOG, placement: 'append' },
  { name: PAGES, placement: 'append' },
  { name: JOURNAL, placement: 'append' },
  { name: JOURNAL_BOUNDS, placement: 'shared' },
  { name: DEAD, placement: 'shared' },
  { name: BASE, placement: 'shared' },
  { name: REFERENCES, placement: 'shared' },
  { name: META, placement: 'shared' },
  { name: STAGED, placement: 'shared' },
  { name: CHECKPOINTS, placement: 'shared' },
  { name: STALE_PAGES, placement: 'shared' },
  { name: EXTENSIONS, placement: 'shared' },
]
