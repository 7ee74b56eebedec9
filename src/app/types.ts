/** The interface of the state machine: a pure function of state, block and transactions. */

import type { ConsensusParams } from '../gen/tendermint/types/params_pb.ts'
import type { BlockLimits } from '../modules/consensus/keeper.ts'
import type { Amendment } from '../modules/evm/keeper.ts'
import type { Coin } from '../primitives/coin.ts'
import type { Report } from '../primitives/progress.ts'
import type { BlockInfo, ReadContext } from '../sdk/context.ts'
import type { StoreChanges } from '../store/history/store-changes.ts'
import type { Branch, ChainEvent, Change, Reader } from '../store/types.ts'
import type { Halt } from './halt.ts'
import type { QueryTable } from './query.ts'
import type { BlockHeader, EvmTx, TxResult, Validator } from './records.ts'
import type { Preflight, Rehearsal } from './upgrades/report.ts'
import type { BlockWatch } from './watch.ts'

/** The facts of a block that its execution begins with. */
export interface BlockFacts {
  readonly height: bigint
  readonly timeNs: bigint
  readonly proposer: Uint8Array
  /** Header hash of this block, which does not depend on its execution. */
  readonly hash: Uint8Array
  readonly lastCommitHash: Uint8Array
  /** The whole header, if the engine provides it (ABCI 2.0 does not). */
  readonly header?: BlockHeader | undefined
  /** Validators of the previous block, and whether they signed it. */
  readonly lastCommitVotes: readonly {
    readonly validator: Uint8Array
    readonly power: bigint
    readonly signed: boolean
  }[]
  readonly evidence: readonly {
    readonly kind: 'duplicateVote' | 'lightClientAttack'
    readonly validator: Uint8Array
    readonly height: bigint
    readonly timeNs: bigint
    readonly power: bigint
    readonly totalPower: bigint
  }[]
}

export interface BlockInput extends BlockFacts {
  readonly txs: readonly Uint8Array[]
}

/** The state that a genesis document describes. */
export interface GenesisState {
  readonly state: Branch
  /** The validators of the first block. */
  readonly validators: readonly Validator[]
}

/** A block of the chain that is executed again. */
export interface PastBlock extends BlockInput {
  /** Whether each transaction succeeded; an execution in which one does otherwise is given up. */
  readonly succeeded?: readonly boolean[]
  /** Whether it comes from a loaded state, which can lack the state before it. */
  readonly isAdopted?: boolean
}

export interface BlockOutput {
  /** Writes of the block; the versioned store commits them. */
  readonly branch: Branch
  /** Changes of an upgrade to the list of stores; the versioned store commits them. */
  readonly stores?: StoreChanges | undefined
  readonly results: readonly TxResult[]
  /** Events of the begin hooks, then those of the end hooks. */
  readonly blockEvents: readonly ChainEvent[]
  readonly evmTxs: readonly EvmTx[]
  readonly evmGasUsed: bigint
  /** Power 0 removes. */
  readonly validatorUpdates: readonly Validator[]
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint
  readonly coinbase: Uint8Array
  /** PREVRANDAO that was set; absent if it follows from the block. */
  readonly prevRandao?: Uint8Array | undefined
  /** Limits of the block after this one. */
  readonly nextLimits: BlockLimits
  /** Parameters of the engine for the block after this one. */
  readonly consensusParams: ConsensusParams
}

/** A block whose begin hooks have run. */
export interface RunningBlock {
  readonly beginEvents: readonly ChainEvent[]
  /** Executes the next transaction. An invalid one has a result too. */
  deliver(tx: Uint8Array): TxResult
  /** Runs the end hooks. No transaction follows. */
  end(): BlockOutput
}

/** A block that has begun, or the reason for a halt. */
export type BlockStart = (RunningBlock & { readonly halt?: undefined }) | { readonly halt: Halt }

/** An executed block, or the reason for a halt. */
export type BlockOutcome = (BlockOutput & { readonly halt?: undefined }) | { readonly halt: Halt }

/** A mode: `check` for a new transaction, `recheck` after a block, `simulate` with lenient checks of fees, signatures and sequences. */
export type CheckMode = 'check' | 'recheck' | 'simulate'

export interface CheckResult {
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly ChainEvent[]
  readonly error?: Error
  /** Place in the pool. Present if the transaction passed. */
  readonly order?: PoolOrder
  readonly evm?: {
    readonly hash: Uint8Array
    readonly raw: Uint8Array
    readonly from: Uint8Array
    readonly nonce: bigint
  }
}

/** A transaction among those of its signers. */
export interface TxPlace {
  /** The signers with their sequences. */
  readonly signers: readonly { readonly sender: string; readonly nonce: bigint }[]
  readonly gasWanted: bigint
}

/** The facts that place a transaction in the pool, which has one queue per sender. */
export interface PoolOrder {
  readonly sender: string
  readonly nonce: bigint
  /** Offered price at the present base fee; the highest for due oracle votes. */
  readonly priority: bigint
  /** Whether the transaction consists of due oracle votes, which the pool has room for in any case. */
  readonly isDueVote?: boolean
  /** Further signers, each with its sequence. */
  readonly others?: readonly { readonly sender: string; readonly nonce: bigint }[]
  /** The sender's nonce in the state, if `nonce` can be ahead of it; absent if no earlier transaction can be missing. */
  readonly stateNonce?: bigint
  /** Prices of an Ethereum transaction: a replacement must raise both by a tenth. Unit: wei. */
  readonly feeCapWei?: bigint
  readonly tipCapWei?: bigint
  /** The account that pays. */
  readonly payer: string
  /** The most that the transaction can cost its payer, and the state of the pool has not deducted. Unit: wei. */
  readonly costWei: bigint
  /** The unlocked balance of the payer in the state of the pool. Unit: wei. */
  readonly spendableWei: bigint
  /** Fee that the state of the pool has deducted from the payer. */
  readonly deducted?: readonly Coin[]
  /** Memory that the transaction takes while it waits, decoded. */
  readonly heldBytes: number
}

