/** Jobs that may not end, kept away from all others: in a pool of their own, so that a call need not wait for a script's time to be up. */
import { isIsolated } from '../app/trace-jobs.ts'
import type { ComputePool, PoolStats } from './workers/pool.ts'

const NO_STATS: PoolStats = { waiting: 0, running: 0, done: 0, refused: 0, kills: 0 }

/** `usual` for all jobs but those that must be isolated; `open` makes the pool for these when the first comes. */
export function isolateScripts(usual: ComputePool, open: () => ComputePool): ComputePool {
  let isolated: ComputePool | undefined

  return {
    async run(name, payload, options) {
      if (!isIsolated(name, payload)) return usual.run(name, payload, options)
      isolated ??= open()
      return isolated.run(name, payload, options)
    },
    stats() {
      const [one, other] = [usual.stats(), isolated?.stats() ?? NO_STATS]
      return {
        waiting: one.waiting + other.waiting,
        running: one.running + other.running,
        done: one.done + other.done,
        refused: one.refused + other.refused,
        kills: one.kills + other.kills,
      }
    },
    async stop() {
      await Promise.all([usual.stop(), isolated?.stop()])
    },
  }
}
