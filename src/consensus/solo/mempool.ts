/** Transactions that wait for a block, in order of arrival, and of nonce within a sender. */
import type { CheckResult } from '../../app/types.ts'
import { toKey } from '../../primitives/bytes.ts'
import { errors } from '../../sdk/errors.ts'
import { underpriced } from '../admission.ts'
import type { PendingTx } from '../driver.ts'

export interface MempoolLimits {
  readonly maxTxs: number
  readonly maxBytes: number
  /** Largest single transaction, bytes. */
  readonly maxTxBytes: number
  /** Limit of waiting EVM transactions per sender. */
  readonly slotsPerSender: number
}

export interface PooledTx extends PendingTx {
  readonly order: NonNullable<CheckResult['order']>
  readonly gasWanted: bigint
}

interface BlockLimits {
  readonly maxBytes: number
  /** 0 or negative: no limit. */
  readonly maxGas: bigint
}

export interface Mempool {
  /** Whether the pool has a transaction with this hash. */
  has(hash: Uint8Array): boolean
  /** Throws sdk 20 if the pool has no room for a transaction of this size, sdk 21 if the size exceeds the limit. */
  requireRoom(sizeBytes: number): void
  /**
   * Adds a transaction. Replaces an Ethereum transaction of the same sender and nonce if the new one offers at least a tenth
   * more in cap and tip, and returns the replaced one. Throws sdk 19 if the pool has it already or the nonce is taken by a
   * better one, sdk 20 if its sender has no slot left.
   */
  add(tx: PooledTx): PooledTx | undefined
  /** Removes a transaction and returns it; undefined if the pool does not have it. */
  drop(hash: Uint8Array): PooledTx | undefined
  /** Removes all transactions. */
  clear(): void
  /** Whether the next block can include a transaction: no nonce before it is missing. */
  isReady(tx: PooledTx): boolean
  hasReady(): boolean
  /** Removes and returns the transactions of a block: by arrival, each sender's by nonce without gaps, up to the limits. */
  take(limits: BlockLimits): PooledTx[]
  /** Checks all transactions again after a block, in order. Removes and returns those that fail. */
  recheck(check: (tx: PooledTx) => CheckResult): { readonly tx: PooledTx; readonly result: CheckResult }[]
  pending(): readonly PooledTx[]
  size(): { readonly count: number; readonly sizeBytes: number }
}

interface Queue {
  /** The next nonce that a block can include. */
  next: bigint
  readonly byNonce: Map<bigint, PooledTx>
}

const PERCENT_MORE = 10n

/** Whether an Ethereum transaction offers enough to replace another, by geth's rule. */
function outbids({ order }: PooledTx, { order: rival }: PooledTx): boolean {
  const isEnough = (offered: bigint | undefined, least: bigint | undefined): boolean =>
    offered !== undefined && least !== undefined && offered * 100n >= least * (100n + PERCENT_MORE) && offered > least
  return isEnough(order.feeCapWei, rival.feeCapWei) && isEnough(order.tipCapWei, rival.tipCapWei)
}

/** Keeps the order of arrival between senders, and sorts each sender's transactions by nonce. */
function byNonceWithinSender(txs: readonly PooledTx[]): PooledTx[] {
  const bySender = new Map<string, PooledTx[]>()
  for (const tx of txs) {
    const own = bySender.get(tx.order.sender)
    if (own) own.push(tx)
    else bySender.set(tx.order.sender, [tx])
  }
  for (const own of bySender.values()) own.sort((a, b) => (a.order.nonce > b.order.nonce ? -1 : 1))
  return txs.map(({ order }) => bySender.get(order.sender)!.pop()!)
}

