/** The clock of block times: the wall clock, which tools of a development chain can shift, set or step. Unit: nanoseconds. */

import { queryError } from '../../primitives/errors.ts'
import { NS_PER_MS } from '../../primitives/time.ts'

/** The end of the year 9999, the last time of a protobuf Timestamp. Unit: seconds. */
const LAST_SECOND = 253_402_300_799n

/** Minimum difference between the times of two blocks. */
export const TIME_STEP_NS = NS_PER_MS

/** The state of a clock. */
export interface ClockState {
  /** Added to the wall clock. */
  readonly offsetNs: bigint
  /** Exact time of the next block. */
  readonly nextNs: bigint | undefined
  /** Fixed difference between block times. */
  readonly intervalNs: bigint | undefined
}

export interface BlockClock {
  /** Returns the time of the block after one at `lastNs`. */
  next(lastNs: bigint): bigint
  /** Records the time of a block: a time set for one block is used up, and a step moves the clock with it. */
  record(timeNs: bigint, stepped: boolean): void
  /** Moves the clock forward or back. */
  shift(byNs: bigint): void
  /** Sets the clock. A time set for one block is forgotten. */
  set(timeNs: bigint): void
  /** Returns the shifted wall clock. */
  now(): bigint
  state(): ClockState
  restore(state: ClockState): void
}

/** Throws 3 for a time beyond the range of block times. */
export function checkTime(seconds: bigint): void {
  if (seconds > LAST_SECOND) throw queryError('invalidArgument', `a block cannot be later than ${LAST_SECOND} seconds`)
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
    record(timeNs, stepped) {
      const { nextNs, intervalNs } = state
      if (!stepped && nextNs === undefined && intervalNs === undefined) return
      state = { offsetNs: timeNs - wall(), nextNs: undefined, intervalNs }
    },
    shift(byNs) {
      state = { ...state, offsetNs: state.offsetNs + byNs }
    },
    set(timeNs) {
      state = { ...state, offsetNs: timeNs - wall(), nextNs: undefined }
    },
    now: () => wall() + state.offsetNs,
    state: () => state,
    restore(to) {
      state = to
    },
  }
}
