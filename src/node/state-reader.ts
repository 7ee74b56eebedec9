/** Opens one height for one request: the same in the main thread and in every worker. */
import { create } from '@bufbuild/protobuf'
import type { Application } from '../app/types.ts'
import { HeightBoundsSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import type { BlockIndex } from '../indexer/types.ts'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { Snapshot } from '../store/types.ts'

export interface StateSource {
  latestHeight(): bigint
  earliestHeight(): bigint
  at(height?: bigint): Snapshot
}

export type WithContext = <T>(height: bigint | undefined, read: (ctx: ReadContext) => T) => T

/**
 * Reads one height and closes it afterwards; undefined and 0 are the latest, read once. Throws with `HeightBounds` (D17):
 * `unavailable` before the first block, `outOfRange` for a height to come, `notFound` for one that is not kept any more.
 */
export function createStateReader(
  store: StateSource,
  blocks: Pick<BlockIndex, 'header'>,
  app: Pick<Application, 'readContext'>,
): WithContext {
  return (asked, read) => {
    const latest = store.latestHeight()
    const height = asked === undefined || asked === 0n ? latest : asked
    requireHeight(store, asked ?? 0n, height, latest)
    const header = blocks.header(height)
    if (!header) throw queryError('dataLoss', `the block of height ${height} is missing`)
    const snapshot = store.at(height)
    try {
      const { timeNs, proposer, lastCommitHash } = header.header
      return read(app.readContext(snapshot, { height, timeNs, proposer, hash: header.hash, lastCommitHash }))
    } finally {
      snapshot.close()
    }
  }
}

function requireHeight(store: StateSource, asked: bigint, height: bigint, latest: bigint): void {
  if (height < 0n) throw queryError('invalidArgument', `height must not be negative, but got ${height}`)
  if (latest === 0n) {
    const bounds = create(HeightBoundsSchema, { requested: asked, earliest: 0n, latest: 0n })
    throw queryError('unavailable', 'the chain has no block yet', [bounds])
  }
  const earliest = store.earliestHeight()
  if (height > latest) {
    const bounds = create(HeightBoundsSchema, { requested: asked, earliest, latest })
    throw queryError('outOfRange', `height ${height} is in the future: the latest is ${latest}`, [bounds])
  }
  if (height < earliest) {
    const bounds = create(HeightBoundsSchema, { requested: asked, earliest, latest })
    throw queryError('notFound', `height ${height} is pruned: the earliest is ${earliest}`, [bounds])
  }
}
