/** The state machine as its drivers see it: a pure function of state, block and transactions. */

import type { BlockLimits } from '../modules/consensus/keeper.ts'
import type { Amendment } from '../modules/evm/keeper.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { StoreChanges } from '../store/history/store-changes.ts'
import type { Branch, ChainEvent, Reader } from '../store/types.ts'
import type { Halt } from './halt.ts'
import type { QueryTable } from './query.ts'
import type { BlockHeader, EvmTx, TxResult, Validator } from './records.ts'
import type { Preflight, Rehearsal } from './upgrades/report.ts'
import type { BlockWatch } from './watch.ts'

export interface BlockInput {
  readonly height: bigint
  readonly timeNs: bigint
  readonly proposer: Uint8Array
  /** Header hash of this very block: it does not depend on its execution. */
  readonly hash: Uint8Array
  readonly lastCommitHash: Uint8Array
  /** The whole header, where who orders the blocks gives it (ABCI 2.0 does not). */
  readonly header?: BlockHeader | undefined
  readonly txs: readonly Uint8Array[]
  /** Who signed the block before. */
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
  /** Makes the block administrative: what a development chain changes without a transaction (ADR 0006). */
  readonly amendments?: readonly Amendment[] | undefined
}

export interface BlockOutput {
  /** Holds every write of the block; the versioned store commits it. */
  readonly branch: Branch
  /** What an upgrade in this block did to the list of stores: the versioned store commits it. */
  readonly stores?: StoreChanges | undefined
  readonly results: readonly TxResult[]
  /** Begin-block and end-block events. */
  readonly blockEvents: readonly ChainEvent[]
  readonly evmTxs: readonly EvmTx[]
  readonly evmGasUsed: bigint
  /** Power 0 removes. */
  readonly validatorUpdates: readonly Validator[]
  readonly gasLimit: bigint
  readonly baseFeeWei: bigint
  readonly coinbase: Uint8Array
  /** PREVRANDAO of the block where it was set rather than follows from it. */
  readonly prevRandao?: Uint8Array | undefined
  /** Limits of the block after this one. */
  readonly nextLimits: BlockLimits
}

/** A block, or why there is none. */
export type BlockOutcome = (BlockOutput & { readonly halt?: undefined }) | { readonly halt: Halt }

/** `check`: first sight, in the pool's state; `recheck`: again after a block; `simulate`: fees, signatures and sequence leniently. */
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
  /** For the pool's ordering: one queue per sender. Present when the transaction passed. */
  readonly order?: {
    readonly sender: string
    readonly nonce: bigint
    readonly priority: bigint
    /** The sender's nonce before anything that waits, when `nonce` may lie ahead of it; absent: nothing is missing before it. */
    readonly stateNonce?: bigint
    /** What an Ethereum transaction offers a gas unit: its place goes to one that offers a tenth more of both. Unit: wei. */
    readonly feeCapWei?: bigint
    readonly tipCapWei?: bigint
  }
  readonly evm?: {
    readonly hash: Uint8Array
    readonly raw: Uint8Array
    readonly from: Uint8Array
    readonly nonce: bigint
  }
}

/** Finds a transaction that passed its place, or throws why there is none. */
export type TakePassed = (passed: CheckResult) => void

export interface Application {
  /** State of height 0 from a genesis document (parsed JSON). Throws a `ChainError` naming the place that is wrong. */
  initChain(genesis: GenesisDocument, base: Branch): { readonly validators: readonly Validator[] }
  /**
   * Executes a block on the state before it, a plan that is due included (upgrade.md §4). Throws for a bug of a hook, and where
   * the state cannot be read or memory is not to be had: the node then stops before it commits.
   */
  executeBlock(base: Reader, block: BlockInput): BlockOutcome
  /** Why the block of a height would not be made, as far as the state before it tells. */
  haltBefore(base: Reader, height: bigint): Halt | undefined
  /** Tries an upgrade out on a state, which it does not touch. Throws 5 for one that this build has not. */
  rehearse(ctx: ReadContext, name: string): Rehearsal
  /** Compares this build with a state, of the latest height, and with the plan in it. */
  preflight(state: Reader, height: bigint): Preflight
  /** What of a state, of the latest height, this build would fail on or read wrongly, whatever is planned. */
  misfits(state: Reader): readonly string[]
  /**
   * Runs admission on a throwaway branch of the pool's state, which keeps what passed checks until `resetCheckState`. `take` is
   * told what passed before the state keeps it; if it throws, that is the answer and nothing is kept.
   */
  check(tx: Uint8Array, mode: CheckMode, take?: TakePassed): CheckResult
  /** After each commit: the pool's state is again the committed one. */
  resetCheckState(base: Reader, tip: { readonly height: bigint; readonly timeNs: bigint }): void
  /** A context to answer a query from a snapshot of one height. */
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
  /** Runs a whole transaction on a read context, as the next block would, leniently, and keeps nothing. */
  simulate(ctx: ReadContext, tx: Uint8Array): CheckResult
  /** Executes a block once more on the state before it, for somebody who watches, and keeps nothing. */
  traceBlock(ctx: ReadContext, input: BlockInput, watch: BlockWatch): void
  /** Handlers of every module's queries, by neutral method path. */
  readonly queries: QueryTable
  /** Names of the stores of a new chain. */
  readonly stores: readonly string[]
  /** The document of a chain that goes on from a state; `origin` is what this chain began with. */
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
  /** The first validator set, if the document says it again. */
  readonly validators?: readonly unknown[]
}
