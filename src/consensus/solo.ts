/** The embedded engine: this process alone decides the next block, from a clock and the transactions that wait. */
import type { StoredBlock } from '../app/records.ts'
import type { Application, CheckMode, CheckResult, GenesisDocument } from '../app/types.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import type { BlockIndex } from '../indexer/types.ts'
import { openIndexer, validatorRow } from '../indexer/writer.ts'
import { EMPTY, toKey } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import { errors } from '../sdk/errors.ts'
import { createEmptyBranch } from '../store/branch.ts'
import type { Branch, Change, Reader, Snapshot, Tables, TableWrite } from '../store/types.ts'
import { advance, genesisTip, propose, type Signer, storedBlock, type Tip, tipOf } from './chain.ts'
import type { Admission, Driver, Inclusion, PendingTx } from './driver.ts'
import { createMempool, type MempoolLimits, type PooledTx } from './mempool.ts'
import { createWaiters } from './waiters.ts'

/** When blocks are made. */
export type BlockTiming =
  | { readonly mode: 'arrival' }
  | { readonly mode: 'manual' }
  | { readonly mode: 'interval'; readonly intervalMs: number }

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
  readonly tables: Tables
}

export interface SoloOptions {
  readonly app: Application
  readonly store: SoloStore
  readonly genesis: GenesisDocument
  readonly signer: Signer
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
}

export interface Solo extends Driver {
  readonly blocks: BlockIndex
  /** Admission without keeping the transaction. */
  checkOnly(tx: Uint8Array): CheckResult
}

/** How long a transaction behind a nonce gap may keep its sender waiting for the answer. */
const GAP_ANSWER_MS = 3000
/** Longest time that a block waits while more transactions keep coming in: fewer commits under load, none the later alone. */
const GATHER_MS = 20
/** Least distance between two blocks' times. */
const TIME_STEP_NS = 1_000_000n
/** Space of a block that is not transactions: header, commit. */
const BLOCK_OVERHEAD_BYTES = 4096n

