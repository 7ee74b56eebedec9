/** The header that proofs of the tip wait for: it holds the app hash of the height before it. */

/** Least distance between two blocks that are made for a proof alone. */
const SPACING_MS = 1000

/** What the engine lends to `createNextHeader`. */
export interface HeaderSource {
  latestHeight(): bigint
  nextBlock(): Promise<unknown>
  /** Monotonic clock, milliseconds. */
  elapsed(): number
}

/** A function for `Driver.nextHeader`: whoever waits at one time waits for the same block. */
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
