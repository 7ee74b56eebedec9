/** The order in which a full pool evicts: the last transactions of senders, the least worth keeping first. */
import { createHeap, type Heap } from './heap.ts'
import type { PooledTx } from './pooled-tx.ts'
import type { SenderQueue, Slot } from './sender-queue.ts'

/** The last transaction of a sender, as of a version of its queue. */
interface Candidate {
  readonly queue: SenderQueue
  readonly version: number
  readonly slot: Slot
  readonly rank: number
  readonly isReady: boolean
}

export interface Eviction {
  /** Notes that a queue has changed. */
  note(queue: SenderQueue): void
  /**
   * Returns the transaction that a new one may displace first; undefined if it may displace none, or has displaced
   * `MOST_EVICTED` already. The caller removes it.
   */
  worstFor(tx: PooledTx, isReady: boolean, evicted: number): Slot | undefined
  clear(): void
}

/** Limit of transactions that one transaction can displace. */
const MOST_EVICTED = 64
/** Outdated candidates that are kept for each current one. */
const OUTDATED = 4

/** Returns the rank of a transaction: one of a lower rank makes room for any of a higher one. */
const rankOf = ({ order, isLocal }: PooledTx): number => (order.isDueVote ? 2 : isLocal ? 1 : 0)

function precedes(a: Candidate, b: Candidate): boolean {
  if (a.rank !== b.rank) return a.rank < b.rank
  if (a.isReady !== b.isReady) return !a.isReady
  const [priceA, priceB] = [a.slot.tx.order.priority, b.slot.tx.order.priority]
  return priceA === priceB ? a.slot.arrival > b.slot.arrival : priceA < priceB
}

function isDisplacedBy({ slot, rank, isReady }: Candidate, tx: PooledTx, isNewReady: boolean): boolean {
  const newRank = rankOf(tx)
  if (rank !== newRank) return rank < newRank
  if (!isReady && isNewReady) return true
  return slot.tx.order.priority < tx.order.priority && (isNewReady || !isReady)
}

const isSignerOf = ({ order }: PooledTx, sender: string): boolean =>
  order.sender === sender || (order.others?.some((one) => one.sender === sender) ?? false)

function candidateOf(queue: SenderQueue): Candidate {
  const slot = queue.slots.at(-1)!
  const isReady = queue.ready === queue.slots.length
  return { queue, version: queue.version, slot, rank: rankOf(slot.tx), isReady }
}

/** Creates the order of eviction over the queues of a pool. It is built when the pool is full for the first time. */
export function createEviction(queues: ReadonlyMap<string, SenderQueue>): Eviction {
  let heap: Heap<Candidate> | undefined

  /** Whether a candidate is up to date, and the last transaction of all its signers, so that no other one builds on it. */
  const isCurrent = ({ queue, version, slot }: Candidate): boolean =>
    queue.version === version &&
    queues.get(queue.sender) === queue &&
    (slot.tx.order.others ?? []).every(({ sender }) => queues.get(sender)?.slots.at(-1) === slot) &&
    queues.get(slot.tx.order.sender)?.slots.at(-1) === slot

  const build = (): Heap<Candidate> => createHeap(precedes, [...queues.values()].map(candidateOf))

  return {
    note(queue) {
      if (!heap) return
      if (heap.size > OUTDATED * (queues.size + 64)) heap = undefined
      else heap.push(candidateOf(queue))
    },
    worstFor(tx, isReady, evicted) {
      if (evicted >= MOST_EVICTED) return undefined
      heap ??= build()
      const own: Candidate[] = []
      let found: Candidate | undefined
      for (let worst = heap.peek(); worst && !found; worst = heap.peek()) {
        if (isCurrent(worst)) {
          if (!isSignerOf(tx, worst.queue.sender)) {
            if (isDisplacedBy(worst, tx, isReady)) found = worst
            break
          }
          own.push(worst)
        }
        heap.pop()
      }
      for (const candidate of own) heap.push(candidate)
      return found?.slot
    },
    clear() {
      heap = undefined
    },
  }
}
