/** Transactions that wait for a block, the best price first, and in order of nonce within a sender. */
import type { CheckResult } from '../../app/types.ts'
import { refuse } from '../../evm/transaction/errors.ts'
import { toKey } from '../../primitives/bytes.ts'
import type { ChainError } from '../../primitives/errors.ts'
import { errors } from '../../sdk/errors.ts'
import { refusal, underpriced } from '../admission.ts'
import { createEviction } from './eviction.ts'
import type { PooledTx } from './pooled-tx.ts'
import { type BlockLimits, type SelectionRules, selectForBlock } from './selection.ts'
import {
  createSenderQueue,
  insert,
  isReadyAt,
  nonceIn,
  remove,
  type SenderQueue,
  type Slot,
  setNext,
  slotAt,
} from './sender-queue.ts'

export interface MempoolLimits extends SelectionRules {
  readonly maxTxs: number
  /** Memory of all waiting transactions, decoded. */
  readonly maxBytes: number
  /** Largest single transaction, bytes. */
  readonly maxTxBytes: number
  /** Limit of waiting transactions per sender. */
  readonly slotsPerSender: number
}

/** The transactions that left the pool to let another in. */
export interface Displaced {
  /** The transaction with the same sender and nonce. */
  readonly replaced?: PooledTx
  readonly evicted: readonly PooledTx[]
}

/** A transaction that no longer passes, and why. */
export interface Failed {
  readonly tx: PooledTx
  readonly result: CheckResult
}

/** Checks a waiting transaction on the present check state. */
type Recheck = (tx: PooledTx) => CheckResult

export interface Mempool {
  /** Whether the pool has a transaction with this hash. */
  has(hash: Uint8Array): boolean
  /** Returns the waiting transaction with this hash. */
  ofHash(hash: Uint8Array): PooledTx | undefined
  /** Returns the waiting Ethereum transaction with this Ethereum hash. */
  ofEvmHash(hash: Uint8Array): PooledTx | undefined
  /** Returns the waiting transactions of a sender by nonce, and how many of them no nonce is missing before. */
  ofSender(sender: Uint8Array): { readonly txs: readonly PooledTx[]; readonly ready: number }
  /** Returns the number of Ethereum transactions that no nonce is missing before, and of the others. */
  evmCounts(): { readonly ready: number; readonly queued: number }
  /** Throws sdk 21 if the size of a transaction exceeds the limit. */
  requireSize(sizeBytes: number): void
  /**
   * Adds a transaction that passed on the present check state. Replaces an Ethereum transaction of the same sender and nonce
   * if the new one offers at least a tenth more in cap and tip. A full pool evicts: for due votes and local accounts anything
   * of others; for others what waits behind a nonce gap, if the new one does not, and what pays less. Throws sdk 19 if the
   * pool has it already or the nonce is taken by a better one, sdk 20 if its sender has no slot or memory left, or nothing can be evicted
   * for it, and the refusal `insufficientFunds` if the payer could not pay all that waits.
   */
  add(tx: PooledTx): Displaced
  /** Removes a transaction and returns it; undefined if the pool does not have it. */
  drop(hash: Uint8Array): PooledTx | undefined
  /** Whether another waiting transaction has a signer of this one with a later sequence. */
  hasLater(tx: PooledTx): boolean
  /** Replaces all transactions by others, which are not checked. */
  restore(txs: readonly PooledTx[]): void
  /** Whether a block can include a transaction: no nonce before it is missing. */
  isReady(tx: PooledTx): boolean
  hasReady(): boolean
  /**
   * Returns the transactions of a block, up to the limits: the best price first, equal prices by arrival, each sender's by
   * nonce without gaps. One that does not fit lets others pass, except its sender's.
   */
  select(limits: BlockLimits): readonly PooledTx[]
  /** Selects the transactions of a block and removes them. Those that the check state has not seen are checked before. */
  take(
    limits: BlockLimits,
    recheck: Recheck,
  ): { readonly taken: readonly PooledTx[]; readonly failed: readonly Failed[] }
  /** Marks all transactions as not checked, because the check state was reset. */
  age(): void
  /**
   * Checks transactions that are not checked, ordinary ones first, until `shouldPause`. Removes and returns those that fail.
   * `done` says whether all are checked, `doneOrdinary` whether all ordinary ones are.
   */
  recheckSome(
    recheck: Recheck,
    shouldPause: () => boolean,
  ): { readonly failed: readonly Failed[]; readonly done: boolean; readonly doneOrdinary: boolean }
  pending(): readonly PooledTx[]
  size(): { readonly count: number; readonly sizeBytes: number }
  /** Returns a number that grows with every change. */
  version(): number
}

