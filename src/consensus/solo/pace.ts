/** The pace of blocks: after transactions arrive, at intervals, or on request. */
import type { BlockTiming, Mining } from '../driver.ts'

/** The longest delay of a timer. */
export const LONGEST_INTERVAL_MS = 2 ** 31 - 1

/** Longest delay of a block while transactions keep arriving. Fewer commits under load; a single transaction is not delayed. */
const GATHER_MS = 20

export interface Pace {
  timing(): BlockTiming
  mining(): Mining
  setMining(to: Mining): void
  /** Schedules a block for the end of the current burst of transactions. */
  schedule(): void
  start(): void
  stop(): void
}

interface Engine {
  /** Monotonic clock, milliseconds. */
  elapsed(): number
  /** Settles when the blocks and rollbacks in the queue are done. */
  queue(): Promise<unknown>
  /** Number of waiting transactions. */
  waiting(): number
  /** Whether the next block has a transaction to include, and blocks are made at all. */
  hasReady(): boolean
  nextBlock(): Promise<unknown>
}

export function createPace(timing: BlockTiming, engine: Engine): Pace {
  let mining: Mining = {
    automine: timing.mode === 'arrival',
    intervalMs: timing.mode === 'interval' ? timing.intervalMs : 0,
    everyMs: timing.mode === 'arrival' ? (timing.everyMs ?? 0) : 0,
  }
  /** Returns the time between blocks without transactions; 0 if none are made. */
  const interval = (): number => mining.intervalMs || (mining.automine ? mining.everyMs : 0)
  let scheduled = false
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule(): void {
    if (!mining.automine || scheduled || !engine.hasReady()) return
    scheduled = true
    void engine.queue().then(() => {
      const begun = engine.elapsed()
      let seen = 0
      const gather = () => {
        const count = engine.waiting()
        if (count > seen && engine.elapsed() - begun < GATHER_MS) {
          seen = count
          setImmediate(gather)
          return
        }
        scheduled = false
        if (!mining.automine || !engine.hasReady()) return
        engine.nextBlock().then(schedule, () => undefined)
      }
      setImmediate(gather)
    })
  }

  function start(): void {
    clearTimeout(timer)
    const intervalMs = interval()
    if (intervalMs === 0 || stopped) return
    const started = mining
    let due = engine.elapsed() + intervalMs
    const tick = () => {
      engine.nextBlock().then(
        () => {
          if (stopped || mining !== started) return
          const now = engine.elapsed()
          due = Math.max(due + intervalMs, now)
          timer = setTimeout(tick, due - now)
        },
        () => undefined,
      )
    }
    timer = setTimeout(tick, intervalMs)
  }

  return {
    timing() {
      const intervalMs = interval()
      if (intervalMs > 0) return { mode: 'interval', intervalMs }
      return { mode: mining.automine ? 'arrival' : 'manual' }
    },
    mining: () => mining,
    setMining(to) {
      mining = to
      start()
      schedule()
    },
    schedule,
    start,
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
