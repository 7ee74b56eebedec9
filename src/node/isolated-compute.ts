/** A separate pool for jobs that might not end, so that no call waits for a script to exceed its time. */
import { isIsolated } from '../app/trace-jobs.ts'
import type { ComputePool, PoolStats } from './workers/pool.ts'

const NO_STATS: PoolStats = { waiting: 0, running: 0, done: 0, refused: 0, kills: 0 }

/**
 * Returns a pool that runs isolated jobs in a second pool, which `open` creates for the first of them, and all others in
 * `usual`.
 */
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
