/** The waiting transactions of one sender, in the order of their nonces. */
import type { PooledTx } from './pooled-tx.ts'

/** A place in the pool. */
export interface Slot {
  tx: PooledTx
  /** Its order of arrival. */
  readonly arrival: number
  /** The check state on which the transaction passed last. */
  checkedAt: number
  /** Memory that it counts for. */
  readonly heldBytes: number
}

export interface SenderQueue {
  readonly sender: string
  /** The next nonce that a block can include. */
  next: bigint
  /** The check state that `next` is from. */
  checkedAt: number
  /** Number of slots from the first on that no nonce is missing before. */
  ready: number
  /** Counts the changes of the queue. */
  version: number
  /** Memory of the slots. */
  heldBytes: number
  readonly slots: Slot[]
}

export function createSenderQueue(sender: string, next: bigint, checkedAt: number): SenderQueue {
  return { sender, next, checkedAt, ready: 0, version: 0, heldBytes: 0, slots: [] }
}

/** Returns the nonce of a transaction that this queue orders it by: the one of its sender, which can be any of the signers. */
export function nonceIn({ sender }: SenderQueue, { order }: PooledTx): bigint {
  if (order.sender === sender) return order.nonce
  return order.others?.find((one) => one.sender === sender)?.nonce ?? order.nonce
}

/** Returns the index of the first slot with at least this nonce. */
function indexOf(queue: SenderQueue, nonce: bigint): number {
  let low = 0
  let high = queue.slots.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (nonceIn(queue, queue.slots[middle]!.tx) < nonce) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the slot with a nonce. */
export function slotAt(queue: SenderQueue, nonce: bigint): Slot | undefined {
  const slot = queue.slots[indexOf(queue, nonce)]
  return slot && nonceIn(queue, slot.tx) === nonce ? slot : undefined
}

function extendReady(queue: SenderQueue): void {
  const { slots } = queue
  while (queue.ready < slots.length && nonceIn(queue, slots[queue.ready]!.tx) === queue.next + BigInt(queue.ready)) {
    queue.ready++
  }
}

export function insert(queue: SenderQueue, slot: Slot): void {
  const at = indexOf(queue, nonceIn(queue, slot.tx))
  queue.slots.splice(at, 0, slot)
  queue.heldBytes += slot.heldBytes
  queue.version++
  if (at <= queue.ready) extendReady(queue)
}

/** Removes a slot. With `included` the next nonce moves on, so that the following slots stay ready. */
export function remove(queue: SenderQueue, slot: Slot, included = false): void {
  const at = queue.slots.indexOf(slot)
  queue.slots.splice(at, 1)
  queue.heldBytes -= slot.heldBytes
  queue.version++
  if (included) {
    queue.next = nonceIn(queue, slot.tx) + 1n
    queue.ready = Math.max(0, queue.ready - 1)
  } else queue.ready = Math.min(queue.ready, at)
  extendReady(queue)
}

/** Sets the next nonce as of a check state. */
export function setNext(queue: SenderQueue, next: bigint, checkedAt: number): void {
  queue.checkedAt = checkedAt
  if (next === queue.next) return
  queue.next = next
  queue.ready = 0
  queue.version++
  extendReady(queue)
}

/** Whether no nonce is missing before this one. */
export function isReadyAt(queue: SenderQueue, nonce: bigint): boolean {
  return nonce <= queue.next + BigInt(queue.ready)
}
