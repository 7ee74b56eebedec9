/** The embedded engine: this process alone decides the next block, from a clock and the transactions that wait. */
import type { StoredBlock } from '../app/records.ts'
import type { Application, CheckMode, CheckResult, GenesisDocument } from '../app/types.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import { rollbackRows } from '../indexer/rollback.ts'
import type { BlockIndex } from '../indexer/types.ts'
import { MOST_TURNS, openIndexer, validatorRow } from '../indexer/writer.ts'
import * as epochs from '../modules/epochs/keeper.ts'
import { EMPTY, toKey } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import { errors } from '../sdk/errors.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { Branch, Change, Reader, Snapshot, Tables, TableWrite } from '../store/types.ts'
import { admissionOf, refusal, within } from './admission.ts'
import { advance, genesisTip, overlay, propose, type Signer, storedBlock, type Tip, tipOf } from './chain.ts'
import { createBlockClock, TIME_STEP_NS } from './clock.ts'
import { type BlockWish, createDevelopment, type DevelopmentTools } from './development.ts'
import type { Admission, Driver, Inclusion, PendingTx } from './driver.ts'
import { createMempool, type MempoolLimits, type PooledTx } from './mempool.ts'
import { createNextHeader } from './next-header.ts'
import { type BlockTiming, createPace } from './pace.ts'
import { createWaiters } from './waiters.ts'

