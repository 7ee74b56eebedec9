/** Log of a node that catches up: how far it is, how fast, and how long the rest takes. */
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

/**
 * Returns a listener of blocks that writes a record every ten seconds while the node is behind, and one when it has caught up. `behindMs` is the
 * age of the block, from which the rest follows where nobody says how many blocks are left.
 */
export function logCatchUp({ status, elapsed, log }: Parts): (height: bigint, behindMs: number) => void {
  let since: { readonly atMs: number; readonly height: bigint; readonly behindMs: number } | undefined
  let hasLogged = false
  return (height, behindMs) => {
    const { catchingUp, follow } = status()
    if (!catchingUp) {
      if (hasLogged) log('info', 'caught up', { height })
      since = undefined
      hasLogged = false
      return
    }
    const atMs = elapsed()
    since ??= { atMs, height, behindMs }
    const tookMs = atMs - since.atMs
    if (tookMs < EVERY_MS) return
    const rate = Number(height - since.height) / (tookMs / 1000)
    const gained = (since.behindMs - behindMs) / tookMs
    const seconds = follow?.lagBlocks === undefined ? behindMs / 1000 / gained : Number(follow.lagBlocks) / rate
    const left = seconds >= 0 && Number.isFinite(seconds) ? { seconds_left: Math.ceil(seconds) } : {}
    const node = follow?.nodeHeight === undefined ? {} : { node_height: follow.nodeHeight }
    log('info', 'catches up', { height, ...node, blocks_per_second: Number(rate.toFixed(1)), ...left })
    since = { atMs, height, behindMs }
    hasLogged = true
  }
}
