/**
 * Executes blocks, commits them in two phases, and notifies listeners. Every engine and every source of
 * blocks goes through here; none of them writes to the store.
 */
import type { Halt } from '../app/halt.ts'
import type { StoredBlock, Validator } from '../app/records.ts'
import type { Application, BlockFacts, BlockInput, GenesisDocument, GenesisState } from '../app/types.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import { replacingRows } from '../indexer/rollback.ts'
import { blockRows, MAX_ROTATIONS, openIndexer, validatorRow } from '../indexer/writer.ts'
import { blockLimits } from '../modules/consensus/keeper.ts'
import type { Amendment } from '../modules/evm/keeper.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { Progress } from '../primitives/progress.ts'
import type { ReadContext } from '../sdk/context.ts'
import { createEmptyBranch } from '../store/branch.ts'
import { mergeChanges } from '../store/merge.ts'
import { createReadCache } from '../store/read-cache.ts'
import type { Branch, Change, Reader, TableWrite } from '../store/types.ts'
import type { VersionedStore } from '../store/versioned.ts'
import { createCheckState } from './check-state.ts'
import type { Halted } from './driver.ts'
import type {
  ExecutedBlock,
  Executor,
  ForeignBlock,
  MakeRecord,
  PreparedBlock,
  StartedBlock,
  Undo,
} from './execution.ts'
import { haltedByFailure, haltedByUpgrade, haltedError } from './halted.ts'
import { createHeldBlocks } from './held-blocks.ts'
import { createListeners } from './listeners.ts'
import { rollbackChain } from './rollback.ts'
import { advance, genesisTip, type Tip, tipOf } from './tip.ts'

/** The part of the versioned store that the executor uses, as its only writer. */
export type ExecutorStore = Pick<
  VersionedStore,
  'latestHeight' | 'at' | 'atTip' | 'prepare' | 'flush' | 'amend' | 'rollback' | 'tables'
>

/** The cause of a halt: an upgrade, or a failure. */
type HaltCause =
  | { readonly halt: Halt; readonly error?: undefined }
  | { readonly halt?: undefined; readonly error: unknown }

export interface ExecutorOptions {
  readonly app: Application
  readonly store: ExecutorStore
  /** Monotonic clock for `onTiming`, milliseconds. */
  readonly elapsed: () => number
  /** Called when the chain halts, before any listener. */
  readonly onHalt: (halted: Halted, cause: HaltCause) => void
  /** Called with errors thrown by listeners of blocks, rollbacks and halts. */
  readonly onListenerFailure: (error: unknown) => void
  /** Called after each commit with the duration of both steps, milliseconds; `executeMs` is undefined for a block executed elsewhere. */
  readonly onTiming?: (timing: { readonly executeMs: number | undefined; readonly commitMs: number }) => void
  /** Shows the import of a genesis document, and the first block, which writes its state. */
  readonly progress?: Progress | undefined
}

