/** The embedded engine: this process alone decides the next block, by a clock and the transactions in its pool. */
import type { StoredBlock } from '../../app/records.ts'
import type { GenesisDocument, GenesisState } from '../../app/types.ts'
import * as epochs from '../../modules/epochs/keeper.ts'
import type { Amendment } from '../../modules/evm/keeper.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { ReadContext } from '../../sdk/context.ts'
import type { BlockProduction, BlockTiming, Driver, Offer, PoolView } from '../driver.ts'
import type { Executor, Undo } from '../execution.ts'
import { haltedError, stoppingError } from '../halted.ts'
import { createHolding, HOLD_LIMITS } from '../holding.ts'
import { createListeners } from '../listeners.ts'
import { blockRoom, createPoolView } from '../pool-view.ts'
import type { Tip } from '../tip.ts'
import type { Signer } from '../validators.ts'
import { adoptBlocks } from './adopt.ts'
import { createCatchUp } from './catch-up.ts'
import { checkTime, createBlockClock, TIME_STEP_NS } from './clock.ts'
import { type BlockOptions, createDevelopment, type DevelopmentTools } from './development.ts'
import type { MempoolLimits } from './mempool.ts'
import { createNextHeader } from './next-header.ts'
import { createPace } from './pace.ts'
import { createPool } from './pool.ts'
import type { PooledTx } from './pooled-tx.ts'
import { propose, storedBlock } from './propose.ts'
import { tooMuchUnpaid } from './unpaid.ts'

export interface SoloOptions {
  readonly executor: Executor
  readonly genesis: GenesisDocument
  /** Returns the state of the genesis document once, if it was imported to check it. */
  readonly takeChecked?: (() => GenesisState | undefined) | undefined
  /** Returns the keys that sign the next block: those of this process that are not stopped. */
  readonly signers: () => readonly Signer[]
  readonly timing: BlockTiming
  readonly limits: MempoolLimits
  /** Whether a sender, given by its key, is an account of this node; none by default. */
  readonly isLocal?: (sender: string) => boolean
  /** Wall clock, Unix nanoseconds. */
  readonly now: () => bigint
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  /** Called with errors thrown by listeners of pending transactions. */
  readonly onListenerFailure: (error: unknown) => void
  /** Present on a development chain, which tools may change without a transaction. */
  readonly development?: DevelopmentTools | undefined
  /** Returns changes to the genesis state of a new development chain. */
  readonly amendments?: ((ctx: ReadContext) => readonly Amendment[]) | undefined
}

export interface Solo extends Driver {
  readonly pool: PoolView
  readonly production: BlockProduction
}

