/** The meta pages of the database file, which name its latest commit. They are read without LMDB. */
import { readSync } from 'node:fs'
import { queryError } from '../primitives/errors.ts'

/** The database file in the data folder of a home. */
export const DATABASE = 'data.mdb'

/** Layout of a meta page of LMDB, in bytes: the header of the page, then the fields of the commit. */
export const META = { magic: 24, pageSize: 48, lastPage: 144, commit: 152, size: 168 } as const
const MAGIC = 0xbeefc0de

/** The meta page of the latest commit. */
export interface Meta {
  readonly page: Uint8Array
  readonly pageSize: number
  readonly lastPage: number
  readonly commit: bigint
}

/** Reads the meta page of the latest commit. Throws `dataLoss` for a file without meta pages. */
export function readMeta(file: number): Meta {
  const first = metaAt(file, 0)
  const second = metaAt(file, first.pageSize)
  return second.commit > first.commit ? second : first
}

function metaAt(file: number, offset: number): Meta {
  const page = new Uint8Array(META.size)
  const found = readFully(file, page, offset)
  const view = new DataView(page.buffer)
  if (found < page.length || view.getUint32(META.magic, true) !== MAGIC)
    throw queryError('dataLoss', `${DATABASE} is damaged: it has no meta page at byte ${offset}`)
  return {
    page,
    pageSize: view.getUint32(META.pageSize, true),
    lastPage: Number(view.getBigUint64(META.lastPage, true)),
    commit: view.getBigUint64(META.commit, true),
  }
}

/** Fills a buffer from a file. Returns the number of bytes, fewer at the end of the file. */
export function readFully(file: number, into: Uint8Array, offset: number): number {
  let filled = 0
  while (filled < into.length) {
    const count = readSync(file, into, filled, into.length - filled, offset + filled)
    if (count === 0) break
    filled += count
  }
  return filled
}
