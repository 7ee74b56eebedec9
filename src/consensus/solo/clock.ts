/** The time of blocks: the wall clock, shifted, set or stepped as the tools of a development chain ask. Unit: nanoseconds. */

import { NS_PER_MS } from '../../primitives/time.ts'

/** Least distance between two blocks' times. */
export const TIME_STEP_NS = NS_PER_MS

/** All that a clock remembers. */
export interface ClockState {
  /** Added to the wall clock. */
  readonly offsetNs: bigint
  /** Exact time of the next block. */
  readonly nextNs: bigint | undefined
  /** Distance of each block from the one before. */
  readonly intervalNs: bigint | undefined
}

export interface BlockClock {
  /** Time of the block after one at `lastNs`. */
  next(lastNs: bigint): bigint
  /** Told of the time that a block got: what was asked for one block alone is done. A step ahead moves the clock too. */
  used(timeNs: bigint, stepped: boolean): void
  /** Puts the clock forward, or back. */
  shift(byNs: bigint): void
  /** The shifted wall clock. */
  now(): bigint
  state(): ClockState
  restore(state: ClockState): void
}

const REAL: ClockState = { offsetNs: 0n, nextNs: undefined, intervalNs: undefined }

export function createBlockClock(wall: () => bigint): BlockClock {
  let state = REAL
  return {
    next(lastNs) {
      const { nextNs, intervalNs, offsetNs } = state
      const least = lastNs + TIME_STEP_NS
      const wanted = nextNs ?? (intervalNs === undefined ? wall() + offsetNs : lastNs + intervalNs)
      return wanted < least ? least : wanted
    },
    used(timeNs, stepped) {
      const { nextNs, intervalNs } = state
      if (!stepped && nextNs === undefined && intervalNs === undefined) return
      state = { offsetNs: timeNs - wall(), nextNs: undefined, intervalNs }
    },
    shift(byNs) {
      state = { ...state, offsetNs: state.offsetNs + byNs }
    },
    now: () => wall() + state.offsetNs,
    state: () => state,
    restore(to) {
      state = to
    },
  }
}