/** Continues the chain of the executor's store, or begins it from genesis with its first block, and makes blocks. */
export async function startSolo(options: SoloOptions): Promise<Solo> {
  const { executor, signers, elapsed } = options
  const { tip } = executor
  const clock = createBlockClock(options.now)
  const steps = new Set<(offer: Offer) => Promise<void>>()
  const stops = createListeners<void>(options.onListenerFailure)
  let stopping = false
  /** Settles when the block or rollback in progress, and those queued behind it, are done. */
  let queue: Promise<unknown> = Promise.resolve()

  /** Makes held blocks durable. A failure halts the chain. */
  function flush(): void {
    try {
      executor.flush()
    } catch (error) {
      executor.fail(error)
      throw error
    }
  }
  const holding = createHolding({ executor, limits: HOLD_LIMITS, flush, elapsed })

  const pool = createPool({
    checkState: executor.checkState,
    limits: options.limits,
    elapsed,
    tip,
    requireOpen,
    isLocal: options.isLocal ?? (() => false),
    minesOnArrival: () => pace.mining().automine,
    onArrival: () => pace.schedule(),
    onListenerFailure: options.onListenerFailure,
  })
  const pace = createPace(options.timing, {
    elapsed,
    queue: () => queue,
    waiting: () => pool.pendingCount().count,
    hasReady: () => !stopping && executor.status().halted === undefined && pool.hasReady(),
    nextBlock: () => nextBlock(),
  })
  executor.onHalt((halted) => {
    pace.stop()
    pool.rejectWaiters(haltedError(halted))
  })
  if (executor.isEmpty()) {
    executor.begin(options.genesis, options.amendments, options.takeChecked?.())
    await nextBlock()
  } else {
    executor.haltIfDue()
    // The block of a restored state is not known: gateways need a latest block.
    if (!executor.status().halted && !executor.blocks.block(tip().height)) await nextBlock({ isEmpty: true })
  }

  function requireOpen(): void {
    executor.requireRunning()
    if (stopping) throw stoppingError()
  }

  function blockTime({ stepNs }: BlockOptions): bigint {
    const { timeNs, hash } = tip()
    const isFirst = hash.length === 0
    if (isFirst) return clock.next(timeNs - TIME_STEP_NS)
    return stepNs === undefined ? clock.next(timeNs) : timeNs + stepNs
  }

  /** Proposes and executes a block; again without the transactions that nobody pays for, if they are too many bytes. */
  function executePaid(before: Tip, taken: readonly PooledTx[], timeNs: bigint) {
    const execute = (txs: readonly PooledTx[]) => {
      const bytes = txs.map((tx) => tx.bytes)
      const proposal = propose(before, bytes, timeNs, signers())
      return { txs, proposal, executed: executor.execute(proposal.input) }
    }
    const made = execute(taken)
    const unpaid = tooMuchUnpaid(taken, made.executed.output.results)
    if (unpaid.length === 0) return made
    pool.leaveOut(unpaid)
    const left = new Set(unpaid.map(({ tx }) => tx))
    return execute(taken.filter((tx) => !left.has(tx)))
  }

  /** Makes one block from the pool. Throws if execution or commit fails. */
  async function makeBlock(wish: BlockOptions): Promise<StoredBlock> {
    if (steps.size > 0) await Promise.all([...steps].map((step) => step(pool.offer)))
    const before = tip()
    const isFirst = before.hash.length === 0
    const taken = isFirst || wish.isEmpty ? [] : pool.take(blockRoom(before))
    const { txs, proposal, executed } = executePaid(before, taken, blockTime(wish))
    const prepared = executor.prepare(
      executed,
      (appHash) => storedBlock(proposal, before, executed.output, appHash),
      txs.map(({ hash }) => hash),
    )
    // A waiting transaction is checked again after each block, and a held block settles nothing.
    const isHeld = wish.isFollowed && taken.length === 0 && pool.pendingCount().count === 0 && holding.takes()
    const recordTime = () => clock.record(proposal.header.timeNs, wish.stepNs !== undefined)
    if (isHeld) {
      const block = prepared.hold()
      recordTime()
      holding.note()
      return block
    }
    return prepared.commit((block) => {
      recordTime()
      pool.settle(block)
    })
  }

  /** Runs blocks and rollbacks one after another. Blocks that were held are durable before, unless `run` adds to them. */
  function inQueue<T>(run: () => Promise<T>, addsToHeld = false): Promise<T> {
    const done = queue.then(() => {
      requireOpen()
      if (!addsToHeld) flush()
      return run()
    })
    queue = done.catch(() => undefined)
    return done
  }

  function nextBlock(wish: BlockOptions = {}): Promise<bigint> {
    return inQueue(async () => {
      try {
        const { header } = await makeBlock(wish)
        return header.height
      } catch (error) {
        executor.fail(error)
        throw error
      }
    }, true)
  }

  /** Rolls the chain back to a kept height, undoes amendments of that height, and replaces the content of the pool. */
  function goBack(height: bigint, undos: readonly Undo[], waiting: readonly PooledTx[]): Promise<void> {
    return inQueue(async () => {
      let left = undos.length
      const settle = () => {
        if (left-- === 0) pool.replace(waiting)
      }
      executor.rollback(height, settle)
      for (const undo of undos) executor.undo(undo, settle)
    })
  }

  async function endBlocks(): Promise<void> {
    stopping = true
    pace.stop()
    await queue
    pool.stop(stoppingError())
    stops.notify()
  }
  let drained: Promise<void> | undefined
  function drain(): Promise<void> {
    drained ??= endBlocks()
    return drained
  }

  pace.start()

  const development =
    options.development &&
    createDevelopment({
      clock,
      makeBlock: nextBlock,
      amend: (amendments) =>
        inQueue(async () => ({ height: tip().height, undo: executor.amend(amendments, pool.recheck) })),
      goBack,
      adopt: (blocks) => inQueue(() => adoptBlocks({ executor, signers, settle: pool.recheck }, blocks)),
      tip,
      followsClock: () => executor.read(epochs.followsMovedClock),
      firstHeight: () => executor.blocks.earliestHeight(),
      pending: pool.pending,
      drop: pool.drop,
      tools: options.development,
      mining: pace.mining,
      setMining: pace.setMining,
    })

  const catchUp = createCatchUp({
    read: executor.read,
    now: clock.now,
    prepare: async () => development?.followClock(),
    nextBlock: () => nextBlock(),
  })

  return {
    submit: pool.submit,
    submitAndWait: pool.submitAndWait,
    nextHeader: createNextHeader({
      latestHeight: () => tip().height,
      // With blocks on arrival it includes waiting transactions; otherwise it is empty.
      nextBlock: () => nextBlock({ isEmpty: !pace.mining().automine }),
      elapsed,
    }),
    pool: createPoolView({ pool, tip, nextTimeNs: () => blockTime({}), signers }),
    production: {
      nextBlock: () => nextBlock(),
      async advance(byNs) {
        checkTime((clock.now() + byNs) / NS_PER_SECOND)
        clock.shift(byNs)
        await catchUp()
        return tip().height
      },
      timing: pace.timing,
      beforeBlock(step) {
        steps.add(step)
        return () => steps.delete(step)
      },
    },
    ...(development && { development }),
    onBlock: executor.onBlock,
    onPending: pool.onPending,
    onRollback: executor.onRollback,
    onHalt: (listener) => executor.onHalt(() => listener()),
    onStop: stops.add,
    status: () => ({ catchingUp: false, ...executor.status() }),
    drain,
    async stop() {
      await drain()
      holding.stop()
      if (!executor.status().halted) flush()
      executor.checkState.reset()
    },
  }
}