/** Creates an empty pool. */
export function createMempool(limits: MempoolLimits): Mempool {
  /** In order of arrival. */
  let waiting = new Map<string, PooledTx>()
  const queues = new Map<string, Queue>()
  let sizeBytes = 0

  const remember = (tx: PooledTx) => {
    const { sender, nonce, stateNonce } = tx.order
    let queue = queues.get(sender)
    if (!queue) {
      queue = { next: stateNonce ?? nonce, byNonce: new Map() }
      queues.set(sender, queue)
    } else if (stateNonce !== undefined && stateNonce > queue.next) {
      queue.next = stateNonce
    }
    queue.byNonce.set(nonce, tx)
    waiting.set(toKey(tx.hash), tx)
    sizeBytes += tx.bytes.length
  }

  const forget = (tx: PooledTx) => {
    const { sender, nonce } = tx.order
    const queue = queues.get(sender)
    queue?.byNonce.delete(nonce)
    if (queue?.byNonce.size === 0) queues.delete(sender)
    waiting.delete(toKey(tx.hash))
    sizeBytes -= tx.bytes.length
  }

  const isReady = ({ order }: PooledTx): boolean => {
    const queue = queues.get(order.sender)
    if (!queue) return false
    for (let nonce = queue.next; nonce < order.nonce; nonce++) if (!queue.byNonce.has(nonce)) return false
    return true
  }

  return {
    has: (hash) => waiting.has(toKey(hash)),
    requireRoom(bytes) {
      if (bytes > limits.maxTxBytes) throw errors.txTooLarge(`${bytes} bytes, at most ${limits.maxTxBytes}`)
      if (waiting.size >= limits.maxTxs) throw errors.mempoolIsFull(`${waiting.size} transactions`)
      if (sizeBytes + bytes > limits.maxBytes) throw errors.mempoolIsFull(`${sizeBytes} bytes`)
    },
    add(tx) {
      if (waiting.has(toKey(tx.hash))) throw errors.txInMempool()
      const { sender, nonce } = tx.order
      const queue = queues.get(sender)
      const rival = queue?.byNonce.get(nonce)
      if (rival) {
        if (!outbids(tx, rival)) throw underpriced(nonce)
        forget(rival)
        remember(tx)
        return rival
      }
      if (tx.evm && queue && queue.byNonce.size >= limits.slotsPerSender) {
        throw errors.mempoolIsFull(`${queue.byNonce.size} transactions of the sender wait`)
      }
      remember(tx)
      return undefined
    },
    drop(hash) {
      const tx = waiting.get(toKey(hash))
      if (tx) forget(tx)
      return tx
    },
    clear() {
      waiting = new Map()
      queues.clear()
      sizeBytes = 0
    },
    isReady,
    hasReady() {
      for (const { next, byNonce } of queues.values()) if (byNonce.has(next)) return true
      return false
    },
    take({ maxBytes, maxGas }) {
      const taken: PooledTx[] = []
      const closed = new Set<string>()
      let bytes = 0
      let gas = 0n
      // A sender's lowest nonce takes the earliest slot.
      for (const { order } of [...waiting.values()]) {
        const queue = queues.get(order.sender)
        const tx = queue?.byNonce.get(queue.next)
        if (!queue || !tx || closed.has(order.sender)) continue
        if (bytes + tx.bytes.length > maxBytes || (maxGas > 0n && gas + tx.gasWanted > maxGas)) {
          closed.add(order.sender)
          continue
        }
        bytes += tx.bytes.length
        gas += tx.gasWanted
        queue.next++
        forget(tx)
        taken.push(tx)
      }
      return taken
    },
    recheck(check) {
      const failed: { tx: PooledTx; result: CheckResult }[] = []
      const all = [...waiting.values()]
      waiting = new Map()
      queues.clear()
      sizeBytes = 0
      for (const tx of byNonceWithinSender(all)) {
        const result = check(tx)
        if (result.code === 0 && result.order) remember({ ...tx, order: result.order })
        else failed.push({ tx, result })
      }
      return failed
    },
    pending: () => [...waiting.values()],
    size: () => ({ count: waiting.size, sizeBytes }),
  }
}
