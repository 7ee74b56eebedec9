/** Watchers of repeated executions. */
import type { Tracer } from '../evm/trace.ts'
import type { ChainError } from '../primitives/errors.ts'
import type { Context } from '../sdk/context.ts'
import type { EvmTx } from './records.ts'

/** A watcher of one transaction. */
export interface TxWatch {
  /** Traces the transaction; undefined for no trace. */
  readonly tracer: Tracer | undefined
  /** Whether to end the execution; its result is then incomplete. */
  shouldStop(): boolean
}

/** A watcher of a block. */
export interface BlockWatch {
  /** Returns the tracer of the consensus transaction at an index; undefined for no trace. `ctx` is the state before it. */
  before(txIndex: number, ctx: Context): Tracer | undefined
  /**
   * Runs after each transaction that the EVM executed. `left` names a transaction before it whose effects are missing, since only
   * another build runs its messages; undefined without one.
   */
  after(evmTx: EvmTx, left: ChainError | undefined): void
  /** Runs with the state after the last transaction, unless the block was stopped. */
  behind?(ctx: Context): void
  /** Whether to stop the block. */
  shouldStop(): boolean
}
