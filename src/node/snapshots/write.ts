/** Makes a snapshot of a height: items, compressed, cut into chunks. Memory does not grow with the state. */
import { once } from 'node:events'
import { createDeflate } from 'node:zlib'
import { CHUNK_BYTES, type SnapshotRecord } from '../../consensus/cometbft/snapshot-record.ts'
import { createOutput } from '../../primitives/varint.ts'
import type { StateExport } from '../../store/sync/export.ts'
import { putItem } from '../../store/sync/items.ts'
import type { NewSnapshot } from './folder.ts'

/** The level of the reference. */
const LEVEL = 7
const PIECE_BYTES = 1 << 18

/**
 * Writes the chunks of a snapshot. Rejects with what fails; then nothing stays. `onKeys` receives the number of keys so far, some
 * thousands at a time.
 */
export async function writeSnapshot(
  state: Pick<StateExport, 'items'>,
  snapshot: NewSnapshot,
  onKeys: (count: number) => void = () => undefined,
): Promise<SnapshotRecord> {
  const deflate = createDeflate({ level: LEVEL, chunkSize: PIECE_BYTES })
  let failure: unknown
  const written = cutInto(deflate, snapshot).catch((error: unknown) => {
    failure = error
    deflate.destroy()
  })
  try {
    const out = createOutput(PIECE_BYTES * 2)
    const push = async (): Promise<void> => {
      const isRoom = deflate.write(out.bytes.slice(0, out.length))
      out.length = 0
      if (!isRoom) await Promise.race([once(deflate, 'drain'), written])
      if (failure) throw failure
    }
    let keys = 0
    for (const item of state.items()) {
      putItem(out, item)
      if (item.kind === 'node' && item.height === 0) keys++
      if (out.length < PIECE_BYTES) continue
      await push()
      onKeys(keys)
    }
    await push()
    onKeys(keys)
    deflate.end()
    await written
    if (failure) throw failure
    return snapshot.finish()
  } catch (error) {
    deflate.destroy()
    await written
    snapshot.abandon()
    throw error
  }
}

/** Cuts compressed bytes into chunks. */
async function cutInto(bytes: AsyncIterable<Uint8Array>, snapshot: NewSnapshot): Promise<void> {
  let chunk = new Uint8Array(CHUNK_BYTES)
  let length = 0
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; ) {
      const count = Math.min(piece.length - at, CHUNK_BYTES - length)
      chunk.set(piece.subarray(at, at + count), length)
      at += count
      length += count
      if (length < CHUNK_BYTES) continue
      snapshot.add(chunk)
      chunk = new Uint8Array(CHUNK_BYTES)
      length = 0
    }
  }
  if (length > 0) snapshot.add(chunk.subarray(0, length))
}
