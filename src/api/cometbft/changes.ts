/** The changes of blocks, for replicas that follow this node (docs/follow.md#another-almanac). */
import { changesAt, encodeRecords } from '../../consensus/follow/peer/change-records.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import type { GatewayNode } from '../gateway.ts'
import type { Json } from './method.ts'

/** Blocks of one answer to `changes` of the CometBFT RPC. Beyond: an error with the range. */
export const MAX_CHANGED_BLOCKS = 500n
/** Bytes of changes in one answer to `changes`. Beyond: the answer ends with that block, and the caller asks from the next one on. */
const MAX_BYTES = 32 << 20

/** Throws `notFound` for a height whose changes are not stored: one that was pruned, or restored with its state. */
export function requireChanges(node: GatewayNode, height: bigint): void {
  node.withContext(height, ({ store }) => {
    for (const _ of store.writtenAt!(height)) return
  })
}

/** Yields the changes of consecutive heights, at least of the first: the height, and the records of its file in base64. */
export function* changedBlocks(node: GatewayNode, first: bigint, count: bigint): IterableIterator<Json> {
  const latest = node.blocks.latestHeight()
  let bytes = 0
  for (let height = first; height < first + count && height <= latest && bytes < MAX_BYTES; height++) {
    const records = node.withContext(height, ({ store }) => encodeRecords(changesAt(store, height)))
    bytes += records.length
    yield { height: height.toString(), changes: formatBase64(records) }
  }
}