const PERCENT_MORE = 10n

/** Whether an Ethereum transaction offers enough to replace another, by geth's rule. */
function outbids({ order }: PooledTx, { order: rival }: PooledTx): boolean {
  const isEnough = (offered: bigint | undefined, least: bigint | undefined): boolean =>
    offered !== undefined && least !== undefined && offered * 100n >= least * (100n + PERCENT_MORE) && offered > least
  return isEnough(order.feeCapWei, rival.feeCapWei) && isEnough(order.tipCapWei, rival.tipCapWei)
}

/**
 * Returns the error of a transaction that its payer cannot pay in addition to what waits, or to what waits without the rival,
 * by geth's rule; undefined if it can.
 */
function fundsError({ evm, order }: PooledTx, queuedWei: bigint, rival?: PooledTx): ChainError | undefined {
  const { costWei, spendableWei } = order
  const moreWei = rival ? costWei - rival.order.costWei : costWei
  const overshotWei = queuedWei + moreWei - spendableWei
  if (overshotWei <= 0n) return undefined
  const cost = rival ? `tx bumped ${moreWei}` : `tx cost ${moreWei}`
  const detail = `balance ${spendableWei}, queued cost ${queuedWei}, ${cost}, overshot ${overshotWei}`
  return evm ? refuse('insufficientFunds', detail) : errors.insufficientFunds(detail)
}

/** Part of the memory that one sender can take: a divisor. Beyond: the transaction is refused. */
const SENDER_PART = 4

/** Times the slots and memory of a sender that it has for transactions which others of it wait for. Beyond: the transaction is refused. */
const MOST_AWAITED = 4

/** Whether a transaction is the next one of a sender, and later ones wait for it: refused, it would block them without end. */
function isAwaited(queue: SenderQueue, tx: PooledTx): boolean {
  const nonce = nonceIn(queue, tx)
  const last = queue.slots.at(-1)
  return isReadyAt(queue, nonce) && last !== undefined && nonceIn(queue, last.tx) > nonce
}

