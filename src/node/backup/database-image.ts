/**
 * The database file as of one commit, read while a node writes to it. LMDB never overwrites a page that an open read
 * transaction can reach, so the pages can be copied one after the other. Only the meta pages, which name the commit, are
 * replaced by that of the transaction.
 */
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { queryError } from '../../primitives/errors.ts'
import { readTip, type Tip } from '../../store/history/heights.ts'
import { openBackend } from '../backend.ts'
import { DATABASE, META, type Meta, readFully, readMeta } from '../database-meta.ts'

/** Attempts to open a transaction between two commits. */
const ATTEMPTS = 1_000

export interface DatabaseImage {
  readonly tip: Tip
  readonly sizeBytes: number
  /** Returns the bytes from an offset on, at most `length`. They stay valid until the next call. */
  read(offset: number, length: number): Uint8Array
  /** Ends the transaction: until then the disk keeps its pages. */
  close(): Promise<void>
}

/** Opens the database of a data folder as of its latest commit. Rejects with the errors of `openBackend`. */
export async function openImage(data: string): Promise<DatabaseImage> {
  const backend = await openBackend({ path: data, readOnly: true })
  const file = openSync(join(data, DATABASE), 'r')
  const end = async () => {
    closeSync(file)
    await backend.close()
  }
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = readMeta(file)
      const view = backend.read()
      const tip = readTip(view)
      // The transaction began between these two reads, so it sees their commit if both find the same.
      const meta = readMeta(file)
      if (meta.commit === before.commit) {
        return imageOf(file, meta, tip, async () => {
          view.close()
          await end()
        })
      }
      view.close()
    }
    throw queryError('unavailable', `the database in ${data} changes too often to be copied: repeat the backup`)
  } catch (error) {
    await end()
    throw error
  }
}

function imageOf(file: number, meta: Meta, tip: Tip, close: () => Promise<void>): DatabaseImage {
  const sizeBytes = (meta.lastPage + 1) * meta.pageSize
  const head = headOf(meta)
  let buffer = new Uint8Array(0)
  return {
    tip,
    sizeBytes,
    read(offset, length) {
      const wanted = Math.min(length, sizeBytes - offset)
      if (buffer.length < wanted) buffer = new Uint8Array(wanted)
      const bytes = buffer.subarray(0, wanted)
      // The end of the file can be missing: its pages are free.
      bytes.fill(0, readFully(file, bytes, offset))
      if (offset < head.length) bytes.set(head.subarray(offset, offset + wanted))
      return bytes
    },
    close,
  }
}

/** Returns both meta pages: that of the commit, and an empty one in the place of the commit before. */
function headOf({ page, pageSize, commit }: Meta): Uint8Array {
  const head = new Uint8Array(2 * pageSize)
  for (const place of [0, 1]) {
    const copy = page.slice()
    const view = new DataView(copy.buffer)
    view.setBigUint64(0, BigInt(place), true)
    if (BigInt(place) !== commit % 2n) view.setBigUint64(META.commit, commit - 1n, true)
    head.set(copy, place * pageSize)
  }
  return head
}
