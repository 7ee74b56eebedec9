/** The transactions of a block: which ones, and in which order. */
import { createHeap } from './heap.ts'
import type { PooledTx } from './pooled-tx.ts'
import type { SenderQueue, Slot } from './sender-queue.ts'

export interface BlockLimits {
  readonly maxBytes: number
  /** 0 or negative: no limit. */
  readonly maxGas: bigint
}

/** Rules of a node for its blocks. */
export interface SelectionRules {
  /** Orders by arrival alone; otherwise by price, then by arrival. */
  readonly byArrival?: boolean
  /** Maximum number of transactions; absent for no limit. */
  readonly blockTxs?: number
}

/** Transactions that do not fit after which no further one is tried, so that a large pool costs a block little time. */
const MOST_MISFITS = 1000
/** The same for a block without gas for a transfer: only small ordinary transactions can fit. */
const MOST_MISFITS_AT_END = 50
const TRANSFER_GAS = 21_000n

const arrivedBefore = (a: Slot, b: Slot): boolean => a.arrival < b.arrival

/** Whether a transaction runs before another: by price, then by arrival. */
function precedes(a: Slot, b: Slot): boolean {
  const [priceA, priceB] = [a.tx.order.priority, b.tx.order.priority]
  return priceA === priceB ? arrivedBefore(a, b) : priceA > priceB
}

/**
 * Selects the transactions of a block from the queues of a pool, which it does not change: the best price first, then by
 * arrival, unless the rules say otherwise, and each sender's by nonce. `passes` can refuse one, and remove it; its sender's later ones then have to wait.
 */
export function selectForBlock(
  queues: ReadonlyMap<string, SenderQueue>,
  { maxBytes, maxGas }: BlockLimits,
  passes: (slot: Slot) => boolean = () => true,
  { byArrival = false, blockTxs = Number.POSITIVE_INFINITY }: SelectionRules = {},
): Slot[] {
  /** Slots selected of a queue. */
  const taken = new Map<SenderQueue, number>()
  const headOf = (queue: SenderQueue): Slot | undefined => {
    const at = taken.get(queue) ?? 0
    return at < queue.ready ? queue.slots[at] : undefined
  }
  const queuesOf = ({ order }: PooledTx): readonly SenderQueue[] =>
    [order.sender, ...(order.others ?? []).map(({ sender }) => sender)].flatMap((sender) => queues.get(sender) ?? [])
  /** Whether every signer's queue has come to this transaction. */
  const isNext = (slot: Slot): boolean =>
    !slot.tx.order.others || queuesOf(slot.tx).every((one) => headOf(one) === slot)

  /** Moves the queues of a selected transaction on. */
  const pass = ({ tx }: Slot): void => {
    if (!tx.order.others) {
      const queue = queues.get(tx.order.sender)!
      taken.set(queue, (taken.get(queue) ?? 0) + 1)
      const following = headOf(queue)
      if (following && isNext(following)) heads.push(following)
      return
    }
    const own = queuesOf(tx)
    for (const queue of own) taken.set(queue, (taken.get(queue) ?? 0) + 1)
    const following = new Set(own.flatMap((queue) => headOf(queue) ?? []))
    for (const slot of following) if (isNext(slot)) heads.push(slot)
  }

  const first: Slot[] = []
  for (const queue of queues.values()) {
    const head = queue.ready > 0 ? queue.slots[0]! : undefined
    if (head && head.tx.order.sender === queue.sender && isNext(head)) first.push(head)
  }
  const heads = createHeap(byArrival ? arrivedBefore : precedes, first)
  const selected: Slot[] = []
  let bytes = 0
  let gas = 0n
  let misfits = 0
  for (let best = heads.pop(); best && selected.length < blockTxs; best = heads.pop()) {
    const { tx } = best
    if (bytes + tx.bytes.length > maxBytes || (maxGas > 0n && gas + tx.gasWanted > maxGas)) {
      const isAtEnd = maxGas > 0n && maxGas - gas < TRANSFER_GAS
      if (++misfits >= (isAtEnd ? MOST_MISFITS_AT_END : MOST_MISFITS)) break
      continue
    }
    if (!passes(best) || headOf(queues.get(tx.order.sender)!) !== best) continue
    bytes += tx.bytes.length
    gas += tx.gasWanted
    selected.push(best)
    pass(best)
  }
  return selected
}