/** The facts of the block that its state is read with. */
type PendingFacts = Pick<BlockInfo, 'height' | 'timeNs' | 'proposer' | 'hash' | 'lastCommitHash' | 'gasLimit'>

/** The state within a pending block, as plain data. */
export interface PendingState {
  readonly facts: PendingFacts
  /** Writes on the state of the block before. */
  readonly changes: readonly Change[]
}

/** An executed pending block. */
export interface PendingOutcome extends PendingState {
  readonly evmTxs: readonly EvmTx[]
  readonly evmGasUsed: bigint
  readonly baseFeeWei: bigint
  readonly coinbase: Uint8Array
  /** PREVRANDAO that was set; absent if it follows from the block. */
  readonly prevRandao?: Uint8Array | undefined
}

/** Places a passed transaction in the pool. Throws if the pool does not accept it. */
export type TakePassed = (passed: CheckResult) => void

export interface Application {
  /**
   * Writes the state of height 0 from a genesis document. Throws a `ChainError` with the invalid entry. `report` receives the entries
   * of the document.
   */
  initChain(genesis: GenesisDocument, base: Branch, report?: Report): { readonly validators: readonly Validator[] }
  /**
   * Executes a block on the state before it, including a due plan (docs/modules/upgrade.md). Throws for a bug of a hook, and if
   * the state cannot be read or memory is short: the node then stops before it commits.
   */
  executeBlock(base: Reader, block: BlockInput): BlockOutcome
  /** Begins a block, for an engine that delivers its transactions one at a time. All steps throw as `executeBlock`. */
  beginBlock(base: Reader, block: BlockFacts): BlockStart
  /** Returns the halt of the block at a height, as far as the state before it determines it. */
  haltBefore(base: Reader, height: bigint): Halt | undefined
  /** Rehearses an upgrade on a state without changing it. Throws 5 for an upgrade that this build lacks. */
  rehearse(ctx: ReadContext, name: string): Rehearsal
  /** Compares this build with a state of the latest height, and with the plan in it. */
  preflight(state: Reader, height: bigint): Preflight
  /** Returns the parts of the latest state that this build would fail on or misread, regardless of plans. */
  misfits(state: Reader): readonly string[]
  /**
   * Runs admission on a branch of the pool's state. The state keeps the writes of passed checks until `resetCheckState`. `take`
   * receives a passed result before the merge; if it throws, its error is the result and the branch is dropped.
   */
  check(tx: Uint8Array, mode: CheckMode, take?: TakePassed): CheckResult
  /**
   * Removes the effects of a checked transaction from the state of the pool: its fee, and the sequences of its signers. No
   * later transaction of these signers may be in the pool. An Ethereum transaction has no effects there.
   */
  releaseChecked(order: PoolOrder): void
  /** Whether bytes are an Ethereum transaction; false if they cannot be decoded. */
  isEthereumTx(tx: Uint8Array): boolean
  /** Returns the place of a transaction among those of its signers; undefined for other bytes. */
  placeOf(tx: Uint8Array): TxPlace | undefined
  /** Resets the pool's state to the committed one. Call it after each commit. */
  resetCheckState(base: Reader, tip: { readonly height: bigint; readonly timeNs: bigint }): void
  /** Applies changes of a development chain to the state after a block (ADR 0006). Throws sdk 18 for an invalid one. */
  amend(
    base: Reader,
    header: Parameters<Application['readContext']>[1],
    amendments: readonly Amendment[],
  ): { readonly changes: readonly Change[]; readonly events: readonly ChainEvent[] }
  /** Creates the context of a query from a snapshot of one height. */
  readContext(
    state: Reader,
    header: {
      readonly height: bigint
      readonly timeNs: bigint
      readonly proposer: Uint8Array
      readonly hash: Uint8Array
      readonly lastCommitHash: Uint8Array
    },
  ): ReadContext
  /** Runs a transaction on a read context as the next block would, with lenient checks, and drops its writes. */
  simulate(ctx: ReadContext, tx: Uint8Array): CheckResult
  /** Executes a stored block again on the state before it, for a watcher, and drops its writes. */
  traceBlock(ctx: ReadContext, input: PastBlock, watch: BlockWatch): void
  /**
   * Executes the next block on the state before it, without its end, and drops its writes after it has returned them. Throws
   * 4 `deadlineExceeded` when stopped, `unavailable` if no block can follow.
   */
  pendingBlock(ctx: ReadContext, input: BlockInput, shouldStop: () => boolean): PendingOutcome
  /** Query handlers of all modules, by neutral method path. */
  readonly queries: QueryTable
  /** Names of the stores of a new chain. */
  readonly stores: readonly string[]
  /** Returns the document of a chain that continues from a state; `origin` is this chain's genesis. */
  exportGenesis(ctx: ReadContext, origin: GenesisDocument): GenesisDocument
}

export interface GenesisDocument {
  readonly chain_id: string
  /** RFC 3339. */
  readonly genesis_time: string
  readonly initial_height: string
  readonly consensus_params: Record<string, unknown>
  readonly app_state: Record<string, unknown>
  readonly app_hash?: string
  /** The first validator set, if the document repeats it. */
  readonly validators?: readonly unknown[]
}
