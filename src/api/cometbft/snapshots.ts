/** The snapshots of this node, for replicas that begin with one (docs/follow.md#another-almanac). */
import { formatUpperHex } from '../../consensus/comet/block-json.ts'
import { SNAPSHOT_FORMAT } from '../../consensus/cometbft/snapshot-record.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { NodeInfo } from '../node-info.ts'
import type { Json } from './method.ts'

/** Returns the list of snapshots, the newest first, with the sha256 of all chunks in order and of each. */
export function offeredSnapshots({ snapshots }: NodeInfo): Json {
  const found = snapshots?.list() ?? []
  return {
    snapshots: found.map(({ height, format, hash, chunkHashes }) => ({
      height: height.toString(),
      format,
      hash: formatUpperHex(hash),
      chunk_hashes: chunkHashes.map(formatUpperHex),
    })),
  }
}

/** Resolves with a chunk. Rejects with `notFound` for one that this node does not have, or no longer has. */
export async function snapshotChunk({ snapshots }: NodeInfo, height: bigint, index: bigint): Promise<Json> {
  const found = index < 0n ? undefined : await snapshots?.chunk(height, SNAPSHOT_FORMAT, Number(index))
  if (found) return { height: height.toString(), chunk: index.toString(), data: formatBase64(found) }
  const heights = (snapshots?.list() ?? []).map((one) => one.height)
  throw queryError(
    'notFound',
    `there is no chunk ${index} of a snapshot of height ${height}; this node has snapshots of ${heights.length > 0 ? `the heights ${heights.join(', ')}` : 'no height'}`,
  )
}
