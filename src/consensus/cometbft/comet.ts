/** The driver of a chain whose blocks CometBFT decides. */

import type { MessageInitShape } from '@bufbuild/protobuf'
import type { GenesisDocument } from '../../app/types.ts'
import type { RequestInfo, RequestQuery, ResponseQuerySchema } from '../../gen/tendermint/abci/types_pb.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import { errors } from '../../sdk/errors.ts'
import { admissionOf, refusal } from '../admission.ts'
import type { Driver, PoolView } from '../driver.ts'
import type { Executor } from '../execution.ts'
import { haltedError, stoppingError } from '../halted.ts'
import { HOLD_LIMITS, type HoldLimits } from '../holding.ts'
import { createListeners } from '../listeners.ts'
import { createPoolView, timeAfter } from '../pool-view.ts'
import type { MempoolLimits } from '../solo/mempool.ts'
import { createPool } from '../solo/pool.ts'
import { checkAnswer } from './answers.ts'
import { createEngineApplication } from './application.ts'
import { createEngineBlocks } from './blocks.ts'
import type { EngineRpc } from './engine-rpc.ts'
import { createHandOver } from './hand-over.ts'
import { createKeptTxs, type TxJournal } from './kept-txs.ts'
import { createKnownTxs } from './known-txs.ts'
import { createProposals } from './proposals.ts'
import type { ServedSnapshots } from './serve-state.ts'
import { createStallWatch } from './stall-watch.ts'
import type { EngineSocket } from './waiting.ts'

/** Time in which arriving transactions are collected that follow one another. */
const HAND_OVER_MS = 20

export interface CometOptions {
  readonly executor: Executor
  readonly genesis: GenesisDocument
  /** The sockets that the engine connects to. */
  readonly socket: Pick<EngineSocket, 'attach'>
  readonly rpc: EngineRpc
  /** Name and version of the application, which Info answers. */
  readonly name: string
  readonly version: string
  readonly keepHeights: number
  /** Whether the profile's state has the whole headers of blocks. */
  readonly hasWholeHeaders: boolean
  /** Keeps the transactions of clients that wait. */
  readonly journal: TxJournal
  /** The snapshots of this node, if it has a home. */
  readonly snapshots?: ServedSnapshots | undefined
  readonly limits: MempoolLimits
  readonly isLocal?: (sender: string) => boolean
  readonly query: (request: RequestQuery) => Promise<MessageInitShape<typeof ResponseQuerySchema>>
  readonly onInfo: (info: RequestInfo) => void
  /** Called if the engine offers a snapshot although this node has blocks. */
  readonly onOffer?: () => void
  /** How many blocks of a replay become durable together, and after which time. */
  readonly holdLimits?: HoldLimits
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  /** Called with what went wrong and its error. */
  readonly onFailure: (what: string, error: unknown) => void
}

export interface Comet extends Driver {
  readonly pool: PoolView
  /** Resolves once a block is durable. */
  readonly firstBlock: Promise<void>
}

