/** The work of compute pools, in numbers. */
export interface PoolStats {
  readonly waiting: number
  readonly running: number
  readonly done: number
  readonly refused: number
  /** Threads that were ended because a job did not stop or exceeded its memory. */
  readonly kills: number
}

export const NO_STATS: PoolStats = { waiting: 0, running: 0, done: 0, refused: 0, kills: 0 }

/** Returns the work of two pools together. */
export function addStats(one: PoolStats, other: PoolStats): PoolStats {
  return {
    waiting: one.waiting + other.waiting,
    running: one.running + other.running,
    done: one.done + other.done,
    refused: one.refused + other.refused,
    kills: one.kills + other.kills,
  }
}
