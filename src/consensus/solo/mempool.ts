/** Transactions that wait for a block, the best price first, and in order of nonce within a sender. */
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
  /** Time of arrival, on a clock in milliseconds that never goes back. */
  readonly sinceMs: number
  readonly order: NonNullable<CheckResult['order']>
  readonly gasWanted: bigint
}

interface BlockLimits {
  readonly maxBytes: number
  /** 0 or negative: no limit. */
  readonly maxGas: bigint
}

/** The transactions that left the pool to let another in. */
export interface Displaced {
  /** The transaction with the same sender and nonce. */
  readonly replaced?: PooledTx
  /** Transactions that pay less, or wait behind a nonce gap. */
  readonly evicted: readonly PooledTx[]
}

export interface Mempool {
  /** Whether the pool has a transaction with this hash. */
  has(hash: Uint8Array): boolean
  /** Throws sdk 21 if the size of a transaction exceeds the limit. */
  requireSize(sizeBytes: number): void
  /**
   * Adds a transaction. Replaces an Ethereum transaction of the same sender and nonce if the new one offers at least a tenth
   * more in cap and tip. A full pool evicts transactions behind a nonce gap for one that is ready, and any for one that pays
   * more. Throws sdk 19 if the pool has it already or the nonce is taken by a better one, sdk 20 if its sender has no slot left
   * or nothing can be evicted for it.
   */
  add(tx: PooledTx): Displaced
  /** Removes a transaction and returns it; undefined if the pool does not have it. */
  drop(hash: Uint8Array): PooledTx | undefined
  /** Removes all transactions. */
  clear(): void
  /** Whether the next block can include a transaction: no nonce before it is missing. */
  isReady(tx: PooledTx): boolean
  hasReady(): boolean
  /**
   * Removes and returns the transactions of a block, up to the limits: the best price first, equal prices by arrival, each
   * sender's by nonce without gaps. One that does not fit lets others pass, except its sender's.
   */
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

/** A sender's next transaction, and the place that it has among equal prices. */
interface Candidate {
  readonly tx: PooledTx
  readonly queue: Queue
  /** Places of the sender's transactions, the earliest last. */
  readonly places: number[]
}

/** Whether a candidate precedes another: by price, then by place. */
function precedes(a: Candidate, b: Candidate): boolean {
  const [priceA, priceB] = [a.tx.order.priority, b.tx.order.priority]
  return priceA === priceB ? a.places.at(-1)! < b.places.at(-1)! : priceA > priceB
}

/** Inserts a candidate into a list that is sorted with the best one last. */
function insert(sorted: Candidate[], candidate: Candidate): void {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (precedes(candidate, sorted[middle]!)) low = middle + 1
    else high = middle
  }
  sorted.splice(low, 0, candidate)
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

  /** Whether a transaction would be ready in the pool. */
  const wouldBeReady = ({ order }: PooledTx): boolean => {
    const queue = queues.get(order.sender)
    for (let nonce = queue?.next ?? order.stateNonce ?? order.nonce; nonce < order.nonce; nonce++) {
      if (!queue?.byNonce.has(nonce)) return false
    }
    return true
  }

  /** Returns the transactions that a new one can displace, the worst last: the last nonce of each other sender. */
  function evictable(tx: PooledTx): PooledTx[] {
    const isNewReady = wouldBeReady(tx)
    const found: { readonly last: PooledTx; readonly ready: boolean }[] = []
    for (const [sender, { byNonce }] of queues) {
      if (sender === tx.order.sender) continue
      let last: PooledTx | undefined
      for (const one of byNonce.values()) if (!last || one.order.nonce > last.order.nonce) last = one
      const ready = isReady(last!)
      const isWorse = last!.order.priority < tx.order.priority && (isNewReady || !ready)
      if (isWorse || (isNewReady && !ready)) found.push({ last: last!, ready })
    }
    const better = (a: PooledTx, b: PooledTx): number => (a.order.priority > b.order.priority ? -1 : 1)
    found.sort((a, b) => (a.ready === b.ready ? better(a.last, b.last) : a.ready ? -1 : 1))
    return found.map(({ last }) => last)
  }

  const isFull = (bytes: number): boolean => waiting.size >= limits.maxTxs || sizeBytes + bytes > limits.maxBytes

  /** Evicts what a new transaction displaces. Throws sdk 20, and evicts nothing, if that is not enough. */
  function makeRoom(tx: PooledTx): readonly PooledTx[] {
    const evicted: PooledTx[] = []
    let candidates: PooledTx[] = []
    while (isFull(tx.bytes.length)) {
      if (candidates.length === 0) candidates = evictable(tx)
      const worst = candidates.pop()
      if (!worst) {
        for (const one of evicted) remember(one)
        const rule = 'and this one does not pay more than any of them'
        throw errors.mempoolIsFull(`${waiting.size} transactions of ${sizeBytes} bytes wait, ${rule}`)
      }
      forget(worst)
      evicted.push(worst)
    }
    return evicted
  }

  /** Returns the next transaction of every sender, sorted with the best one last. */
  function candidates(): Candidate[] {
    const placesOf = new Map<string, number[]>()
    let place = 0
    for (const { order } of waiting.values()) {
      const places = placesOf.get(order.sender)
      if (places) places.push(place++)
      else placesOf.set(order.sender, [place++])
    }
    const found: Candidate[] = []
    for (const [sender, queue] of queues) {
      const tx = queue.byNonce.get(queue.next)
      if (tx) found.push({ tx, queue, places: placesOf.get(sender)!.reverse() })
    }
    return found.sort((a, b) => (precedes(a, b) ? 1 : -1))
  }

  return {
    has: (hash) => waiting.has(toKey(hash)),
    requireSize(bytes) {
      if (bytes > limits.maxTxBytes) throw errors.txTooLarge(`${bytes} bytes, at most ${limits.maxTxBytes}`)
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
        return { replaced: rival, evicted: [] }
      }
      if (tx.evm && queue && queue.byNonce.size >= limits.slotsPerSender) {
        throw errors.mempoolIsFull(`${queue.byNonce.size} transactions of the sender wait`)
      }
      const evicted = makeRoom(tx)
      remember(tx)
      return { evicted }
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
      const sorted = candidates()
      let bytes = 0
      let gas = 0n
      for (let best = sorted.pop(); best; best = sorted.pop()) {
        const { tx, queue, places } = best
        if (bytes + tx.bytes.length > maxBytes || (maxGas > 0n && gas + tx.gasWanted > maxGas)) continue
        bytes += tx.bytes.length
        gas += tx.gasWanted
        queue.next++
        forget(tx)
        taken.push(tx)
        places.pop()
        const following = queue.byNonce.get(queue.next)
        if (following) insert(sorted, { tx: following, queue, places })
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