/** Opens the chain where the store stands, begins it from genesis if the store is empty, and makes blocks from then on. */
export async function startSolo(options: SoloOptions): Promise<Solo> {
  const { app, store, genesis, signer, timing } = options
  let tip: Tip
  const blocks = openBlockIndex(store.tables, () => tip.height)
  const indexer = openIndexer(store.tables)
  const pool = createMempool(options.limits)
  const waiters = createWaiters()
  const blockListeners = new Set<(block: StoredBlock) => void>()
  const pendingListeners = new Set<(tx: PendingTx) => void>()
  const executing = new Set<string>()
  let halted: string | undefined
  let stopping = false
  let scheduled = false
  /** What the pool's state reads from. */
  let poolBase: Snapshot | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** The block being made, and those asked for behind it. */
  let line: Promise<unknown> = Promise.resolve()

  let genesisBranch: Branch | undefined
  tip = openTip()
  if (genesisBranch) await nextBlock()
  else resetPoolState()

  function openTip(): Tip {
    const height = store.latestHeight()
    const last = height > 0n ? blocks.block(height) : undefined
    if (last) return tipOf(last, genesis, blocks.validators)
    if (height > 0n) throw queryError('dataLoss', `the store is at height ${height} and holds no such block`)
    genesisBranch = createEmptyBranch()
    const { validators } = app.initChain(genesis, genesisBranch)
    if (validators.length === 0) throw queryError('failedPrecondition', 'genesis has no validator')
    return genesisTip(genesis, validators)
  }

  function resetPoolState(): void {
    poolBase?.close()
    poolBase = store.at()
    app.resetCheckState(poolBase, tip)
  }

  function blockTime(): bigint {
    const now = options.now()
    const least = genesisBranch ? tip.timeNs : tip.timeNs + TIME_STEP_NS
    if (now < least) return least
    return now
  }

  /** Makes one block of what waits. Throws if it cannot be executed; then nothing was written. */
  async function makeBlock(): Promise<StoredBlock> {
    const before = tip
    const started = options.elapsed()
    const limits = { maxBytes: Number(before.maxBytes - BLOCK_OVERHEAD_BYTES), maxGas: before.maxGas }
    const taken = genesisBranch ? [] : pool.take(limits)
    for (const { hash } of taken) executing.add(toKey(hash))
    const proposal = propose(
      before,
      taken.map(({ bytes }) => bytes),
      blockTime(),
      signer,
    )
    const snapshot = genesisBranch ? undefined : store.at()
    const base: Reader = genesisBranch ?? snapshot!
    const output = app.executeBlock(base, proposal.input)
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
        next = advance(before, block, output.validatorUpdates)
        const rows = indexer.rows(block, hashes)
        if (genesisBranch) rows.push(validatorRow(proposal.header.height, before.validators))
        if (next.nextValidators !== before.nextValidators) {
          rows.push(validatorRow(proposal.header.height + 2n, next.nextValidators))
        }
        return rows
      },
    })
    options.onTiming?.({ executeMs: executed - started, commitMs: options.elapsed() - executed })
    tip = next
    genesisBranch = undefined
    afterCommit(block!, taken)
    return block!
  }

  /** The pool's state follows the commit; whoever waited hears, then whoever listens. */
  function afterCommit(block: StoredBlock, taken: readonly PooledTx[]): void {
    const { height } = block.header
    executing.clear()
    resetPoolState()
    if (pool.size().count > 0) {
      for (const { tx, result } of pool.recheck(({ bytes }) => app.check(bytes, 'recheck'))) {
        waiters.settle(tx.hash, { dropped: admissionOf(tx.hash, result) })
      }
    }
    taken.forEach(({ hash }, index) => {
      waiters.settle(hash, { included: { height, index, result: block.results[index]! } })
    })
    for (const listener of blockListeners) listener(block)
  }

  function halt(error: unknown): void {
    halted = error instanceof Error ? error.message : String(error)
    clearTimeout(timer)
    waiters.rejectAll(queryError('unavailable', `the chain has halted: ${halted}`))
    options.onHalt(halted, error)
  }

  /** One block after another; a failure ends the chain before its commit. */
  function nextBlock(): Promise<bigint> {
    const made = line.then(async () => {
      refuseWhenClosed()
      try {
        return (await makeBlock()).header.height
      } catch (error) {
        halt(error)
        throw error
      }
    })
    line = made.catch(() => undefined)
    return made
  }

  function refuseWhenClosed(): void {
    if (halted !== undefined) throw queryError('unavailable', `the chain has halted: ${halted}`)
    if (stopping) throw queryError('unavailable', 'the node is stopping')
  }

  /** With blocks on arrival: a block as soon as no more transactions come in from one turn of the loop to the next. */
  function schedule(): void {
    if (timing.mode !== 'arrival' || scheduled || !pool.hasReady()) return
    scheduled = true
    void line.then(() => {
      const begun = options.elapsed()
      let seen = 0
      const gather = () => {
        const { count } = pool.size()
        if (count > seen && options.elapsed() - begun < GATHER_MS) {
          seen = count
          setImmediate(gather)
          return
        }
        scheduled = false
        if (stopping || halted !== undefined || !pool.hasReady()) return
        nextBlock().then(schedule, () => undefined)
      }
      setImmediate(gather)
    })
  }

  function startInterval(intervalMs: number): void {
    let due = options.elapsed() + intervalMs
    const tick = () => {
      nextBlock().then(
        () => {
          if (stopping) return
          const now = options.elapsed()
          due = Math.max(due + intervalMs, now)
          timer = setTimeout(tick, due - now)
        },
        () => undefined,
      )
    }
    timer = setTimeout(tick, intervalMs)
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
      pool.add(tx)
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
    schedule()
  }

  if (timing.mode === 'interval') startInterval(timing.intervalMs)

  return {
    blocks,
    checkOnly: (tx) => check(tx, 'simulate'),
    async submit(bytes) {
      refuseWhenClosed()
      const hash = sha256(bytes)
      const { admission, tx } = admit(bytes, hash)
      if (!tx) return admission
      if (timing.mode !== 'arrival') {
        announce(tx)
        return admission
      }
      const outcome = waiters.wait(hash)
      announce(tx)
      const found = pool.isReady(tx) || executing.size > 0 ? await outcome : await within(outcome, GAP_ANSWER_MS)
      return found && 'dropped' in found ? found.dropped : admission
    },
    submitAndWait,
    nextBlock,
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
    status: () => ({
      catchingUp: false,
      ...(halted !== undefined && { halted }),
      latestHeight: tip.height,
      latestTimeNs: tip.timeNs,
    }),
    async stop() {
      if (stopping) return
      stopping = true
      clearTimeout(timer)
      await line
      poolBase?.close()
      waiters.rejectAll(queryError('unavailable', 'the node is stopping'))
    },
  }
}

/** Writes of genesis with those of the first block over them; a key that both left absent is not written at all. */
function overlay(genesis: readonly Change[], first: readonly Change[]): Change[] {
  const merged = new Map<string, Change>()
  for (const change of genesis) merged.set(`${change.store}\0${toKey(change.key)}`, change)
  for (const change of first) merged.set(`${change.store}\0${toKey(change.key)}`, change)
  return [...merged]
    .filter(([, { value }]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change)
}

function refusal(error: ChainError): CheckResult {
  return {
    code: error.code,
    codespace: error.codespace,
    log: error.message,
    data: EMPTY,
    gasWanted: 0n,
    gasUsed: 0n,
    events: [],
    error,
  }
}

function admissionOf(hash: Uint8Array, { code, codespace, log, gasWanted, gasUsed, error }: CheckResult): Admission {
  return { code, codespace, log, gasWanted, gasUsed, hash, ...(error && { error }) }
}

/** The value of a promise, or undefined when it takes longer. */
async function within<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
