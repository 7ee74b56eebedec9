/** The embedded engine: this process alone decides the next block, from a clock and the transactions that wait. */
import type { Halt } from '../app/halt.ts'
import type { StoredBlock } from '../app/records.ts'
import type { Application, BlockInput, BlockOutcome, CheckResult, GenesisDocument } from '../app/types.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import { rollbackRows } from '../indexer/rollback.ts'
import type { BlockIndex } from '../indexer/types.ts'
import { MOST_TURNS, openIndexer, validatorRow } from '../indexer/writer.ts'
import { blockLimits } from '../modules/consensus/keeper.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { StoreChanges } from '../store/history/store-changes.ts'
import type { Branch, Change, Snapshot, Tables, TableWrite } from '../store/types.ts'
import { createCatchUp } from './catch-up.ts'
import {
  advance,
  genesisTip,
  overlay,
  propose,
  roomForTxs,
  type Signer,
  storedBlock,
  type Tip,
  tipOf,
} from './chain.ts'
import { createBlockClock, TIME_STEP_NS } from './clock.ts'
import { type BlockWish, createDevelopment, type DevelopmentTools } from './development.ts'
import type { Admission, Driver, Halted } from './driver.ts'
import { haltedByFailure, haltedByUpgrade, haltedError } from './halted.ts'
import { createListeners } from './listeners.ts'
import type { MempoolLimits, PooledTx } from './mempool.ts'
import { createNextHeader } from './next-header.ts'
import { type BlockTiming, createPace } from './pace.ts'
import { createPool } from './pool.ts'

/** The versioned store as its only writer uses it. */
interface SoloStore {
  latestHeight(): bigint
  at(height?: bigint): Snapshot
  commit(block: {
    readonly height: bigint
    readonly changes: readonly Change[]
    /** What an upgrade did to the list of stores. */
    readonly stores?: StoreChanges | undefined
    /** What a large upgrade wrote beside the changes. */
    readonly staged?: ReturnType<Branch['staged']>
    /** Rows of the local tables, in the same transaction. */
    readonly records: (appHash: Uint8Array) => readonly TableWrite[]
  }): { readonly appHash: Uint8Array } | Promise<{ readonly appHash: Uint8Array }>
  /** Goes back to a kept height, with these rows, all or nothing. */
  rollback(target: {
    readonly height: bigint
    readonly records?: (appHash: Uint8Array) => Iterable<TableWrite>
  }): { readonly appHash: Uint8Array } | Promise<{ readonly appHash: Uint8Array }>
  readonly tables: Tables
}

export type { BlockTiming }

export interface SoloOptions {
  readonly app: Application
  readonly store: SoloStore
  readonly genesis: GenesisDocument
  /** The keys that sign the next block: of this process, and not stopped. */
  readonly signers: () => readonly Signer[]
  readonly timing: BlockTiming
  readonly limits: MempoolLimits
  /** Wall clock, Unix nanoseconds. */
  readonly now: () => bigint
  /**
   * A block could not be made: nothing of it was committed, and no further block will be. Nobody hears of it before this
   * returns.
   */
  readonly onHalt: (halted: Halted, cause: HaltCause) => void
  /** Told what a listener threw, who was told of a block, of the way back, or of a halt. */
  readonly onListenerFailure: (error: unknown) => void
  /** After each commit: how long execution and commit took, milliseconds. */
  readonly onTiming?: (timing: { readonly executeMs: number; readonly commitMs: number }) => void
  /** Monotonic clock for `onTiming`, milliseconds. */
  readonly elapsed: () => number
  /** Makes the chain one that tools may change beside its transactions. */
  readonly development?: DevelopmentTools | undefined
}

/** What stopped the chain: an upgrade, or a failure. */
type HaltCause =
  | { readonly halt: Halt; readonly error?: undefined }
  | { readonly halt?: undefined; readonly error: unknown }

export interface Solo extends Driver {
  readonly blocks: BlockIndex
  /** When blocks are made now. */
  timing(): BlockTiming
  /** Told when the chain has halted. */
  onHalt(listener: () => void): () => void
  /** Admission without keeping the transaction. */
  checkOnly(tx: Uint8Array): CheckResult
  /**
   * Puts the clock forward and makes the blocks that are needed until no epoch is due. Resolves with the latest height. Throws
   * `resourceExhausted` where more than 52,560 would be.
   */
  advance(byNs: bigint): Promise<bigint>
  /**
   * Runs a step before each block, which waits for it: whoever follows the chain misses none of it. What the step offers
   * is in that block, and makes none. A step deals with its own errors. Returns how to end it.
   */
  follow(step: (offer: (tx: Uint8Array) => Admission) => Promise<void>): () => void
}

