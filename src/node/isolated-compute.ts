/** A separate pool for jobs that might not end, so that no call waits for a script to exceed its time. */
import { isIsolated } from '../app/trace-jobs.ts'
import type { ComputePool } from './workers/pool.ts'
import { addStats, NO_STATS } from './workers/pool-stats.ts'

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
    stats: () => addStats(usual.stats(), isolated?.stats() ?? NO_STATS),
    async stop() {
      await Promise.all([usual.stop(), isolated?.stop()])
    },
  }
}
