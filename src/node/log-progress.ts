/** Progress of long work of a node in its log, where no terminal shows it. */
import type { Progress } from '../primitives/progress.ts'
import type { Log } from './log.ts'

/** Time between two records. */
const EVERY_MS = 10_000

/** Writes a record every ten seconds: how much is done, how fast, and how long the rest takes. `elapsed` is monotonic, milliseconds. */
export function logProgress(log: Log, elapsed: () => number): Progress {
  return (what) => {
    const begin = elapsed()
    let last = begin
    return (done, total, also = {}) => {
      const now = elapsed()
      if (now - last < EVERY_MS) return
      last = now
      const seconds = (now - begin) / 1000
      const left = done > 0 ? { seconds_left: Math.ceil(((total - done) / done) * seconds) } : {}
      const [counted = done] = Object.values(also)
      const rate = Number((counted / seconds).toFixed(1))
      log('info', what, { done: Number(done.toFixed(2)), of: total, ...also, per_second: rate, ...left })
    }
  }
}
