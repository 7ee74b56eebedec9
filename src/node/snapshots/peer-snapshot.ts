/** The snapshot that a new replica fetches from another Almanac. */
import { fetchChunk, newestSnapshot } from '../../consensus/follow/peer/peer-snapshot.ts'
import type { NodeRpc } from '../../consensus/follow/rpc/node-rpc.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { openBoundedSnapshot } from './bounded-snapshot.ts'
import type { Room } from './room.ts'

/** Snapshots that are begun before the replica gives up: the peer deletes old ones. */
const TRIES = 3

/**
 * Fetches the newest snapshot of a peer into a folder of snapshots. Rejects with `failedPrecondition` without one,
 * `dataLoss` for a chunk that is not the listed one, `resourceExhausted` for one that takes more than the room.
 */
export async function fetchSnapshot(rpc: NodeRpc, root: string, room: Room, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    const record = await newestSnapshot(rpc, signal)
    if (!record) {
      throw queryError(
        'failedPrecondition',
        'the peer has neither the first block nor a snapshot: set snapshots.interval (--snapshot-interval) there, or begin with --snapshot',
      )
    }
    const made = openBoundedSnapshot(root, record, room)
    try {
      for (const index of record.chunkHashes.keys()) made.add(await fetchChunk(rpc, record, index, signal))
      made.finish()
      return
    } catch (error) {
      made.abandon()
      const isGone = error instanceof ChainError && error.status === 'unknown'
      if (!isGone || tries === TRIES) throw error
    }
  }
}
