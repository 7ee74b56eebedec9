/** Handing admitted transactions over to the engine: in the order of their nonces, once none before them is missing. */
import { toKey } from '../../primitives/bytes.ts'
import type { PooledTx } from '../solo/pooled-tx.ts'
import type { EngineRpc } from './engine-rpc.ts'

/** Transactions of one request. The engine accepts batches of 10 by default. */
const BATCH = 10
/** Time after which an engine that did not answer is asked again. */
const RETRY_MS = 1000

export interface HandOver {
  /** Hands over what has become ready. Call it after each admission and each block. */
  run(): void
  /** Notes that the engine has a transaction, from a peer or a client of its own. */
  note(hash: Uint8Array): void
  /** Notes that the engine has begun again: its pool is empty. */
  forget(): void
  stop(): void
}

interface Dependencies {
  readonly rpc: EngineRpc
  readonly pending: () => readonly PooledTx[]
  /** Whether the pool still has a transaction. */
  readonly isWaiting: (tx: PooledTx) => boolean
  readonly isReady: (tx: PooledTx) => boolean
  /** Removes a transaction that the engine refuses. */
  readonly drop: (tx: PooledTx, reason: string) => void
  readonly onFailure: (error: unknown) => void
}

/** The text of CometBFT for a transaction that it has. */
const KNOWN = 'tx already exists in cache'

export function createHandOver({ rpc, pending, isWaiting, isReady, drop, onFailure }: Dependencies): HandOver {
  /** Transactions that the engine has, by hash. */
  const given = new Set<string>()
  let isRunning = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false

  const isDue = (tx: PooledTx): boolean => !given.has(toKey(tx.hash)) && isReady(tx)

  /** Returns ready transactions that the engine does not have. The pool lists a sender's by arrival, so they are sorted. */
  function due(): readonly PooledTx[] {
    return pending()
      .filter(isDue)
      .sort((a, b) => (a.order.nonce < b.order.nonce ? -1 : a.order.nonce > b.order.nonce ? 1 : 0))
  }

  function forgetGone(): void {
    if (given.size === 0) return
    const left = new Set(pending().map(({ hash }) => toKey(hash)))
    for (const hash of given) if (!left.has(hash)) given.delete(hash)
  }

  async function give(batch: readonly PooledTx[]): Promise<void> {
    // The engine asks for admission before it answers; by then the pool must know that it has the transaction.
    for (const { hash } of batch) given.add(toKey(hash))
    try {
      const answers = await rpc.broadcast(batch.map(({ bytes }) => bytes))
      for (const [i, found] of answers.entries()) {
        const reason = 'error' in found ? found.error : found.code === 0 ? '' : found.log
        if (reason !== '' && !reason.includes(KNOWN)) drop(batch[i]!, reason)
      }
    } catch (error) {
      for (const { hash } of batch) given.delete(toKey(hash))
      throw error
    }
  }

  async function runAll(): Promise<void> {
    forgetGone()
    for (let txs = due(); txs.length > 0 && !stopped; txs = due()) {
      for (let at = 0; at < txs.length && !stopped; at += BATCH) {
        // Some have gone, or come by a peer, while the ones before were given.
        const batch = txs.slice(at, at + BATCH).filter((tx) => isWaiting(tx) && isDue(tx))
        if (batch.length > 0) await give(batch)
      }
    }
  }

  function run(): void {
    if (isRunning || stopped) return
    isRunning = true
    clearTimeout(timer)
    runAll()
      .catch((error: unknown) => {
        onFailure(error)
        timer = setTimeout(run, RETRY_MS)
      })
      .finally(() => {
        isRunning = false
      })
  }

  return {
    run,
    note: (hash) => void given.add(toKey(hash)),
    forget: () => given.clear(),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
