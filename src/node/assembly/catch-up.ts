/** A node that catches up says how far it is, how fast, and how long the rest takes: in its log, or as a bar on a terminal. */
import type { FollowStatus } from '../../consensus/driver.ts'
import type { Progress, Report } from '../../primitives/progress.ts'
import type { Log } from '../log.ts'

/** Time between two records. */
const EVERY_MS = 10_000

interface Parts {
  readonly status: () => { readonly catchingUp: boolean; readonly follow?: FollowStatus | undefined }
  /** Monotonic time, milliseconds. */
  readonly elapsed: () => number
  readonly log: Log
  /** Draws bars; absent where the log shows the work. */
  readonly bar?: Progress | undefined
}

/** Called with each block. `behindMs` is its age, from which the rest follows where nobody says how many blocks are left. */
type OnBlock = (height: bigint, behindMs: number) => void

/** Returns a listener of blocks that shows the work while the node is behind, and writes a record when it has caught up. */
export function showCatchUp({ status, elapsed, log, bar }: Parts): OnBlock {
  let show: ((height: bigint, behindMs: number, follow: FollowStatus | undefined) => void) | undefined
  let beganMs = 0
  let erase: () => void = () => undefined

  function begin(height: bigint, behindMs: number, follow: FollowStatus | undefined): typeof show {
    beganMs = elapsed()
    if (!bar) return createRecords(elapsed, log, { height, behindMs })
    const report = bar(follow?.nodeHeight === undefined ? 'seconds synced' : 'blocks synced')
    erase = () => report(1, 1)
    return createBar(report, { height, behindMs })
  }

  return (height, behindMs) => {
    const { catchingUp, follow } = status()
    if (catchingUp) {
      show ??= begin(height, behindMs, follow)
      show!(height, behindMs, follow)
      return
    }
    if (!show) return
    erase()
    if (elapsed() - beganMs >= EVERY_MS) log('info', 'caught up', { height })
    show = undefined
  }
}

interface Begin {
  readonly height: bigint
  readonly behindMs: number
}

/** Shows the blocks of those that the node has or, where that is not known, how much of the age of the first block is made up for. */
function createBar(report: Report, begin: Begin) {
  let most = 0
  return (height: bigint, behindMs: number, follow: FollowStatus | undefined): void => {
    const blocks = Number(height - begin.height)
    if (follow?.nodeHeight !== undefined) {
      report(blocks, Number(follow.nodeHeight - begin.height))
      return
    }
    most = Math.max(most, (begin.behindMs - behindMs) / 1000)
    // A bar that is full is erased, and the node is still behind.
    if (behindMs > 0) report(most, begin.behindMs / 1000, { blocks })
  }
}

function createRecords(elapsed: () => number, log: Log, begin: Begin) {
  let since = { ...begin, atMs: elapsed() }
  return (height: bigint, behindMs: number, follow: FollowStatus | undefined): void => {
    const atMs = elapsed()
    const tookMs = atMs - since.atMs
    if (tookMs < EVERY_MS) return
    const rate = Number(height - since.height) / (tookMs / 1000)
    const gained = (since.behindMs - behindMs) / tookMs
    const seconds = follow?.lagBlocks === undefined ? behindMs / 1000 / gained : Number(follow.lagBlocks) / rate
    const left = seconds >= 0 && Number.isFinite(seconds) ? { seconds_left: Math.ceil(seconds) } : {}
    const node = follow?.nodeHeight === undefined ? {} : { node_height: follow.nodeHeight }
    log('info', 'catches up', { height, ...node, blocks_per_second: Number(rate.toFixed(1)), ...left })
    since = { atMs, height, behindMs }
  }
}
