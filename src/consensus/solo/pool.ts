/** The pool of the embedded engine: a mempool on the check state, and the clients that wait for a block. */
import type { StoredBlock } from '../../app/records.ts'
import type { CheckResult } from '../../app/types.ts'
import { toKey } from '../../primitives/bytes.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { errors } from '../../sdk/errors.ts'
import { admissionOf, refusal, within } from '../admission.ts'
import type { CheckState } from '../check-state.ts'
import type { Admission, ChainEvents, Inclusion, Offer, PendingTx, PoolView, Submission } from '../driver.ts'
import { createListeners } from '../listeners.ts'
import type { Tip } from '../tip.ts'
import { createMempool, type Displaced, type MempoolLimits, type PooledTx } from './mempool.ts'
import { createWaiters } from './waiters.ts'

/** Time after which a transaction that no block has included leaves the pool, as in geth. */
const LIFETIME_MS = 3 * 60 * 60 * 1000
/** How long a transaction behind a nonce gap can delay the answer to its sender (ADR 0005). */
const GAP_ANSWER_MS = 3000

interface Dependencies {
  readonly checkState: CheckState
  readonly limits: MempoolLimits
  /** Clock in milliseconds that never goes back. */
  elapsed(): number
  tip(): Tip
  /** Throws `unavailable` once no further block is made. */
  requireOpen(): void
  /** Whether arriving transactions cause a block. */
  minesOnArrival(): boolean
  /** Called after a transaction was added. */
  onArrival(): void
  onListenerFailure(error: unknown): void
}

export interface Pool extends Submission, PoolView, Pick<ChainEvents, 'onPending'> {
  pending(): readonly PooledTx[]
  offer: Offer
  /** Whether the next block has a transaction to include. */
  hasReady(): boolean
  /** Returns the transactions of the next block and removes them. Resubmissions are refused until `settle`. */
  take(limits: { readonly maxBytes: number; readonly maxGas: bigint }): readonly PooledTx[]
  /** Checks the rest again after a commit, and answers the clients that wait for the block's transactions. */
  settle(block: StoredBlock): void
  /** Replaces the content after a rollback, and answers the clients of transactions that are no longer in it. */
  replace(waiting: readonly PooledTx[]): void
  /** Removes a transaction. Returns false if it is not in the pool. */
  drop(hash: Uint8Array): boolean
  /** Rejects all clients that wait for a block. */
  rejectWaiters(error: Error): void
}

