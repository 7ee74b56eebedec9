/**
 * Holding blocks that come at once: an engine replays them, a replica catches up, or a tool mines many. A source has them, and gives
 * those again that this node lacks after a crash; the tool has no answer before the last one is durable. So they need not be durable
 * one by one, which would cost a wait for the disk each. Blocks that are decided meanwhile are durable with their commit.
 */
import type { Executor } from './execution.ts'

/** The most that is held: blocks, and the time of the first, milliseconds. */
export interface HoldLimits {
  readonly blocks: number
  readonly ms: number
}

export const HOLD_LIMITS: HoldLimits = { blocks: 100, ms: 200 }

export interface Holding {
  /** Whether a further block may be held. */
  takes(): boolean
  /** Notes that a block is held. */
  note(): void
  stop(): void
}

interface Dependencies {
  readonly executor: Pick<Executor, 'heldCount'>
  readonly limits: HoldLimits
  /** Makes held blocks durable, and halts the chain if that fails. */
  readonly flush: () => void
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
}

export function createHolding({ executor, limits, flush, elapsed }: Dependencies): Holding {
  /** Time of the first held block. */
  let since = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function end(): void {
    timer = undefined
    try {
      flush()
    } catch {
      // The chain has halted with the reason.
    }
  }

  return {
    takes() {
      const count = executor.heldCount()
      return count === 0 ? limits.blocks > 1 : count + 1 < limits.blocks && elapsed() - since < limits.ms
    },
    note() {
      if (executor.heldCount() > 1) return
      since = elapsed()
      clearTimeout(timer)
      // Nothing may come after the last one: an engine waits for its peers.
      if (Number.isFinite(limits.ms)) timer = setTimeout(end, limits.ms).unref()
    },
    stop: () => clearTimeout(timer),
  }
}
