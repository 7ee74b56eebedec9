/** Reads of one height for one request, in the main thread and in workers. */
import type { Application } from '../app/types.ts'
import type { BlockIndex } from '../indexer/types.ts'
import { queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { VersionedStore } from '../store/versioned.ts'

export type WithContext = <T>(height: bigint | undefined, read: (ctx: ReadContext) => T) => T

/**
 * Creates the function that reads one height and closes it afterwards; undefined and 0 are the latest. It throws with
 * `HeightBounds` (D17): `unavailable` before the first block, `outOfRange` for a future height, `notFound` for a pruned one.
 */
export function createStateReader(
  store: Pick<VersionedStore, 'at'>,
  blocks: Pick<BlockIndex, 'header' | 'evictAbove'>,
  app: Pick<Application, 'readContext'>,
): WithContext {
  let rollbacks: number | undefined
  return (asked, read) => {
    if (asked !== undefined && asked < 0n) {
      throw queryError('invalidArgument', `height must not be negative, but got ${asked}`)
    }
    const snapshot = store.at(asked === 0n ? undefined : asked)
    try {
      const { height } = snapshot
      if (snapshot.rollbacks !== rollbacks) {
        if (rollbacks !== undefined) blocks.evictAbove(0n)
        rollbacks = snapshot.rollbacks
      }
      const found = blocks.header(height)
      if (!found) throw queryError('dataLoss', `the block of height ${height} is missing`)
      const { timeNs, proposer, lastCommitHash } = found.header
      return read(app.readContext(snapshot, { height, timeNs, proposer, hash: found.hash, lastCommitHash }))
    } finally {
      snapshot.close()
    }
  }
}
