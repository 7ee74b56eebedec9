/** A snapshot of another machine on its way into a folder, within the room for it. */
import { CHUNK_BYTES, type SnapshotRecord } from '../../consensus/cometbft/snapshot-record.ts'
import { type NewSnapshot, openSnapshotFolder } from './folder.ts'
import { beyondRoom, type Room } from './room.ts'

/**
 * Begins a snapshot in a folder. Throws `resourceExhausted` if its chunks need more than the room: all but the last have
 * `CHUNK_BYTES`. So does `add` for chunks that have more than they should.
 */
export function openBoundedSnapshot(
  root: string,
  { height, chunkHashes }: Pick<SnapshotRecord, 'height' | 'chunkHashes'>,
  room: Room,
): NewSnapshot {
  const what = `the snapshot of height ${height} has ${chunkHashes.length} chunks of ${CHUNK_BYTES} bytes`
  if ((chunkHashes.length - 1) * CHUNK_BYTES > room.bytes) throw beyondRoom(room, what)
  const made = openSnapshotFolder(root).begin(height)
  let total = 0
  return {
    ...made,
    add(chunk) {
      total += chunk.length
      if (total > room.bytes)
        throw beyondRoom(room, `the chunks of the snapshot of height ${height} have at least ${total} bytes`)
      made.add(chunk)
    },
  }
}