/** Opens the chain where the store stands, begins it from genesis if the store is empty, and makes blocks from then on. */
export async function startSolo(options: SoloOptions): Promise<Solo> {
  const { app, store, genesis, signers, onListenerFailure } = options
  let tip: Tip
  const clock = createBlockClock(options.now)
  const blocks = openBlockIndex(store.tables, () => tip.height)
  let indexer = openIndexer(store.tables)
  const blockListeners = createListeners<StoredBlock>(onListenerFailure)
  const rollbackListeners = createListeners<bigint>(onListenerFailure)
  const haltListeners = createListeners<void>(onListenerFailure)
  const followers = new Set<Parameters<Solo['follow']>[0]>()
  let halted: Halted | undefined
  let rollbacks = 0
  let stopping = false
  /** The block being made, and those asked for behind it. */
  let line: Promise<unknown> = Promise.resolve()

  const pool = createPool({
    app,
    limits: options.limits,
    open: () => store.at(),
    tip: () => tip,
    refuseWhenClosed,
    isEager: () => pace.mining().automine,
    arrived: () => pace.schedule(),
    onListenerFailure,
  })
  const pace = createPace(options.timing, {
    elapsed: options.elapsed,
    line: () => line,
    waiting: () => pool.size().count,
    hasReady: () => !stopping && halted === undefined && pool.hasReady(),
    nextBlock: () => nextBlock(),
  })

  let genesisBranch: Branch | undefined
  tip = openTip()
  if (genesisBranch) await nextBlock()
  else {
    pool.follow()
    const early = haltBeforeNext()
    if (early) halt(haltedByUpgrade(early), { halt: early })
  }

  function openTip(): Tip {
    const height = store.latestHeight()
    const last = height > 0n ? blocks.block(height) : undefined
    if (last) return lastTip(last)
    if (height > 0n) throw queryError('dataLoss', `the store is at height ${height} and holds no such block`)
    genesisBranch = createEmptyBranch()
    const { validators } = app.initChain(genesis, genesisBranch)
    if (validators.length === 0) throw queryError('failedPrecondition', 'genesis has no validator')
    return genesisTip(genesis, validators)
  }

  /** Why this build must not make the next block, as far as the state says it. */
  function haltBeforeNext(): Halt | undefined {
    const state = store.at()
    try {
      return app.haltBefore(state, tip.height + 1n)
    } finally {
      state.close()
    }
  }

  /** The tip behind a block of the store's latest height. */
  function lastTip(last: StoredBlock): Tip {
    const state = store.at()
    try {
      const { header, hash } = last
      return tipOf(last, blockLimits(app.readContext(state, { ...header, hash })), blocks.validators)
    } finally {
      state.close()
    }
  }

  function blockTime({ amendments, stepNs }: BlockWish): bigint {
    if (genesisBranch) return clock.next(tip.timeNs - TIME_STEP_NS)
    // What was asked for the next block is for one that its tools see as such.
    // Its hash, which does not follow from the changes, must not be that of a block that was taken back.
    if (amendments) return tip.timeNs + TIME_STEP_NS + BigInt(rollbacks % 1_000_000)
    return stepNs === undefined ? clock.next(tip.timeNs) : tip.timeNs + stepNs
  }

  /** What comes of a block on the state before it, which is the genesis' for the first. Throws if it cannot be executed. */
  function execute(input: BlockInput): { readonly output: BlockOutcome; readonly changes: readonly Change[] } {
    if (genesisBranch) {
      const output = app.executeBlock(genesisBranch, input)
      return { output, changes: output.halt ? [] : overlay(genesisBranch.changes(), output.branch.changes()) }
    }
    const state = store.at()
    try {
      const output = app.executeBlock(state, input)
      return { output, changes: output.halt ? [] : output.branch.changes() }
    } finally {
      state.close()
    }
  }

  /** Makes one block of what waits, or says why there is none. Throws if it cannot be executed. Then nothing was written. */
  async function makeBlock(wish: BlockWish): Promise<StoredBlock | { readonly halt: Halt }> {
    if (followers.size > 0) await Promise.all([...followers].map((step) => step(pool.offer)))
    const before = tip
    const { amendments } = wish
    const started = options.elapsed()
    const limits = { maxBytes: roomForTxs(before), maxGas: before.maxGas }
    const taken = genesisBranch || amendments || wish.isEmpty ? [] : pool.take(limits)
    const proposal = propose(
      before,
      taken.map(({ bytes }) => bytes),
      blockTime(wish),
      signers(),
    )
    const { output, changes } = execute({ ...proposal.input, amendments })
    if (output.halt) return output
    const executed = options.elapsed()
    const hashes = taken.map(({ hash }) => hash)
    let block: StoredBlock | undefined
    let next = before
    await store.commit({
      height: proposal.header.height,
      changes,
      stores: output.stores,
      staged: output.branch.staged(),
      records(appHash) {
        block = storedBlock(proposal, before, output, appHash)
        next = advance(before, block, output)
        const rows = indexer.rows(block, hashes)
        if (genesisBranch) rows.push(validatorRow(proposal.header.height, before.validators))
        const from = proposal.header.height + 2n
        if (output.validatorUpdates.length > 0 || (next.nextValidators.length > 1 && from % MOST_TURNS === 0n)) {
          rows.push(validatorRow(from, next.nextValidators))
        }
        return rows
      },
    })
    options.onTiming?.({ executeMs: executed - started, commitMs: options.elapsed() - executed })
    tip = next
    genesisBranch = undefined
    if (!amendments) clock.used(proposal.header.timeNs, wish.stepNs !== undefined)
    pool.afterCommit(block!, taken)
    blockListeners.tell(block!)
    return block!
  }

  function halt(found: Halted, cause: HaltCause): void {
    pace.stop()
    options.onHalt(found, cause)
    halted = found
    pool.dismiss(haltedError(found))
    haltListeners.tell()
  }

  /** Runs one thing after another: blocks, and going back. */
  function inLine<T>(run: () => Promise<T>): Promise<T> {
    const done = line.then(() => {
      refuseWhenClosed()
      return run()
    })
    line = done.catch(() => undefined)
    return done
  }

  /** One block after another; a failure ends the chain before its commit. */
  function nextBlock(wish: BlockWish = {}): Promise<bigint> {
    return inLine(async () => {
      let made: Awaited<ReturnType<typeof makeBlock>>
      try {
        made = await makeBlock(wish)
      } catch (error) {
        // A change that cannot be made is its caller's matter: nothing was written, and nobody waits for it.
        if (!wish.amendments || !(error instanceof ChainError)) halt(haltedByFailure(error, tip.height + 1n), { error })
        throw error
      }
      if (!('halt' in made)) return made.header.height
      const found = haltedByUpgrade(made.halt)
      halt(found, made)
      throw haltedError(found)
    })
  }

  const catchUp = createCatchUp({
    app,
    open: () => store.at(),
    tip: () => tip,
    now: clock.now,
    nextBlock: () => nextBlock(),
  })

  /** Makes the chain what it was after a kept block, with these transactions waiting. */
  function goBack(height: bigint, waiting: readonly PooledTx[]): Promise<void> {
    return inLine(async () => {
      const rows = rollbackRows(store.tables, height)
      pool.release()
      try {
        await store.rollback({ height, records: () => rows })
      } catch (error) {
        pool.follow()
        throw error
      }
      blocks.forgetAbove(height)
      indexer = openIndexer(store.tables)
      tip = lastTip(blocks.block(height)!)
      pool.replace(waiting)
      rollbacks++
      rollbackListeners.tell(height)
    })
  }

  function refuseWhenClosed(): void {
    if (halted) throw haltedError(halted)
    if (stopping) throw queryError('unavailable', 'the node is stopping')
  }

  pace.start()

  return {
    blocks,
    checkOnly: pool.checkOnly,
    submit: pool.submit,
    submitAndWait: pool.submitAndWait,
    nextBlock: () => nextBlock(),
    async advance(byNs) {
      clock.shift(byNs)
      await catchUp()
      return tip.height
    },
    nextHeader: createNextHeader({
      latestHeight: () => tip.height,
      // Blocks by the clock or by hand take what waits; one for a proof does not.
      nextBlock: () => nextBlock({ isEmpty: !pace.mining().automine }),
      elapsed: options.elapsed,
    }),
    timing: pace.timing,
    follow(step) {
      followers.add(step)
      return () => followers.delete(step)
    },
    pending: pool.pending,
    pendingCount: pool.size,
    onBlock: blockListeners.add,
    onPending: pool.onPending,
    onRollback: rollbackListeners.add,
    onHalt: haltListeners.add,
    ...(options.development && {
      development: createDevelopment({
        clock,
        makeBlock: nextBlock,
        catchUp,
        goBack,
        tip: () => tip,
        firstHeight: () => blocks.earliestHeight(),
        pending: pool.pending,
        drop: pool.drop,
        tools: options.development,
        mining: pace.mining,
        setMining: pace.setMining,
      }),
    }),
    status: () => ({
      catchingUp: false,
      ...(halted && { halted }),
      latestHeight: tip.height,
      latestTimeNs: tip.timeNs,
      rollbacks,
    }),
    async stop() {
      if (stopping) return
      stopping = true
      pace.stop()
      await line
      pool.release()
      pool.dismiss(queryError('unavailable', 'the node is stopping'))
    },
  }
}