/** Creates an empty pool. */
export function createMempool(limits: MempoolLimits): Mempool {
  /** In order of arrival. */
  const waiting = new Map<string, Slot>()
  const byEvmHash = new Map<string, Slot>()
  const queues = new Map<string, SenderQueue>()
  /** Costs of the waiting transactions by payer. Unit: wei. */
  const queuedWei = new Map<string, bigint>()
  /** The part of them that passed on the present check state. */
  const passedWei = new Map<string, bigint>()
  let sizeBytes = 0
  let heldBytes = 0
  let arrivals = 0
  let version = 0
  let readyQueues = 0
  /** Number of the present check state. */
  let state = 0
  let listed: { readonly version: number; readonly txs: readonly PooledTx[] } | undefined
  let counted: { readonly version: number; readonly ready: number; readonly queued: number } | undefined
  let unchecked: { readonly ordinary: Iterator<Slot>; readonly evm: Iterator<Slot>; doneOrdinary: boolean } | undefined
  const eviction = createEviction(queues)

  const queuesOf = ({ order }: PooledTx): SenderQueue[] =>
    [order.sender, ...(order.others ?? []).map(({ sender }) => sender)].flatMap((sender) => queues.get(sender) ?? [])

  const pay = ({ tx, checkedAt }: Slot, sign: 1n | -1n): void => {
    const { payer, costWei } = tx.order
    if (costWei === 0n) return
    for (const costs of checkedAt === state ? [queuedWei, passedWei] : [queuedWei]) {
      const total = (costs.get(payer) ?? 0n) + sign * costWei
      if (total === 0n) costs.delete(payer)
      else costs.set(payer, total)
    }
  }

  /** Changes a queue, and keeps the count of queues with a ready transaction. */
  const change = (queue: SenderQueue, by: () => void): void => {
    const before = queue.ready > 0
    by()
    readyQueues += Number(queue.ready > 0) - Number(before)
    if (queue.slots.length === 0) queues.delete(queue.sender)
    else eviction.note(queue)
  }

  const remember = (slot: Slot): void => {
    const { tx } = slot
    const { sender, nonce, stateNonce, others = [] } = tx.order
    for (const one of [{ sender, nonce: stateNonce ?? nonce }, ...others]) {
      let queue = queues.get(one.sender)
      if (!queue) {
        queue = createSenderQueue(one.sender, one.nonce, state)
        queues.set(one.sender, queue)
      }
      const found = queue
      change(found, () => {
        if (found.checkedAt !== state) setNext(found, one.nonce, state)
        insert(found, slot)
      })
    }
    waiting.set(toKey(tx.hash), slot)
    if (tx.evm) byEvmHash.set(toKey(tx.evm.hash), slot)
    pay(slot, 1n)
    sizeBytes += tx.bytes.length
    heldBytes += slot.heldBytes
    version++
  }

  const forget = (slot: Slot, included = false): void => {
    const { tx } = slot
    for (const queue of queuesOf(tx)) change(queue, () => remove(queue, slot, included))
    waiting.delete(toKey(tx.hash))
    if (tx.evm) byEvmHash.delete(toKey(tx.evm.hash))
    pay(slot, -1n)
    sizeBytes -= tx.bytes.length
    heldBytes -= slot.heldBytes
    version++
  }

  const place = (tx: PooledTx, checkedAt: number): void =>
    remember({ tx, arrival: arrivals++, checkedAt, heldBytes: tx.order.heldBytes })

  const isFull = (more: number): boolean => waiting.size >= limits.maxTxs || heldBytes + more > limits.maxBytes

  /** Throws sdk 20 if a signer's waiting transactions leave no slot or no memory for another one. */
  function requireShare(queue: SenderQueue, tx: PooledTx, isReplacement: boolean): void {
    const times = isAwaited(queue, tx) ? MOST_AWAITED : 1
    const { length } = queue.slots
    if (!isReplacement && length >= limits.slotsPerSender * times) {
      throw errors.mempoolIsFull(`${length} transactions of the sender wait`)
    }
    const share = Math.floor((limits.maxBytes / SENDER_PART) * times)
    if (queue.heldBytes + tx.order.heldBytes <= share) return
    const taken = `transactions of the sender take ${queue.heldBytes} bytes of memory, this one ${tx.order.heldBytes}`
    throw errors.mempoolIsFull(`${taken}, and mempool.max_bytes allows ${share} to a sender`)
  }

  /** Evicts what a new transaction displaces. Throws sdk 20, and evicts nothing, if that is not enough. */
  function makeRoom(tx: PooledTx, isReady: boolean): readonly PooledTx[] {
    const evicted: Slot[] = []
    while (isFull(tx.order.heldBytes)) {
      const worst = eviction.worstFor(tx, isReady, evicted.length)
      if (!worst) {
        for (const slot of evicted) remember(slot)
        const rule = `and this one of ${tx.order.heldBytes} does not pay more than any of them`
        const held = `which take ${heldBytes} bytes of memory`
        throw errors.mempoolIsFull(`${waiting.size} transactions of ${sizeBytes} bytes wait, ${held}, ${rule}`)
      }
      forget(worst)
      evicted.push(worst)
    }
    return evicted.map(leftOf)
  }

  /** Returns a transaction that has left. The check state has deducted its fee only if it passed there. */
  function leftOf({ tx, checkedAt }: Slot): PooledTx {
    return checkedAt === state ? tx : { ...tx, order: { ...tx.order, deducted: [] } }
  }

  /** Checks one transaction on the present check state. Returns the failure, after removing it. */
  function recheckOne(slot: Slot, recheck: Recheck): Failed | undefined {
    const { tx } = slot
    const result = recheck(tx)
    const passed = result.code === 0 && result.order ? { ...tx, order: result.order } : undefined
    const unpaid = passed && fundsError(passed, passedWei.get(passed.order.payer) ?? 0n)
    if (!passed || unpaid) {
      forget(slot)
      return { tx, result: unpaid ? refusal(unpaid) : result }
    }
    pay(slot, -1n)
    slot.tx = passed
    slot.checkedAt = state
    pay(slot, 1n)
    version++
    for (const queue of queuesOf(slot.tx)) {
      change(queue, () => {
        queue.version++
        if (queue.checkedAt === state) return
        const isOwn = queue.sender === result.order!.sender
        setNext(queue, (isOwn ? result.order!.stateNonce : undefined) ?? nonceIn(queue, slot.tx), state)
      })
    }
    return undefined
  }

  /** Yields the slots of a kind that are not checked: each sender's by nonce, senders by arrival. */
  function* uncheckedSlots(isEvm: boolean): IterableIterator<Slot> {
    const isDue = (slot: Slot): boolean => slot.checkedAt !== state && (slot.tx.evm !== undefined) === isEvm
    for (const slot of waiting.values()) {
      if (!isDue(slot)) continue
      const queue = isEvm ? queues.get(slot.tx.order.sender) : undefined
      if (queue) yield* queue.slots.filter(isDue)
      else yield slot
    }
  }

  return {
    ofHash: (hash) => waiting.get(toKey(hash))?.tx,
    has: (hash) => waiting.has(toKey(hash)),
    ofEvmHash: (hash) => byEvmHash.get(toKey(hash))?.tx,
    ofSender(sender) {
      const queue = queues.get(toKey(sender))
      return { txs: queue?.slots.map(({ tx }) => tx) ?? [], ready: queue?.ready ?? 0 }
    },
    evmCounts() {
      if (counted?.version === version) return counted
      let ready = 0
      for (const queue of queues.values()) {
        for (let at = 0; at < queue.ready; at++) if (queue.slots[at]!.tx.evm) ready++
      }
      counted = { version, ready, queued: byEvmHash.size - ready }
      return counted
    },
    requireSize(bytes) {
      if (bytes > limits.maxTxBytes) throw errors.txTooLarge(`${bytes} bytes, at most ${limits.maxTxBytes}`)
    },
    add(tx) {
      if (waiting.has(toKey(tx.hash))) throw errors.txInMempool()
      const { sender, nonce, stateNonce, isDueVote, payer } = tx.order
      const queue = queues.get(sender)
      const rival = queue && slotAt(queue, nonce)
      if (rival && !outbids(tx, rival.tx)) throw underpriced(nonce)
      const unpaid = fundsError(tx, queuedWei.get(payer) ?? 0n, rival?.tx)
      if (unpaid) throw unpaid
      const isReady = queue ? isReadyAt(queue, nonce) : nonce === (stateNonce ?? nonce)
      if (rival) forget(rival)
      try {
        const isNoMore = isDueVote || (rival !== undefined && tx.order.heldBytes <= rival.heldBytes)
        for (const one of isNoMore ? [] : queuesOf(tx)) requireShare(one, tx, rival !== undefined)
        const evicted = makeRoom(tx, isReady)
        place(tx, state)
        return rival ? { replaced: rival.tx, evicted } : { evicted }
      } catch (error) {
        if (rival) remember(rival)
        throw error
      }
    },
    drop(hash) {
      const slot = waiting.get(toKey(hash))
      if (slot) forget(slot)
      return slot && leftOf(slot)
    },
    hasLater: (tx) => queuesOf(tx).some((queue) => nonceIn(queue, queue.slots.at(-1)!.tx) > nonceIn(queue, tx)),
    restore(txs) {
      waiting.clear()
      byEvmHash.clear()
      queues.clear()
      queuedWei.clear()
      passedWei.clear()
      eviction.clear()
      sizeBytes = 0
      heldBytes = 0
      readyQueues = 0
      version++
      for (const tx of txs) place(tx, -1)
    },
    isReady({ order }) {
      const queue = queues.get(order.sender)
      return queue !== undefined && isReadyAt(queue, order.nonce)
    },
    hasReady: () => readyQueues > 0,
    select: (blockLimits) => selectForBlock(queues, blockLimits, undefined, limits).map(({ tx }) => tx),
    take(blockLimits, recheck) {
      const failed: Failed[] = []
      const passes = (slot: Slot): boolean => {
        const failure = slot.checkedAt === state ? undefined : recheckOne(slot, recheck)
        if (failure) failed.push(failure)
        return !failure
      }
      const slots = selectForBlock(queues, blockLimits, passes, limits)
      for (const slot of slots) forget(slot, true)
      return { taken: slots.map(({ tx }) => tx), failed }
    },
    age() {
      state++
      passedWei.clear()
      unchecked = { ordinary: uncheckedSlots(false), evm: uncheckedSlots(true), doneOrdinary: false }
    },
    recheckSome(recheck, shouldPause) {
      const failed: Failed[] = []
      while (unchecked) {
        const { done, value: slot } = (unchecked.doneOrdinary ? unchecked.evm : unchecked.ordinary).next()
        if (done) {
          if (unchecked.doneOrdinary) unchecked = undefined
          else unchecked.doneOrdinary = true
          continue
        }
        if (slot.checkedAt === state || !waiting.has(toKey(slot.tx.hash))) continue
        const failure = recheckOne(slot, recheck)
        if (failure) failed.push(failure)
        if (shouldPause()) break
      }
      return { failed, done: !unchecked, doneOrdinary: unchecked?.doneOrdinary ?? true }
    },
    pending() {
      if (listed?.version !== version) listed = { version, txs: [...waiting.values()].map(({ tx }) => tx) }
      return listed.txs
    },
    size: () => ({ count: waiting.size, sizeBytes }),
    version: () => version,
  }
}
