/** How far a replica is behind its node, and whether it goes on. */
import { NS_PER_MS } from '../../primitives/time.ts'
import type { FollowStatus, Halted } from '../driver.ts'
import { createListeners } from '../listeners.ts'
import type { NodeTip } from './source.ts'

export interface StatusOptions {
  /** Height and time of the latest block here; height 0 before the first. */
  readonly latest: () => { readonly height: bigint; readonly timeNs: bigint }
  /** The latest height that the stream is known to have. */
  readonly streamed: () => bigint | undefined
  /** Whether blocks are verified. */
  readonly verifies: boolean
  /** The height up to which a signed header confirms the app hash, at the begin. */
  readonly confirmed: bigint
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number
  readonly onListenerFailure: (error: unknown) => void
}

export interface ReplicaStatus {
  /** Returns the status as of the last change: the same object until the next one. */
  current(): FollowStatus
  /** Returns why the replica does not go on: the same object until it does. */
  stopped(): Halted | undefined
  /** The latest block of the node that has been asked for. */
  tip(): NodeTip | undefined
  setTip(tip: NodeTip): void
  /** Notes that a signed header states the app hash after a height. */
  confirm(height: bigint): void
  /** Notes that the replica does not go on; undefined: it does. Does nothing if it is the same reason. */
  stop(reason: string | undefined): void
  /** Takes the clock and the blocks into account, and tells the listeners if anything changes. */
  refresh(): void
  onChange(listener: () => void): () => void
}

/** Age of the node's last answer from which its height is not known. Unit: milliseconds. */
const STALE_MS = 10_000

const NEXT = 'what is verified is served; the replica goes on by itself once the cause is gone'

export function createStatus({
  latest,
  streamed,
  verifies,
  confirmed,
  now,
  onListenerFailure,
}: StatusOptions): ReplicaStatus {
  const listeners = createListeners<void>(onListenerFailure)
  /** `ours` is the latest height here when the node told of its own. */
  let nodeTip: (NodeTip & { readonly atMs: number; readonly ours: bigint }) | undefined
  let stopped: Halted | undefined
  let status = read()

  function read(): FollowStatus {
    const { height, timeNs } = latest()
    const isFresh = nodeTip !== undefined && now() - nodeTip.atMs <= STALE_MS
    // What was followed since it told of its latest block, the node has too.
    const hasMore = nodeTip !== undefined && height > nodeTip.ours && height > nodeTip.height
    const nodeHeight = isFresh ? (hasMore ? height : nodeTip!.height) : undefined
    const lagBlocks = nodeHeight === undefined ? undefined : nodeHeight > height ? nodeHeight - height : 0n
    const nodeTimeNs = isFresh ? nodeTip!.timeNs : BigInt(now()) * NS_PER_MS
    const isBehind = lagBlocks !== 0n && height > 0n && nodeTimeNs > timeNs
    const seen = streamed() ?? 0n
    return {
      nodeHeight,
      lagBlocks,
      lagSeconds: isBehind ? Number((nodeTimeNs - timeNs) / NS_PER_MS) / 1000 : 0,
      verifiedHeight: verifies ? height : undefined,
      confirmedHeight: verifies ? confirmed : undefined,
      queue: seen > height ? seen - height : 0n,
      ...(stopped && { stopped: stopped.reason }),
    }
  }

  function refresh(): void {
    const found = read()
    if (isSame(found, status)) return
    status = found
    listeners.notify()
  }

  return {
    current: () => status,
    stopped: () => stopped,
    tip: () => nodeTip,
    setTip(tip) {
      nodeTip = { ...tip, atMs: now(), ours: latest().height }
      refresh()
    },
    confirm(height) {
      confirmed = height
      refresh()
    },
    stop(reason) {
      if (stopped?.reason === reason) return
      stopped = reason === undefined ? undefined : { reason, next: NEXT, height: latest().height + 1n }
      refresh()
    },
    refresh,
    onChange: listeners.add,
  }
}

const FIELDS = [
  ...(['nodeHeight', 'lagBlocks', 'lagSeconds', 'verifiedHeight', 'confirmedHeight', 'queue', 'stopped'] as const),
]

const isSame = (one: FollowStatus, other: FollowStatus): boolean => FIELDS.every((name) => one[name] === other[name])
