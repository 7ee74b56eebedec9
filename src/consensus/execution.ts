import type { StoredBlock, TxResult, Validator } from '../app/records.ts'
import type { BlockFacts, BlockInput, BlockOutput, GenesisDocument, GenesisState } from '../app/types.ts'
import type { BlockIndex } from '../indexer/types.ts'
import type { Amendment } from '../modules/evm/keeper.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { StoreChanges } from '../store/history/store-changes.ts'
import type { ChainEvent, Change, Snapshot } from '../store/types.ts'
import type { CheckState } from './check-state.ts'
import type { ChainStatus, Halted } from './driver.ts'
import type { Tip } from './tip.ts'

/** A block that was executed on the tip. Nothing of it is in the store. */
export interface ExecutedBlock {
  readonly input: BlockInput
  readonly output: BlockOutput
  /** Writes of the block; the first block's include genesis. */
  readonly changes: readonly Change[]
  readonly executeMs: number
}

/** A block whose begin hooks have run on the tip. A step that throws ends it. */
export interface StartedBlock {
  readonly beginEvents: readonly ChainEvent[]
  deliver(tx: Uint8Array): TxResult
  end(): ExecutedBlock
  /** Gives the block up. */
  drop(): void
}

/** The state and the events of a block before an amendment. */
export interface Undo {
  readonly changes: readonly Change[]
  readonly blockEvents: StoredBlock['blockEvents']
}

/** Makes the record of a block once its app hash is known. */
export type MakeRecord = (appHash: Uint8Array) => StoredBlock

/** A block whose changes are being hashed; nothing of it is durable. */
export interface PreparedBlock {
  /** App hash after the block, for engines that need it before the commit. Reading it waits for the trees. */
  readonly appHash: Uint8Array
  /** Returns the root hash of each store after the block, in the order of the app hash. */
  storeRoots(): ReadonlyMap<string, Uint8Array>
  /**
   * Writes state, record and index entries in one durable transaction, and moves the tip. Calls `settle`, then the block
   * listeners.
   */
  commit(settle?: (block: StoredBlock) => void): StoredBlock
  /**
   * Moves the tip without waiting for the disk. The block becomes durable with the next one that is not held, or with `flush`;
   * `settle` and the listeners are called then. A crash loses it and all after it.
   */
  hold(settle?: (block: StoredBlock) => void): StoredBlock
  abort(): void
}

/** A block that was executed elsewhere. */
export interface ForeignBlock {
  readonly height: bigint
  readonly record: MakeRecord
  /** The validator set in force at this height; absent if it is the previous one, rotated. */
  readonly validators?: readonly Validator[] | undefined
  /** Stores that an upgrade added, renamed or deleted in this block. */
  readonly stores?: StoreChanges | undefined
}

export interface Executor {
  readonly blocks: BlockIndex
  readonly checkState: CheckState
  /** Returns whether the store has no block, and genesis has not run. */
  isEmpty(): boolean
  /** Returns the latest height that was committed; 0 before the first. */
  committedHeight(): bigint
  /**
   * Runs genesis on an empty store, for the first block to build on, and applies the amendments of a development chain to it.
   * `checked` is the state of the document, if it was imported before. Throws `failedPrecondition` without a validator.
   */
  begin(genesis: GenesisDocument, amendments?: (ctx: ReadContext) => readonly Amendment[], checked?: GenesisState): void
  /** Returns the tip. Throws `dataLoss` if the store lacks its latest block, an `Error` before genesis. */
  tip(): Tip
  /** Opens the state of the latest commit. */
  state(): Snapshot
  /** Reads the state of the latest commit. */
  read<T>(use: (ctx: ReadContext) => T): T
  /**
   * Executes a block on the tip. Throws `unavailable` if the chain has halted, and halts it if this build must not make the
   * block because of an upgrade. The caller handles other errors; `fail` halts the chain because of one.
   */
  execute(input: BlockInput): ExecutedBlock
  /** Begins a block on the tip, for an engine that delivers its transactions one at a time. Throws as `execute`, and so do its steps. */
  start(facts: BlockFacts): StartedBlock
  /** Starts hashing an executed block. `txHashes`, sha256 of its transactions, saves hashing them again. */
  prepare(block: ExecutedBlock, record: MakeRecord, txHashes?: readonly Uint8Array[]): PreparedBlock
  /** Starts hashing the changes of a block that was executed elsewhere; compare `appHash` with the next header before the commit. */
  prepareForeign(block: ForeignBlock, changes: readonly Change[]): PreparedBlock
  /** Makes the blocks durable that are held, and tells the listeners of each. Does nothing without one. */
  flush(): void
  /** Returns the number of held blocks. */
  heldCount(): number
  /** Prepares and commits a block that was executed elsewhere. */
  commitForeign(block: ForeignBlock, changes: readonly Change[]): StoredBlock
  /**
   * Changes the state after the latest block without another block (ADR 0006), durably and at once. Calls `settle`, then the
   * rollback listeners, because the height has another state. Returns the change that undoes it. Throws for an invalid
   * amendment; then nothing changes.
   */
  amend(amendments: readonly Amendment[], settle: () => void): Undo
  /** Replaces the record of the latest block, but not its state. Calls `settle`, then the rollback listeners. */
  replace(record: StoredBlock, settle: () => void): void
  /** Undoes amendments of the latest block. */
  undo(undo: Undo, settle: () => void): void
  /** Goes back to a kept height. Calls `settle`, then the rollback listeners. Throws as `VersionedStore.rollback`. */
  rollback(height: bigint, settle?: () => void): void
  /** Halts the chain because the next block cannot be made. Does nothing if it has halted. */
  fail(error: unknown): void
  /** Halts the chain if its state says that this build must not make the next block. */
  haltIfDue(): void
  /** Throws `unavailable` if the chain has halted. */
  requireRunning(): void
  status(): Omit<ChainStatus, 'catchingUp'>
  onBlock(listener: (block: StoredBlock) => void): () => void
  /** Calls the listener with the height that the chain went back to. */
  onRollback(listener: (height: bigint) => void): () => void
  onHalt(listener: (halted: Halted) => void): () => void
}
