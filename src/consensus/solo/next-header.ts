/** Waiting for the next header: proofs at the tip need it, because it contains the app hash of the height before. */

/** Minimum time between two blocks that are made only for proofs. */
const SPACING_MS = 1000

/** The parts of the engine that `createNextHeader` uses. */
export interface HeaderSource {
  latestHeight(): bigint
  nextBlock(): Promise<unknown>
  /** Monotonic clock, milliseconds. */
  elapsed(): number
}

/** Returns the implementation of `Driver.nextHeader`. Concurrent callers wait for the same block. */
export function createNextHeader({
  latestHeight,
  nextBlock,
  elapsed,
}: HeaderSource): (height: bigint) => Promise<void> {
  let madeAt = Number.NEGATIVE_INFINITY
  let making: Promise<void> | undefined

  async function make(height: bigint): Promise<void> {
    const restMs = madeAt + SPACING_MS - elapsed()
    if (restMs > 0) {
      await new Promise((resolve) => {
        setTimeout(resolve, restMs).unref()
      })
    }
    if (latestHeight() > height) return
    madeAt = elapsed()
    await nextBlock()
  }

  return async (height) => {
    while (latestHeight() <= height) {
      making ??= make(latestHeight()).finally(() => {
        making = undefined
      })
      await making
    }
  }
}
