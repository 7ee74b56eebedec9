/** When blocks are made: as transactions arrive, as time passes, or when asked. */
import type { BlockTiming, Mining } from '../driver.ts'

/** What timers can wait for. */
export const LONGEST_INTERVAL_MS = 2 ** 31 - 1

/** Longest time that a block waits while more transactions keep coming in: fewer commits under load, none the later alone. */
const GATHER_MS = 20

export interface Pace {
  timing(): BlockTiming
  mining(): Mining
  setMining(to: Mining): void
  /** With blocks on arrival: a block as soon as no more transactions come in from one turn of the loop to the next. */
  schedule(): void
  start(): void
  stop(): void
}

interface Engine {
  /** Monotonic clock, milliseconds. */
  elapsed(): number
  /** Settles when what is under way is done. */
  line(): Promise<unknown>
  /** Number of waiting transactions. */
  waiting(): number
  /** Whether one of them could be in a block now, and blocks are made at all. */
  hasReady(): boolean
  nextBlock(): Promise<unknown>
}

export function createPace(timing: BlockTiming, engine: Engine): Pace {
  let mining: Mining = {
    automine: timing.mode === 'arrival',
    intervalMs: timing.mode === 'interval' ? timing.intervalMs : timing.mode === 'arrival' ? (timing.everyMs ?? 0) : 0,
  }
  let scheduled = false
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule(): void {
    if (!mining.automine || scheduled || !engine.hasReady()) return
    scheduled = true
    void engine.line().then(() => {
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
    const { intervalMs } = mining
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
      const { automine, intervalMs } = mining
      if (intervalMs > 0) return { mode: 'interval', intervalMs }
      return { mode: automine ? 'arrival' : 'manual' }
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
