/** The pool on the state of the tip: who is let in, who waits for a block, and what they are told. */
import type { StoredBlock } from '../app/records.ts'
import type { Application, CheckMode, CheckResult, TakePassed } from '../app/types.ts'
import { toKey } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import { errors } from '../sdk/errors.ts'
import type { Snapshot } from '../store/types.ts'
import { admissionOf, refusal, within } from './admission.ts'
import { roomForTxs, type Tip } from './chain.ts'
import type { Admission, Driver, Inclusion, PendingTx } from './driver.ts'
import { createListeners } from './listeners.ts'
import { createMempool, type MempoolLimits, type PooledTx } from './mempool.ts'
import { createWaiters } from './waiters.ts'

/** How long a transaction behind a nonce gap may keep its sender waiting for the answer. */
const GAP_ANSWER_MS = 3000

/** What the engine lends to its pool. */
interface PoolWorkings {
  readonly app: Application
  readonly limits: MempoolLimits
  /** State of the latest commit. */
  open(): Snapshot
  tip(): Tip
  /** Throws `unavailable` when no block will be made any more. */
  refuseWhenClosed(): void
  /** Whether the arrival of a transaction makes a block. */
  isEager(): boolean
  /** Told that a transaction waits. */
  arrived(): void
  /** Told what a listener threw. */
  onListenerFailure(error: unknown): void
}

export interface Pool extends Pick<Driver, 'submit' | 'submitAndWait' | 'onPending'> {
  pending(): readonly PooledTx[]
  /** Admission without keeping the transaction. */
  checkOnly(tx: Uint8Array): CheckResult
  /** Puts a transaction into the pool, for a block that is made anyway. */
  offer(tx: Uint8Array): Admission
  size(): ReturnType<Driver['pendingCount']>
  /** Whether a transaction could be in the next block. */
  hasReady(): boolean
  /** What the next block holds; it stays known until `afterCommit`. */
  take(limits: { readonly maxBytes: number; readonly maxGas: bigint }): readonly PooledTx[]
  /** The pool's state follows the commit, and who waited for what the block holds hears of it. */
  afterCommit(block: StoredBlock, taken: readonly PooledTx[]): void
  /** The pool's state is that of the latest commit. */
  follow(): void
  /** Lets go of the state, which is about to change under it. */
  release(): void
  /** After going back: these wait, and who waited for others hears that they do not. */
  replace(waiting: readonly PooledTx[]): void
  /** Takes a transaction out. False if it does not wait. */
  drop(hash: Uint8Array): boolean
  /** Whoever waits for a block hears why there will be none. */
  dismiss(error: Error): void
}

export function createPool(workings: PoolWorkings): Pool {
  const { app } = workings
  const pool = createMempool(workings.limits)
  const waiters = createWaiters()
  const listeners = createListeners<PendingTx>(workings.onListenerFailure)
  const executing = new Set<string>()
  /** What the pool's state reads from. */
  let base: Snapshot | undefined

  function follow(): void {
    base?.close()
    base = workings.open()
    app.resetCheckState(base, workings.tip())
  }

  function release(): void {
    base?.close()
    base = undefined
  }

  function recheck(): void {
    if (pool.size().count === 0) return
    for (const { tx, result } of pool.recheck(({ bytes }) => check(bytes, 'recheck'))) {
      waiters.settle(tx.hash, { dropped: admissionOf(tx.hash, result) })
    }
  }

  /** Tells whoever waits for a transaction that no block will have it. */
  function forsake({ hash }: PendingTx, error: ChainError): void {
    waiters.settle(hash, { dropped: admissionOf(hash, refusal(error)) })
  }

  /** What no block has room for would wait for ever, and keep blocks coming. */
  function requireRoomInBlock({ length }: Uint8Array): void {
    const room = roomForTxs(workings.tip())
    if (length > room) throw errors.txTooLarge(`${length} bytes, and a block has room for ${room}`)
  }

  function check(bytes: Uint8Array, mode: CheckMode, take?: TakePassed): CheckResult {
    try {
      if (mode !== 'simulate') requireRoomInBlock(bytes)
      return app.check(bytes, mode, take)
    } catch (error) {
      if (error instanceof ChainError) return refusal(error)
      throw error
    }
  }

  /** Checks a transaction and puts it into the pool. */
  function admit(bytes: Uint8Array, hash: Uint8Array): { readonly admission: Admission; readonly tx?: PooledTx } {
    try {
      if (pool.has(hash) || executing.has(toKey(hash))) throw errors.txInMempool()
      pool.requireRoom(bytes.length)
      let tx: PooledTx | undefined
      let replaced: PooledTx | undefined
      const result = check(bytes, 'check', ({ order, gasWanted, evm }) => {
        const { maxGas } = workings.tip()
        if (maxGas > 0n && gasWanted > maxGas) {
          throw errors.outOfGas(`gas wanted ${gasWanted} exceeds the block gas limit ${maxGas}`)
        }
        const passed: PooledTx = { hash, bytes, order: order!, gasWanted, ...(evm && { evm }) }
        replaced = pool.add(passed)
        tx = passed
      })
      if (replaced) {
        // What the other offered is not to be paid any more.
        follow()
        recheck()
        forsake(replaced, errors.txInMempool('replaced by a transaction that pays more'))
      }
      const admission = admissionOf(hash, result)
      return tx ? { admission, tx } : { admission }
    } catch (error) {
      if (error instanceof ChainError) return { admission: admissionOf(hash, refusal(error)) }
      throw error
    }
  }

  function announce(tx: PendingTx): void {
    listeners.tell(tx)
    workings.arrived()
  }

  return {
    checkOnly: (tx) => check(tx, 'simulate'),
    async submit(bytes) {
      workings.refuseWhenClosed()
      const hash = sha256(bytes)
      const { admission, tx } = admit(bytes, hash)
      if (!tx) return admission
      if (!workings.isEager()) {
        announce(tx)
        return admission
      }
      const outcome = waiters.wait(hash)
      announce(tx)
      const found = pool.isReady(tx) || executing.size > 0 ? await outcome : await within(outcome, GAP_ANSWER_MS)
      return found && 'dropped' in found ? found.dropped : admission
    },
    async submitAndWait(bytes, timeoutMs) {
      workings.refuseWhenClosed()
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
      if (tx) listeners.tell(tx)
      return admission
    },
    pending: () => pool.pending(),
    size: () => pool.size(),
    hasReady: () => pool.hasReady(),
    take(limits) {
      const taken = pool.take(limits)
      for (const { hash } of taken) executing.add(toKey(hash))
      return taken
    },
    afterCommit(block, taken) {
      const { height } = block.header
      executing.clear()
      follow()
      recheck()
      taken.forEach(({ hash }, index) => {
        waiters.settle(hash, { included: { height, index, result: block.results[index]! } })
      })
    },
    follow,
    release,
    replace(waiting) {
      const left = pool.pending()
      pool.clear()
      follow()
      for (const tx of waiting) pool.add(tx)
      recheck()
      for (const tx of left) if (!pool.has(tx.hash)) forsake(tx, errors.notFound('the chain went back'))
    },
    drop(hash) {
      const tx = pool.drop(hash)
      if (!tx) return false
      follow()
      recheck()
      forsake(tx, errors.notFound('the transaction was dropped'))
      return true
    },
    onPending: listeners.add,
    dismiss: (error) => waiters.rejectAll(error),
  }
}