/** Serves the engine, which begins the chain or continues it. */
export function startComet(options: CometOptions): Comet {
  const { executor, elapsed, rpc, onFailure } = options
  const { tip } = executor
  let stopping = false
  let isCatchingUp = false
  /** Whether the pool can have transactions whose predecessors are missing. */
  let holds = false
  let soon: ReturnType<typeof setTimeout> | undefined
  /** Whether the engine speaks ABCI 1.0, as the nodes of the real chain do. */
  let isFirstVersion = false

  const pool = createPool({
    checkState: executor.checkState,
    limits: options.limits,
    elapsed,
    tip,
    requireOpen,
    isLocal: options.isLocal ?? (() => false),
    minesOnArrival: () => false,
    onArrival: () => handOver.run(),
    onListenerFailure: (error) => onFailure('a listener of the chain failed', error),
  })
  const handOver = createHandOver({
    rpc,
    pending: pool.pending,
    isWaiting: ({ hash }) => pool.ofHash(hash) !== undefined,
    isReady: pool.isReady,
    drop({ hash }, reason) {
      pool.drop([hash])
      onFailure('the engine refused a transaction', reason)
    },
    onFailure: (error) => onFailure('the engine takes no transactions', error),
  })
  const kept = createKeptTxs({
    journal: options.journal,
    waits: (hash) => pool.ofHash(hash) !== undefined,
    offer(tx) {
      const { code, hash } = pool.offer(tx)
      return code === 0 ? hash : undefined
    },
    onFailure: (error) => onFailure('the journal of waiting transactions cannot be written', error),
  })
  const stops = createListeners<void>((error) => onFailure('a listener of the chain failed', error))
  let isHalted = false
  executor.onHalt((halted) => {
    isHalted = true
    pool.rejectWaiters(haltedError(halted))
  })
  if (executor.committedHeight() > 0n) executor.haltIfDue()

  function requireOpen(): void {
    executor.requireRunning()
    if (stopping) throw stoppingError()
    if (executor.committedHeight() === 0n) throw queryError('unavailable', 'the chain has no block yet')
  }

  /** Answers CheckTx of the engine: what waits here has passed, and the rest is checked. */
  function check(tx: Uint8Array, isRecheck: boolean) {
    const hash = sha256(tx)
    const known = pool.ofHash(hash)
    if (known && (isRecheck || pool.isReady(known))) handOver.note(hash)
    if (known) return checkAnswer({ code: 0, codespace: '', log: '', gasWanted: known.gasWanted, gasUsed: 0n })
    const refuse = (error: ChainError) => checkAnswer(admissionOf(hash, refusal(error)))
    if (isRecheck) return refuse(errors.notFound('the transaction no longer waits'))
    const admission = pool.offer(tx)
    const added = pool.ofHash(hash)
    if (!added || pool.isReady(added)) {
      if (added) handOver.note(hash)
      if (added && holds) handOverSoon()
      return checkAnswer(admission)
    }
    // Peers send it once. It stays in the pool, and the engine gets it when its predecessor is there.
    holds = true
    return refuse(errors.wrongSequence('a nonce before it is missing'))
  }

  /** Hands over what arriving transactions have made ready, once for many. */
  function handOverSoon(): void {
    soon ??= setTimeout(() => {
      soon = undefined
      handOver.run()
    }, HAND_OVER_MS)
  }

  /** Answers a query of the engine. A failure is an answer too, since an exception ends the engine. */
  async function query(request: RequestQuery) {
    try {
      return await options.query(request)
    } catch (error) {
      if (!(error instanceof ChainError)) onFailure('a query of the engine failed', error)
      const { code, codespace, message } =
        error instanceof ChainError ? error : queryError('internal', 'internal error')
      return { code, codespace, log: message }
    }
  }

  const known = createKnownTxs(pool)
  const blocks = createEngineBlocks({
    executor,
    known,
    limits: options.holdLimits ?? HOLD_LIMITS,
    elapsed,
    settle(block, hashes) {
      pool.include(hashes)
      pool.settle(block)
      kept.settle()
      if (holds) holds = pool.pending().some((tx) => !pool.isReady(tx))
      setImmediate(handOver.run)
    },
  })
  const application = createEngineApplication({
    executor,
    blocks,
    proposals: createProposals({ executor, pool, known, hasStrangers: () => isFirstVersion }),
    name: options.name,
    version: options.version,
    keepHeights: options.keepHeights,
    hasWholeHeaders: options.hasWholeHeaders,
    snapshots: options.snapshots,
    onInfo(info) {
      isFirstVersion = info.abciVersion.startsWith('1.')
      // An engine that starts asks for it, and its pool is empty. If it asks later, it is only given again what it has.
      handOver.forget()
      options.onInfo(info)
    },
    requireGenesis({ chain_id: chainId }) {
      const expected = options.genesis.chain_id
      if (chainId !== expected)
        throw queryError('failedPrecondition', `the engine begins chain ${chainId}, and this node's is ${expected}`)
    },
    check,
    query,
  })
  options.socket.attach(application)

  const stalls = createStallWatch(elapsed, (seconds) =>
    onFailure(
      'the engine decides no block: a third of the voting power or more is missing, or refuses it',
      `${seconds} s since the last one`,
    ),
  )
  executor.onBlock(stalls.onBlock)
  const watch = setInterval(() => {
    // An engine can be slow to connect: before InitChain the executor has no status.
    if (!isHalted) stalls.look()
    rpc.isCatchingUp().then(
      (found) => {
        isCatchingUp = found
        if (!found && executor.committedHeight() > 0n) {
          kept.restore()
          handOver.run()
        }
      },
      () => undefined,
    )
  }, 1000)
  watch.unref()

  // The block of a restored state is not known: gateways need a latest block.
  const firstBlock =
    executor.committedHeight() > 0n && (executor.status().halted || executor.blocks.block(tip().height))
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          const remove = executor.onBlock(() => {
            remove()
            resolve()
          })
        })

  /** The engine runs on until `stop`, and its blocks are taken. */
  async function drain(): Promise<void> {
    if (stopping) return
    stopping = true
    pool.rejectWaiters(stoppingError())
    stops.notify()
  }

  return {
    firstBlock,
    async submit(tx) {
      const admission = await pool.submit(tx)
      if (admission.code !== 0) return admission
      kept.add(admission.hash, tx)
      const added = pool.ofHash(admission.hash)
      if (added && !pool.isReady(added)) holds = true
      return admission
    },
    submitAndWait: pool.submitAndWait,
    nextHeader(height) {
      if (tip().height > height) return Promise.resolve()
      return new Promise((resolve, reject) => {
        const removers = [
          executor.onBlock(({ header }) => {
            if (header.height <= height) return
            for (const remove of removers) remove()
            resolve()
          }),
          executor.onHalt((halted) => reject(haltedError(halted))),
          stops.add(() => reject(stoppingError())),
        ]
      })
    },
    pool: createPoolView({ pool, tip, nextTimeNs: () => timeAfter(tip(), BigInt(options.now()) * NS_PER_MS) }),
    onBlock: executor.onBlock,
    onPending: pool.onPending,
    onRollback: executor.onRollback,
    onHalt: (listener) => executor.onHalt(() => listener()),
    onStop: stops.add,
    status: () => ({ catchingUp: isCatchingUp, ...executor.status() }),
    drain,
    async stop() {
      await drain()
      clearInterval(watch)
      clearTimeout(soon)
      blocks.stop()
      handOver.stop()
      pool.stop(stoppingError())
      executor.checkState.reset()
    },
  }
}