export function createPool(dependencies: Dependencies): Pool {
  const { checkState, elapsed, tip } = dependencies
  const mempool = createMempool(dependencies.limits)
  const waiters = createWaiters()
  const listeners = createListeners<PendingTx>(dependencies.onListenerFailure)
  /** Hashes of the transactions in the block that is being made. */
  let executing: ReadonlyMap<string, PooledTx> = new Map()

  /** Runs admission again for everything that waits, on a fresh check state. */
  function recheck(): void {
    checkState.reset()
    if (mempool.size().count === 0) return
    const now = elapsed()
    const failed = mempool.recheck(({ bytes, sinceMs }) =>
      now - sinceMs > LIFETIME_MS
        ? refusal(errors.notFound('no block included it in time'))
        : checkState.check(bytes, 'recheck'),
    )
    for (const { tx, result } of failed) {
      waiters.settle(tx.hash, { dropped: admissionOf(tx.hash, result) })
    }
  }

  function settleDropped({ hash }: PendingTx, error: ChainError): void {
    waiters.settle(hash, { dropped: admissionOf(hash, refusal(error)) })
  }

  /** Removes the effects of transactions that have left the pool from the check state, and tells their clients. */
  function release(txs: readonly PooledTx[], error: ChainError): void {
    if (txs.length === 0) return
    // The later transactions of the same signer build on the sequence of one that is not Ethereum's.
    if (txs.every(({ evm }) => evm)) for (const tx of txs) checkState.release(tx)
    else recheck()
    for (const tx of txs) settleDropped(tx, error)
  }

  function requireGasInBlock({ gasWanted }: CheckResult): void {
    const { maxGas } = tip()
    if (maxGas > 0n && gasWanted > maxGas) {
      throw errors.outOfGas(`gas wanted ${gasWanted} exceeds the block gas limit ${maxGas}`)
    }
  }

  /** Checks a transaction and adds it to the mempool. */
  function admit(bytes: Uint8Array, hash: Uint8Array): { readonly admission: Admission; readonly tx?: PooledTx } {
    try {
      if (mempool.has(hash) || executing.has(toKey(hash))) throw errors.txInMempool()
      mempool.requireSize(bytes.length)
      let tx: PooledTx | undefined
      let displaced: Displaced | undefined
      const result = checkState.check(bytes, 'check', (checked) => {
        requireGasInBlock(checked)
        const { order, gasWanted, evm } = checked
        const passed: PooledTx = { hash, bytes, sinceMs: elapsed(), order: order!, gasWanted, ...(evm && { evm }) }
        displaced = mempool.add(passed)
        tx = passed
      })
      if (displaced?.replaced) {
        release([displaced.replaced], errors.txInMempool('replaced by a transaction that pays more'))
      }
      if (displaced) release(displaced.evicted, errors.mempoolIsFull('evicted by a transaction that pays more'))
      const admission = admissionOf(hash, result)
      return tx ? { admission, tx } : { admission }
    } catch (error) {
      if (error instanceof ChainError) return { admission: admissionOf(hash, refusal(error)) }
      throw error
    }
  }

  function announce(tx: PendingTx): void {
    listeners.notify(tx)
    dependencies.onArrival()
  }

  return {
    async submit(bytes) {
      dependencies.requireOpen()
      const hash = sha256(bytes)
      const { admission, tx } = admit(bytes, hash)
      if (!tx) return admission
      if (!dependencies.minesOnArrival()) {
        announce(tx)
        return admission
      }
      const outcome = waiters.wait(hash)
      announce(tx)
      const found = mempool.isReady(tx) || executing.size > 0 ? await outcome : await within(outcome, GAP_ANSWER_MS)
      return found && 'dropped' in found ? found.dropped : admission
    },
    async submitAndWait(bytes, timeoutMs) {
      dependencies.requireOpen()
      const hash = sha256(bytes)
      const { admission, tx } = admit(bytes, hash)
      if (!tx) return { admission }
      const outcome = waiters.wait(hash)
      announce(tx)
      const found = await within(outcome, timeoutMs)
      if (!found) throw queryError('deadlineExceeded', 'timed out waiting for tx to be included in a block')
      return 'included' in found
        ? { admission, inclusion: found.included satisfies Inclusion }
        : { admission: found.dropped }
    },
    offer(bytes) {
      const { admission, tx } = admit(bytes, sha256(bytes))
      if (tx) listeners.notify(tx)
      return admission
    },
    pending: mempool.pending,
    pendingCount: mempool.size,
    hasReady: mempool.hasReady,
    take(limits) {
      const taken = mempool.take(limits)
      executing = new Map(taken.map((tx) => [toKey(tx.hash), tx]))
      return taken
    },
    settle({ header, results }) {
      const taken = [...executing.values()]
      executing = new Map()
      recheck()
      for (const [index, { hash }] of taken.entries()) {
        waiters.settle(hash, { included: { height: header.height, index, result: results[index]! } })
      }
    },
    replace(waiting) {
      const left = mempool.pending()
      mempool.clear()
      for (const tx of waiting) mempool.add(tx)
      recheck()
      for (const tx of left) if (!mempool.has(tx.hash)) settleDropped(tx, errors.notFound('the chain went back'))
    },
    drop(hash) {
      const tx = mempool.drop(hash)
      if (tx) release([tx], errors.notFound('the transaction was dropped'))
      return tx !== undefined
    },
    onPending: listeners.add,
    rejectWaiters: (error) => waiters.rejectAll(error),
  }
}
