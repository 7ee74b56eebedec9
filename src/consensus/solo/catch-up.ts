/** Catching up with a clock that was moved forward: blocks until nothing is due at its time. */
import * as epochs from '../../modules/epochs/keeper.ts'
import * as gov from '../../modules/gov/keeper.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Executor } from '../execution.ts'

/** Maximum number of blocks for one move of the clock. */
const MAX_TO_CATCH_UP = 52_560

interface Dependencies {
  readonly read: Executor['read']
  /** Returns the current time, Unix nanoseconds. */
  now(): bigint
  /** Prepares the chain for blocks that follow a moved clock. */
  prepare(): Promise<void>
  nextBlock(): Promise<unknown>
}

/**
 * Returns a function that makes blocks until no epoch or proposal is due. It rejects with `resourceExhausted` if more than
 * 52,560 are needed.
 */
export function createCatchUp({ read, now, prepare, nextBlock }: Dependencies): () => Promise<void> {
  const isAnythingDue = (timeNs: bigint): boolean => read((ctx) => epochs.isDue(ctx, timeNs) || gov.isDue(ctx, timeNs))

  return async () => {
    const until = now()
    if (isAnythingDue(until)) await prepare()
    for (let made = 0; isAnythingDue(until); made++) {
      if (made === MAX_TO_CATCH_UP) {
        throw queryError(
          'resourceExhausted',
          `epochs or proposals are due after ${made} blocks that were made for them`,
        )
      }
      await nextBlock()
      // Yield to requests between thousands of blocks.
      if (made % 16 === 15) await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
