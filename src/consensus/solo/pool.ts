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
import { createMempool, type Displaced, type Failed, type MempoolLimits } from './mempool.ts'
import type { PooledTx } from './pooled-tx.ts'
import type { BlockLimits } from './selection.ts'
import type { Unpaid } from './unpaid.ts'
import { createWaiters } from './waiters.ts'

/** Time that a transaction waits for a block, as in geth. Beyond: it leaves the pool. */
const LIFETIME_MS = 3 * 60 * 60 * 1000
/** Transactions that are checked again at once after a block, and time after which the rest waits for the next turn. */
const CHECKS_AT_ONCE = 16
const SLICE_MS = 1

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
  /** Whether a sender is an account of this node, whose transactions strangers do not displace. */
  isLocal(sender: string): boolean
  /** Called after a transaction was added. */
  onArrival(): void
  onListenerFailure(error: unknown): void
}

export interface Pool extends Submission, Omit<PoolView, 'next' | 'nextTimeNs'>, Pick<ChainEvents, 'onPending'> {
  pending(): readonly PooledTx[]
  offer: Offer
  /** Whether the next block has a transaction to include. */
  hasReady(): boolean
  /** Returns the transactions of the next block and removes them. Resubmissions are refused until `settle`. */
  take(limits: BlockLimits): readonly PooledTx[]
  /** Removes the transactions of a block that another process has decided on. Resubmissions are refused until `settle`. */
  include(hashes: readonly Uint8Array[]): void
  /** Returns the waiting transaction with this hash. */
  ofHash(hash: Uint8Array): PooledTx | undefined
  /** Whether no nonce is missing before a waiting transaction. */
  isReady(tx: PooledTx): boolean
  /** Removes transactions from the block that is being made, and answers their clients. */
  leaveOut(unpaid: readonly Unpaid[]): void
  /** Begins to check the rest again after a commit, and answers the clients that wait for the block's transactions. */
  settle(block: StoredBlock): void
  /** Checks everything that waits again, after the state of the latest block has changed. */
  recheck(): void
  /** Replaces the content after a rollback, and answers the clients of transactions that are no longer in it. */
  replace(waiting: readonly PooledTx[]): void
  /** Removes transactions. Returns how many of them were in the pool. */
  drop(hashes: readonly Uint8Array[]): number
  /** Returns the transactions that the next block would have now, in order. */
  select(limits: BlockLimits): readonly PooledTx[]
  /** Rejects all clients that wait for a block. */
  rejectWaiters(error: Error): void
  /** Ends the checks of waiting transactions, and rejects all clients that wait for a block. */
  stop(error: Error): void
}

