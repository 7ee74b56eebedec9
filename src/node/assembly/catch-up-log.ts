/** Log of a replica that catches up: how far it is, how fast, and how long the rest takes. */
import type { FollowStatus } from '../../consensus/driver.ts'
import type { Log } from '../log.ts'

/** Time between two records. */
const EVERY_MS = 10_000

interface Parts {
  readonly status: () => { readonly catchingUp: boolean; readonly follow?: FollowStatus | undefined }
  /** Monotonic time, milliseconds. */
  readonly elapsed: () => number
  readonly log: Log
}

/** Returns a listener of blocks that writes a record every ten seconds while the replica is behind its node, and one when it has caught up. */
export function logCatchUp({ status, elapsed, log }: Parts): (height: bigint) => void {
  let since: { readonly atMs: number; readonly height: bigint } | undefined
  let hasLogged = false
  return (height) => {
    const { catchingUp, follow } = status()
    if (!catchingUp) {
      if (hasLogged) log('info', 'caught up', { height })
      since = undefined
      hasLogged = false
      return
    }
    const atMs = elapsed()
    since ??= { atMs, height }
    const tookMs = atMs - since.atMs
    if (tookMs < EVERY_MS) return
    const rate = Number(height - since.height) / (tookMs / 1000)
    const left =
      follow?.lagBlocks === undefined || rate <= 0 ? {} : { seconds_left: Math.ceil(Number(follow.lagBlocks) / rate) }
    const node = follow?.nodeHeight === undefined ? {} : { node_height: follow.nodeHeight }
    log('info', 'catches up', { height, ...node, blocks_per_second: Number(rate.toFixed(1)), ...left })
    since = { atMs, height }
    hasLogged = true
  }
}
