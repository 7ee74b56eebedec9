/** A clock that was put forward, and the blocks that the chain needs until nothing is due at its time. */
import type { Application } from '../app/types.ts'
import * as epochs from '../modules/epochs/keeper.ts'
import * as gov from '../modules/gov/keeper.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { Snapshot } from '../store/types.ts'
import type { Tip } from './chain.ts'

/** Most blocks that one advance of the clock makes: three years of half hours. */
const MOST_TO_CATCH_UP = 52_560

interface Workings {
  readonly app: Pick<Application, 'readContext'>
  /** State of the latest commit. */
  open(): Snapshot
  tip(): Pick<Tip, 'height' | 'timeNs' | 'hash'>
  /** The time that it is, Unix nanoseconds. */
  now(): bigint
  nextBlock(): Promise<unknown>
}

/**
 * A function that makes those blocks: a block turns one epoch of a record. Rejects with `resourceExhausted` where more than
 * 52,560 would be needed.
 */
export function createCatchUp({ app, open, tip, now, nextBlock }: Workings): () => Promise<void> {
  function isAnythingDue(timeNs: bigint): boolean {
    const snapshot = open()
    try {
      const { height, hash, timeNs: tipNs } = tip()
      const facts = { height, timeNs: tipNs, proposer: EMPTY, hash, lastCommitHash: EMPTY }
      const ctx = app.readContext(snapshot, facts)
      return epochs.isDue(ctx, timeNs) || gov.isDue(ctx, timeNs)
    } finally {
      snapshot.close()
    }
  }

  return async () => {
    const until = now()
    for (let made = 0; isAnythingDue(until); made++) {
      if (made === MOST_TO_CATCH_UP) {
        throw queryError(
          'resourceExhausted',
          `epochs or proposals are due after ${made} blocks that were made for them`,
        )
      }
      await nextBlock()
      // Thousands of blocks leave room for questions between them.
      if (made % 16 === 15) await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
