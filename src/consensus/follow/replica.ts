/** The engine of a replica: it follows another node, and hands transactions on. */

import { equal, formatBase64 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import { within } from '../admission.ts'
import type { Admission, Driver, Inclusion, PoolView } from '../driver.ts'
import { stoppingError } from '../halted.ts'
import { createListeners } from '../listeners.ts'
import { createPoolView, timeAfter } from '../pool-view.ts'
import type { MempoolLimits } from '../solo/mempool.ts'
import { createPool } from '../solo/pool.ts'
import { type FollowOptions, startFollowing } from './follow.ts'
import { watchNodePool } from './node-pool.ts'
import type { NodeRpc } from './rpc/node-rpc.ts'

export interface ReplicaOptions extends FollowOptions {
  /** The nodes that transactions go to; undefined to refuse them. */
  readonly forward: NodeRpc | undefined
  /** The RPC of the node whose pending transactions are shown. */
  readonly poolRpc: Pick<NodeRpc, 'call'>
  readonly limits: MempoolLimits
  /** Lag from which the replica is catching up. Unit: milliseconds. */
  readonly maxLagMs: number
}

/** Time in which the block after the latest one is waited for. Unit: milliseconds. */
const NEXT_HEADER_MS = 15_000

export interface Replica extends Driver {
  readonly pool: PoolView
  /** Resolves once there is a block. */
  readonly firstBlock: Promise<void>
}

export function startReplica(options: ReplicaOptions): Replica {
  const { executor, forward, poolRpc, elapsed, now, log } = options
  const { tip } = executor
  let stopping = false
  const abort = new AbortController()
  const onListenerFailure = (error: unknown) => log('error', 'a listener of the chain failed', { error })
  const following = startFollowing(options)
  const stops = createListeners<void>(onListenerFailure)
  /** Clients that wait for a block with a transaction, by its hash. */
  const waiting = createListeners<{ readonly hash: Uint8Array; readonly inclusion: Inclusion }>(onListenerFailure)
  const pool = createPool({
    checkState: executor.checkState,
    limits: options.limits,
    elapsed,
    tip,
    requireOpen,
    isLocal: () => false,
    minesOnArrival: () => false,
    onArrival: () => undefined,
    onListenerFailure,
  })

  executor.onBlock((block) => {
    const hashes = block.txs.map(sha256)
    pool.include(hashes)
    pool.settle(block)
    if (waiting.hasListeners())
      for (const [index, hash] of hashes.entries()) {
        waiting.notify({ hash, inclusion: { height: block.header.height, index, result: block.results[index]! } })
      }
  })
  executor.onRollback(() => pool.recheck())
  const watching = watchNodePool({
    rpc: poolRpc,
    pool,
    isCurrent: () => executor.committedHeight() > 0n && following.status().lagSeconds * 1000 <= options.maxLagMs,
    signal: abort.signal,
  })

  function requireOpen(): void {
    if (stopping) throw stoppingError()
    if (executor.committedHeight() === 0n) throw queryError('unavailable', 'the replica has no block yet')
  }

  /** Sends a transaction to the node, which admits it. */
  async function submit(tx: Uint8Array): Promise<Admission> {
    requireOpen()
    if (!forward) {
      throw queryError(
        'failedPrecondition',
        'this replica takes no transactions: send them to a node of the chain, or set --forward to the URL of one',
      )
    }
    const answer = await forward.call('broadcast_tx_sync', { tx: formatBase64(tx) }, abort.signal)
    const code = Number(answer['code'] ?? 0)
    const hash = sha256(tx)
    // A transaction that this build cannot check is not shown as pending.
    const checked = code === 0 ? pool.offer(tx) : undefined
    return {
      code,
      codespace: String(answer['codespace'] ?? ''),
      log: String(answer['log'] ?? ''),
      gasWanted: checked?.gasWanted ?? 0n,
      gasUsed: 0n,
      hash,
      ...(checked?.isQueued && { isQueued: true }),
    }
  }

  /** Returns a promise that rejects when the node stops, and the function that ends the wait for that. */
  function endOf(): { readonly promise: Promise<never>; forget(): void } {
    let forget = () => {}
    const promise = new Promise<never>((_, reject) => {
      forget = stops.add(() => reject(stoppingError()))
    })
    promise.catch(() => undefined)
    return { promise, forget: () => forget() }
  }

  async function drain(): Promise<void> {
    if (stopping) return
    stopping = true
    stops.notify()
  }

  return {
    firstBlock: following.firstBlock,
    submit,
    async submitAndWait(tx, timeoutMs) {
      const wanted = sha256(tx)
      let remove = () => {}
      // It can be in a block before the answer of the node is here.
      const included = new Promise<Inclusion>((resolve) => {
        remove = waiting.add(({ hash, inclusion }) => {
          if (equal(hash, wanted)) resolve(inclusion)
        })
      })
      const ended = endOf()
      try {
        const admission = await submit(tx)
        if (admission.code !== 0) return { admission }
        const inclusion = await within(Promise.race([included, ended.promise]), timeoutMs)
        if (!inclusion) throw queryError('deadlineExceeded', 'timed out waiting for tx to be included in a block')
        return { admission, inclusion }
      } finally {
        ended.forget()
        remove()
      }
    },
    async nextHeader(height) {
      if (tip().height > height) return
      const halted = following.stopped()
      let remove = () => {}
      const followed = new Promise<true>((resolve) => {
        remove = executor.onBlock(({ header }) => {
          if (header.height > height) resolve(true)
        })
      })
      const ended = endOf()
      try {
        if (!halted && (await within(Promise.race([followed, ended.promise]), NEXT_HEADER_MS))) return
      } finally {
        ended.forget()
        remove()
      }
      const reason = halted ? halted.reason : 'it does not come'
      throw queryError(
        'unavailable',
        `the header after height ${height} has its app hash, and is not here (${reason}): height ${height - 1n} can be proved`,
      )
    },
    pool: createPoolView({ pool, tip, nextTimeNs: () => timeAfter(tip(), BigInt(now()) * NS_PER_MS) }),
    onBlock: executor.onBlock,
    onPending: pool.onPending,
    onRollback: executor.onRollback,
    onHalt: (listener) => executor.onHalt(() => listener()),
    onStop: stops.add,
    onStatus: following.onStatus,
    status() {
      const follow = following.status()
      const halted = following.stopped()
      return {
        catchingUp: follow.lagSeconds * 1000 > options.maxLagMs,
        follow,
        ...(halted && { halted }),
        ...executor.status(),
      }
    },
    drain,
    async stop() {
      await drain()
      abort.abort(stoppingError())
      await following.stop()
      await watching
      pool.stop(stoppingError())
      executor.checkState.reset()
    },
  }
}