/** The versioned store as its only writer uses it. */
interface SoloStore {
  latestHeight(): bigint
  at(height?: bigint): Snapshot
  commit(block: {
    readonly height: bigint
    readonly changes: readonly Change[]
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
  /** A block could not be made: nothing of it was committed, and no further block will be. */
  readonly onHalt: (reason: string, error: unknown) => void
  /** After each commit: how long execution and commit took, milliseconds. */
  readonly onTiming?: (timing: { readonly executeMs: number; readonly commitMs: number }) => void
  /** Monotonic clock for `onTiming`, milliseconds. */
  readonly elapsed: () => number
  /** Makes the chain one that tools may change beside its transactions. */
  readonly development?: DevelopmentTools | undefined
}

export interface Solo extends Driver {
  readonly blocks: BlockIndex
  /** When blocks are made now. */
  timing(): BlockTiming
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

/** How long a transaction behind a nonce gap may keep its sender waiting for the answer. */
const GAP_ANSWER_MS = 3000
/** Most blocks that one advance of the clock makes: three years of half hours. */
const MOST_TO_CATCH_UP = 52_560
/** Space of a block that is not transactions: header, commit. */
const BLOCK_OVERHEAD_BYTES = 4096n

/** Opens the chain where the store stands, begins it from genesis if the store is empty, and makes blocks from then on. */
export async function startSolo(options: SoloOptions): Promise<Solo> {
  const { app, store, genesis, signers } = options
  let tip: Tip
  const clock = createBlockClock(options.now)
  const blocks = openBlockIndex(store.tables, () => tip.height)
  let indexer = openIndexer(store.tables)
  const pool = createMempool(options.limits)
  const waiters = createWaiters()
  const blockListeners = new Set<(block: StoredBlock) => void>()
  const pendingListeners = new Set<(tx: PendingTx) => void>()
  const rollbackListeners = new Set<(height: bigint) => void>()
  const followers = new Set<Parameters<Solo['follow']>[0]>()
  const executing = new Set<string>()
  let halted: string | undefined
  let rollbacks = 0
  let stopping = false
  /** What the pool's state reads from. */
  let poolBase: Snapshot | undefined
  /** The block being made, and those asked for behind it. */
  let line: Promise<unknown> = Promise.resolve()

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
  else resetPoolState()

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

  /** The tip behind a block of the store's latest height. */
  function lastTip(last: StoredBlock): Tip {
    const state = store.at()
    try {
      const { header, hash } = last
      const limit = app.readContext(state, { ...header, hash }).block.gasLimit
      return { ...tipOf(last, genesis, blocks.validators), maxGas: limit === 0n ? -1n : limit }
    } finally {
      state.close()
    }
  }

  function resetPoolState(): void {
    poolBase?.close()
    poolBase = store.at()
    app.resetCheckState(poolBase, tip)
  }

  function blockTime({ amendments, stepNs }: BlockWish): bigint {
    if (genesisBranch) return clock.next(tip.timeNs - TIME_STEP_NS)
    // What was asked for the next block is for one that its tools see as such.
    // Its hash, which does not follow from the changes, must not be that of a block that was taken back.
    if (amendments) return tip.timeNs + TIME_STEP_NS + BigInt(rollbacks % 1_000_000)
    return stepNs === undefined ? clock.next(tip.timeNs) : tip.timeNs + stepNs
  }

  /** Makes one block of what waits. Throws if it cannot be executed; then nothing was written. */
  async function makeBlock(wish: BlockWish): Promise<StoredBlock> {
    if (followers.size > 0) await Promise.all([...followers].map((step) => step(offer)))
    const before = tip
    const { amendments } = wish
    const started = options.elapsed()
    const limits = { maxBytes: Number(before.maxBytes - BLOCK_OVERHEAD_BYTES), maxGas: before.maxGas }
    const taken = genesisBranch || amendments || wish.isEmpty ? [] : pool.take(limits)
    for (const { hash } of taken) executing.add(toKey(hash))
    const proposal = propose(
      before,
      taken.map(({ bytes }) => bytes),
      blockTime(wish),
      signers(),
    )
    const snapshot = genesisBranch ? undefined : store.at()
    const base: Reader = genesisBranch ?? snapshot!
    const output = app.executeBlock(base, { ...proposal.input, amendments })
    const changes = genesisBranch ? overlay(genesisBranch.changes(), output.branch.changes()) : output.branch.changes()
    snapshot?.close()
    const executed = options.elapsed()
    const hashes = taken.map(({ hash }) => hash)
    let block: StoredBlock | undefined
    let next = before
    await store.commit({
      height: proposal.header.height,
      changes,
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
    afterCommit(block!, taken)
    return block!
  }

  /** The pool's state follows the commit; whoever waited hears, then whoever listens. */
  function afterCommit(block: StoredBlock, taken: readonly PooledTx[]): void {
    const { height } = block.header
    executing.clear()
    resetPoolState()
    recheckPool()
    taken.forEach(({ hash }, index) => {
      waiters.settle(hash, { included: { height, index, result: block.results[index]! } })
    })
    for (const listener of blockListeners) listener(block)
  }

  function recheckPool(): void {
    if (pool.size().count === 0) return
    for (const { tx, result } of pool.recheck(({ bytes }) => app.check(bytes, 'recheck'))) {
      waiters.settle(tx.hash, { dropped: admissionOf(tx.hash, result) })
    }
  }

  /** Tells whoever waits for a transaction that no block will have it. */
  function forsake({ hash }: PendingTx, error: ChainError): void {
    waiters.settle(hash, { dropped: admissionOf(hash, refusal(error)) })
  }

  function halt(error: unknown): void {
    halted = error instanceof Error ? error.message : String(error)
    pace.stop()
    waiters.rejectAll(queryError('unavailable', `the chain has halted: ${halted}`))
    options.onHalt(halted, error)
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
      try {
        return (await makeBlock(wish)).header.height
      } catch (error) {
        // A change that cannot be made is its caller's matter: nothing was written, and nobody waits for it.
        if (!wish.amendments || !(error instanceof ChainError)) halt(error)
        throw error
      }
    })
  }

  /** Makes the blocks that are needed until no epoch is due at the time that it is now: a block turns one epoch of a record. */
  async function catchUp(): Promise<void> {
    const now = clock.now()
    for (let made = 0; isEpochDue(now); made++) {
      if (made === MOST_TO_CATCH_UP) {
        throw queryError('resourceExhausted', `epochs are due after ${made} blocks that were made for them`)
      }
      await nextBlock()
      // Thousands of blocks leave room for questions between them.
      if (made % 16 === 15) await new Promise((resolve) => setImmediate(resolve))
    }
  }

  function isEpochDue(timeNs: bigint): boolean {
    const snapshot = store.at()
    try {
      const { height, hash } = tip
      const facts = { height, timeNs: tip.timeNs, proposer: EMPTY, hash, lastCommitHash: EMPTY }
      return epochs.isDue(app.readContext(snapshot, facts), timeNs)
    } finally {
      snapshot.close()
    }
  }

  /** Makes the chain what it was after a kept block, with these transactions waiting. */
  function goBack(height: bigint, waiting: readonly PooledTx[]): Promise<void> {
    return inLine(async () => {
      poolBase?.close()
      poolBase = undefined
      const rows = rollbackRows(store.tables, height)
      await store.rollback({ height, records: () => rows })
      blocks.forgetAbove(height)
      indexer = openIndexer(store.tables)
      tip = lastTip(blocks.block(height)!)
      const left = pool.pending()
      pool.clear()
      resetPoolState()
      for (const tx of waiting) pool.add(tx)
      recheckPool()
      for (const tx of left) if (!pool.has(tx.hash)) forsake(tx, errors.notFound('the chain went back'))
      rollbacks++
      for (const listener of rollbackListeners) listener(height)
    })
  }

  function refuseWhenClosed(): void {
    if (halted !== undefined) throw queryError('unavailable', `the chain has halted: ${halted}`)
    if (stopping) throw queryError('unavailable', 'the node is stopping')
  }

  function check(bytes: Uint8Array, mode: CheckMode): CheckResult {
    try {
      return app.check(bytes, mode)
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
      const result = check(bytes, 'check')
      const admission = admissionOf(hash, result)
      if (result.code !== 0 || !result.order) return { admission }
      if (tip.maxGas >= 0n && result.gasWanted > tip.maxGas) {
        throw errors.outOfGas(`gas wanted ${result.gasWanted} exceeds the block gas limit ${tip.maxGas}`)
      }
      const tx: PooledTx = {
        hash,
        bytes,
        order: result.order,
        gasWanted: result.gasWanted,
        ...(result.evm && { evm: result.evm }),
      }
      const replaced = pool.add(tx)
      if (replaced) {
        // What the other offered is not to be paid any more.
        resetPoolState()
        recheckPool()
        forsake(replaced, errors.txInMempool('replaced by a transaction that pays more'))
      }
      return { admission, tx }
    } catch (error) {
      if (error instanceof ChainError) return { admission: admissionOf(hash, refusal(error)) }
      throw error
    }
  }

  async function submitAndWait(bytes: Uint8Array, timeoutMs: number) {
    refuseWhenClosed()
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
  }

  function announce(tx: PendingTx): void {
    for (const listener of pendingListeners) listener(tx)
    pace.schedule()
  }

  /** Puts a transaction into the pool, for a block that is made anyway. */
  function offer(bytes: Uint8Array): Admission {
    const { admission, tx } = admit(bytes, sha256(bytes))
    if (tx) for (const listener of pendingListeners) listener(tx)
    return admission
  }

  pace.start()

  return {
    blocks,
    checkOnly: (tx) => check(tx, 'simulate'),
    async submit(bytes) {
      refuseWhenClosed()
      const hash = sha256(bytes)
      const { admission, tx } = admit(bytes, hash)
      if (!tx) return admission
      if (!pace.mining().automine) {
        announce(tx)
        return admission
      }
      const outcome = waiters.wait(hash)
      announce(tx)
      const found = pool.isReady(tx) || executing.size > 0 ? await outcome : await within(outcome, GAP_ANSWER_MS)
      return found && 'dropped' in found ? found.dropped : admission
    },
    submitAndWait,
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
    pending: () => pool.pending(),
    pendingCount: () => pool.size(),
    onBlock(listener) {
      blockListeners.add(listener)
      return () => blockListeners.delete(listener)
    },
    onPending(listener) {
      pendingListeners.add(listener)
      return () => pendingListeners.delete(listener)
    },
    onRollback(listener) {
      rollbackListeners.add(listener)
      return () => rollbackListeners.delete(listener)
    },
    ...(options.development && {
      development: createDevelopment({
        clock,
        makeBlock: nextBlock,
        catchUp,
        goBack,
        tip: () => tip,
        firstHeight: () => blocks.earliestHeight(),
        pending: () => pool.pending(),
        drop(hash) {
          const tx = pool.drop(hash)
          if (!tx) return false
          resetPoolState()
          recheckPool()
          forsake(tx, errors.notFound('the transaction was dropped'))
          return true
        },
        tools: options.development,
        mining: pace.mining,
        setMining: pace.setMining,
      }),
    }),
    status: () => ({
      catchingUp: false,
      ...(halted !== undefined && { halted }),
      latestHeight: tip.height,
      latestTimeNs: tip.timeNs,
      rollbacks,
    }),
    async stop() {
      if (stopping) return
      stopping = true
      pace.stop()
      await line
      poolBase?.close()
      waiters.rejectAll(queryError('unavailable', 'the node is stopping'))
    },
  }
}