export function createPool(dependencies: Dependencies): Pool {
  const { checkState, elapsed, tip } = dependencies
  const mempool = createMempool(dependencies.limits)
  const waiters = createWaiters()
  const listeners = createListeners<PendingTx>(dependencies.onListenerFailure)
  /** Hashes of the transactions in the block that is being made. */
  let executing: ReadonlyMap<string, PooledTx> = new Map()
  /** Their places in a block that has others too. */
  let places: ReadonlyMap<string, number> | undefined

  /** Whether a slice of checks is scheduled. */
  let isScheduled = false
  let stopped = false
  /** Clients that submit ordinary transactions, which build on the checks of those that wait. */
  let held: (() => void)[] | undefined

  function settleDropped({ hash }: PendingTx, error: ChainError): void {
    waiters.settle(hash, { dropped: admissionOf(hash, refusal(error)) })
  }

  /** Runs admission again for a waiting transaction. */
  function recheck({ bytes, sinceMs }: PooledTx): CheckResult {
    if (elapsed() - sinceMs > LIFETIME_MS) return refusal(errors.notFound('no block included it in time'))
    return checkState.check(bytes, 'recheck')
  }

  function settleFailed(failed: readonly Failed[]): void {
    for (const { tx, result } of failed) waiters.settle(tx.hash, { dropped: admissionOf(tx.hash, result) })
  }

  function recheckSlice(): void {
    const end = elapsed() + SLICE_MS
    let checks = 0
    const { failed, done, doneOrdinary } = mempool.recheckSome(
      recheck,
      () => ++checks >= CHECKS_AT_ONCE && elapsed() >= end,
    )
    settleFailed(failed)
    if (doneOrdinary) letIn()
    if (done || isScheduled || stopped) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      if (!stopped) recheckSlice()
    })
  }

  function letIn(): void {
    const resolves = held
    held = undefined
    for (const resolve of resolves ?? []) resolve()
  }

  /** Runs admission again for everything that waits, on a fresh check state, in slices. */
  function recheckAll(): void {
    checkState.reset()
    if (mempool.size().count === 0) {
      letIn()
      return
    }
    held ??= []
    mempool.age()
    recheckSlice()
  }

  /** Waits until an ordinary transaction can be checked on the state after those that wait. */
  async function turnOf(bytes: Uint8Array): Promise<void> {
    while (held && !checkState.isEthereumTx(bytes)) {
      const list = held
      await new Promise<void>((resolve) => list.push(resolve))
      dependencies.requireOpen()
    }
  }

  /** Removes the effects of transactions that have left the pool from the check state, and tells their clients. */
  function release(txs: readonly PooledTx[], error: ChainError): void {
    const ordinary = txs.filter(({ evm }) => !evm)
    if (ordinary.some(mempool.hasLater)) recheckAll()
    else for (const { order } of ordinary) checkState.release(order)
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
        const isLocal = dependencies.isLocal(order!.sender)
        const passed = { hash, bytes, sinceMs: elapsed(), order: order!, gasWanted, isLocal, ...(evm && { evm }) }
        displaced = mempool.add(passed)
        tx = passed
      })
      if (displaced?.replaced) {
        release([displaced.replaced], errors.txInMempool('replaced by a transaction that pays more'))
      }
      if (displaced && displaced.evicted.length > 0) {
        release(displaced.evicted, errors.mempoolIsFull('evicted by a transaction that pays more'))
      }
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

  function drop(hashes: readonly Uint8Array[]): number {
    const dropped = hashes.flatMap((hash) => mempool.drop(hash) ?? [])
    release(dropped, errors.notFound('the transaction was dropped'))
    return dropped.length
  }

  return {
    async submit(bytes) {
      dependencies.requireOpen()
      await turnOf(bytes)
      const hash = sha256(bytes)
      const { admission, tx } = admit(bytes, hash)
      if (!tx) return admission
      // One behind a nonce gap is answered as admitted (ADR 0005).
      const isReady = mempool.isReady(tx)
      const outcome = dependencies.minesOnArrival() && isReady ? waiters.wait(hash) : undefined
      announce(tx)
      const found = outcome && (await outcome)
      if (found && 'dropped' in found) return found.dropped
      return isReady ? admission : { ...admission, isQueued: true }
    },
    async submitAndWait(bytes, timeoutMs) {
      dependencies.requireOpen()
      await turnOf(bytes)
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
    ofEvmHash: mempool.ofEvmHash,
    ofSender: mempool.ofSender,
    evmCounts: mempool.evmCounts,
    version: mempool.version,
    hasReady: mempool.hasReady,
    select: mempool.select,
    take(limits) {
      const { taken, failed } = mempool.take(limits, recheck)
      settleFailed(failed)
      executing = new Map(taken.map((tx) => [toKey(tx.hash), tx]))
      return taken
    },
    include(hashes) {
      places = new Map(hashes.map((hash, place) => [toKey(hash), place]))
      executing = new Map(
        hashes.flatMap((hash): [string, PooledTx][] => {
          const tx = mempool.drop(hash)
          return tx ? [[toKey(hash), tx]] : []
        }),
      )
    },
    ofHash: mempool.ofHash,
    isReady: mempool.isReady,
    leaveOut(unpaid) {
      const left = new Map(executing)
      for (const { tx, result } of unpaid) {
        const { hash } = tx
        left.delete(toKey(hash))
        const { code, codespace, gasWanted, gasUsed } = result
        const log = typeof result.log === 'string' ? result.log : ''
        waiters.settle(hash, { dropped: { hash, code, codespace, log, gasWanted, gasUsed } })
      }
      executing = left
    },
    settle({ header, results }) {
      const taken = [...executing.values()]
      const placeOf = places
      executing = new Map()
      places = undefined
      recheckAll()
      for (const [order, { hash }] of taken.entries()) {
        const index = placeOf?.get(toKey(hash)) ?? order
        waiters.settle(hash, { included: { height: header.height, index, result: results[index]! } })
      }
    },
    replace(waiting) {
      const left = mempool.pending()
      mempool.restore(waiting)
      recheckAll()
      for (const tx of left) if (!mempool.has(tx.hash)) settleDropped(tx, errors.notFound('the chain went back'))
    },
    drop,
    flush: () => drop(mempool.pending().map(({ hash }) => hash)),
    recheck: recheckAll,
    onPending: listeners.add,
    stop(error) {
      stopped = true
      letIn()
      waiters.rejectAll(error)
    },
    rejectWaiters: (error) => waiters.rejectAll(error),
  }
}
