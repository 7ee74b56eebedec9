/** Notices that an engine decides no block, which by itself it only shows as a height that does not grow. */

/** Time without a block after which a network has stopped: a height whose proposer is missing takes seconds. */
export const STALLED_MS = 30_000
/** Time between two reports of one stop. */
const AGAIN_MS = 300_000

export interface StallWatch {
  /** A block was committed. */
  onBlock(): void
  /** Reports a stop, with its length in seconds. Call it each second. */
  look(): void
}

/** `elapsed` is a monotonic clock, milliseconds. */
export function createStallWatch(elapsed: () => number, report: (seconds: number) => void): StallWatch {
  let last = elapsed()
  let reported = Number.NEGATIVE_INFINITY
  return {
    onBlock() {
      last = elapsed()
      reported = Number.NEGATIVE_INFINITY
    },
    look() {
      const now = elapsed()
      if (now - last < STALLED_MS || now - reported < AGAIN_MS) return
      reported = now
      report(Math.round((now - last) / 1000))
    },
  }
}