export function createExecutor(options: ExecutorOptions): Executor {
  const { app, store, elapsed, onListenerFailure } = options
  const blocks = openBlockIndex(store.tables, () => store.latestHeight())
  const blockListeners = createListeners<StoredBlock>(onListenerFailure)
  const rollbackListeners = createListeners<bigint>(onListenerFailure)
  const haltListeners = createListeners<Halted>(onListenerFailure)
  const held = createHeldBlocks(store, blockListeners.notify)
  const reads = createReadCache()
  let indexer = openIndexer(store.tables)
  /** Writes of genesis, until the first block commits them. */
  let genesisState: Branch | undefined
  let tip: Tip | undefined
  /** The record of the latest foreign block, which its tip is made from; undefined after anything else. */
  let recent: StoredBlock | undefined
  let halted: Halted | undefined
  let rollbacks = 0

  const requireTip = (): Tip => {
    tip ??= loadTip()
    return tip
  }

  function loadTip(): Tip {
    const height = store.latestHeight()
    if (height === 0n) throw new Error('the chain has no genesis yet: begin it first')
    const isRecent = recent?.header.height === height
    const block = isRecent ? recent : (blocks.block(height) ?? blocks.restored(height))
    if (!block) throw queryError('dataLoss', `the block of the latest height ${height} is missing from the index`)
    const { header, hash } = block
    const state = store.atTip()
    try {
      return tipOf(block, blockLimits(app.readContext(state, { ...header, hash })), blocks.validators)
    } finally {
      state.close()
    }
  }

  /** Opens the state that transactions of the next block are checked on: before the first block, that of genesis. */
  const openForChecks = (): Reader & { close(): void } => {
    if (genesisState) return { ...genesisState, close: () => undefined }
    const state = store.atTip()
    return { ...reads.over(state), close: state.close }
  }

  const checkState = createCheckState({ app, open: openForChecks, tip: requireTip })

  function requireRunning(): void {
    if (halted) throw haltedError(halted)
  }

  function start(facts: BlockFacts): StartedBlock {
    requireRunning()
    const state = genesisState ? undefined : store.atTip()
    const base = genesisState ?? reads.over(state!)
    const txs: Uint8Array[] = []
    let executeMs = 0
    /** Runs a step. The state stays open until the block ends or fails. */
    function step<T>(run: () => T): T {
      const started = elapsed()
      try {
        return run()
      } catch (error) {
        state?.close()
        throw error
      } finally {
        executeMs += elapsed() - started
      }
    }
    const block = step(() => {
      const found = app.beginBlock(base, facts)
      if (!found.halt) return found
      // The next build continues after the last block of this one.
      held.flush()
      const halted = haltedByUpgrade(found.halt)
      halt(halted, { halt: found.halt })
      throw haltedError(halted)
    })
    return {
      beginEvents: block.beginEvents,
      deliver: (tx) =>
        step(() => {
          txs.push(tx)
          return block.deliver(tx)
        }),
      end: () =>
        step(() => {
          const output = block.end()
          const own = output.branch.changes()
          const changes = genesisState ? mergeChanges(genesisState.changes(), own) : own
          state?.close()
          return { input: { ...facts, txs }, output, changes, executeMs }
        }),
      drop: () => state?.close(),
    }
  }

  function execute(input: BlockInput): ExecutedBlock {
    const started = start(input)
    for (const tx of input.txs) started.deliver(tx)
    return started.end()
  }

  function prepare(block: ExecutedBlock, record: MakeRecord, txHashes?: readonly Uint8Array[]): PreparedBlock {
    const { input, output, changes, executeMs } = block
    const { height } = input
    const started = elapsed()
    const before = requireTip()
    const report = genesisState && options.progress?.('keys written')
    const prepared = store.prepare({
      height,
      changes,
      stores: output.stores,
      staged: output.branch.staged(),
      report,
    })
    return held.prepared(prepared, write)

    /** Writes the block and moves the tip. */
    function write(isHeld: boolean): StoredBlock {
      let stored: StoredBlock | undefined
      let next = before
      prepared.commit((appHash) => {
        stored = record(appHash)
        next = advance(before, stored, output)
        return [...indexer.rows(stored, txHashes), ...validatorRows(before, next, output.validatorUpdates.length > 0)]
      }, isHeld)
      blocks.learn(stored!)
      if (output.stores === undefined && output.branch.staged() === undefined) reads.advance(height, changes)
      options.onTiming?.({ executeMs, commitMs: elapsed() - started })
      moveTo(next)
      return stored!
    }
  }

  /** Returns validator rows after genesis, after an update, and every `MAX_ROTATIONS` heights. */
  function validatorRows(before: Tip, next: Tip, areUpdated: boolean): TableWrite[] {
    const rows = genesisState ? [validatorRow(next.height, before.validators)] : []
    const from = next.height + 2n
    if (areUpdated || (next.nextValidators.length > 1 && from % MAX_ROTATIONS === 0n)) {
      rows.push(validatorRow(from, next.nextValidators))
    }
    return rows
  }

  /** Moves to a tip or, after a foreign block, to the one that its record makes. */
  function moveTo(next: Tip | undefined, foreign?: StoredBlock): void {
    tip = next
    recent = foreign
    genesisState = undefined
    checkState.reset()
  }

  function prepareForeign(block: ForeignBlock, changes: readonly Change[]): PreparedBlock {
    requireRunning()
    const { height, record, stores } = block
    const started = elapsed()
    const prepared = store.prepare({ height, changes, stores })
    return held.prepared(prepared, write)

    /** Writes the block and moves the tip. */
    function write(isHeld: boolean): StoredBlock {
      const stored = record(prepared.appHash)
      const validators = block.validators ?? boundingSet(height)
      const rows = [...indexer.rows(stored), ...(validators ? [validatorRow(height, validators)] : [])]
      prepared.commit(() => rows, isHeld)
      options.onTiming?.({ executeMs: undefined, commitMs: elapsed() - started })
      moveTo(undefined, stored)
      blocks.learn(stored)
      return stored
    }
  }

  /** Returns the set of a height whose row bounds the rotations of later lookups. */
  const boundingSet = (height: bigint): readonly Validator[] | undefined =>
    height % MAX_ROTATIONS === 0n ? blocks.validators(height) : undefined

  /** Reads the tip again after its record was changed, and tells the listeners that the chain is at the height again. */
  function comeBackTo(height: bigint, settle?: () => void): void {
    recent = undefined
    tip = loadTip()
    rollbacks++
    settle?.()
    rollbackListeners.notify(height)
  }

  function rollback(height: bigint, settle?: () => void): void {
    checkState.reset()
    rollbackChain(store, height)
    blocks.evictAbove(height)
    indexer = openIndexer(store.tables)
    comeBackTo(height, settle)
  }

  /** Changes the state and the record of the latest block. */
  function rewrite(
    changes: readonly Change[],
    settle: () => void,
    rowsOf: (before: StoredBlock, appHash: Uint8Array) => readonly TableWrite[],
  ): void {
    const { height } = requireTip()
    const before = blocks.block(height)!
    checkState.reset()
    store.amend(changes, (appHash) => rowsOf(before, appHash))
    blocks.evictAbove(height - 1n)
    comeBackTo(height, settle)
  }

  /** Changes the state and the events of the latest block. */
  function undo({ changes, blockEvents }: Undo, settle: () => void): void {
    rewrite(changes, settle, (before, nextAppHash) => blockRows({ ...before, blockEvents, nextAppHash }))
  }

  function replace(record: StoredBlock, settle: () => void): void {
    requireRunning()
    rewrite([], settle, (before, nextAppHash) => replacingRows(before, { ...record, nextAppHash }))
    indexer = openIndexer(store.tables)
  }

  function amend(amendments: readonly Amendment[], settle: () => void): Undo {
    requireRunning()
    const { header, hash, blockEvents } = blocks.block(requireTip().height)!
    const state = store.at()
    try {
      const { changes, events } = app.amend(state, { ...header, hash }, amendments)
      const before = changes.map(({ store: name, key }) => ({ store: name, key, value: state.get(name, key) }))
      undo({ changes, blockEvents: [...blockEvents, ...events] }, settle)
      return { changes: before, blockEvents }
    } finally {
      state.close()
    }
  }

  function importGenesis(genesis: GenesisDocument): GenesisState {
    const state = createEmptyBranch()
    const { validators } = app.initChain(genesis, state, options.progress?.('entries imported'))
    return { state, validators }
  }

  function amendGenesis(
    state: Branch,
    { height, timeNs }: Tip,
    amendments: (ctx: ReadContext) => readonly Amendment[],
  ) {
    const facts = { height, timeNs, hash: EMPTY, proposer: EMPTY, lastCommitHash: EMPTY }
    const wanted = amendments(app.readContext(state, facts))
    for (const { store: name, key, value } of app.amend(state, facts, wanted).changes) {
      if (value) state.set(name, key, value)
      else state.delete(name, key)
    }
  }

  function haltDue(): Halt | undefined {
    const state = store.atTip()
    try {
      return app.haltBefore(state, requireTip().height + 1n)
    } finally {
      state.close()
    }
  }

  /** Halts for everyone who waits, even if the failure cannot be reported. An upgrade must be on disk first. */
  function halt(found: Halted, cause: HaltCause): void {
    const notify = (): void => {
      halted = found
      haltListeners.notify(found)
    }
    try {
      options.onHalt(found, cause)
    } catch (error) {
      if (cause.halt) throw error
      notify()
      onListenerFailure(error)
      return
    }
    notify()
  }

  function read<T>(use: (ctx: ReadContext) => T): T {
    const { height, timeNs, hash } = requireTip()
    const state = store.atTip()
    try {
      return use(app.readContext(state, { height, timeNs, hash, proposer: EMPTY, lastCommitHash: EMPTY }))
    } finally {
      state.close()
    }
  }

  return {
    blocks,
    checkState,
    isEmpty: () => store.latestHeight() === 0n && genesisState === undefined,
    committedHeight: store.latestHeight,
    begin(genesis, amendments, checked) {
      const { state, validators } = checked ?? importGenesis(genesis)
      if (validators.length === 0) throw queryError('failedPrecondition', 'genesis has no validator')
      checkState.reset()
      genesisState = state
      tip = genesisTip(genesis, validators)
      if (amendments) amendGenesis(state, tip, amendments)
    },
    tip: requireTip,
    state: () => store.atTip(),
    read,
    execute,
    start,
    prepare,
    prepareForeign,
    flush: held.flush,
    heldCount: held.count,
    commitForeign: (block, changes) => prepareForeign(block, changes).commit(),
    amend,
    replace,
    undo,
    rollback,
    fail(error) {
      if (!halted) halt(haltedByFailure(error, requireTip().height + 1n), { error })
    },
    haltIfDue() {
      const due = haltDue()
      if (due) halt(haltedByUpgrade(due), { halt: due })
    },
    requireRunning,
    status() {
      const { height, timeNs } = requireTip()
      return { ...(halted && { halted }), latestHeight: height, latestTimeNs: timeNs, rollbacks }
    },
    onBlock: blockListeners.add,
    onRollback: rollbackListeners.add,
    onHalt: haltListeners.add,
  }
}
