/** Those who watch what is executed again. */
import type { Tracer } from '../evm/trace.ts'
import type { Context } from '../sdk/context.ts'
import type { EvmTx } from './records.ts'

/** Who watches transactions that are executed again. */
export interface TxWatch {
  /** Hears of the transaction that comes now; undefined: nobody does. */
  readonly tracer: Tracer | undefined
  /** True ends the execution, whose result then says nothing. */
  shouldStop(): boolean
}

/** Who watches a block. */
export interface BlockWatch {
  /** The tracer of the consensus transaction at an index; undefined: it runs unwatched. `ctx` is the state before it. */
  before(txIndex: number, ctx: Context): Tracer | undefined
  /** Behind each transaction that was executed by the EVM. */
  after(evmTx: EvmTx): void
  /** With the state that the last transaction left; not where the block was ended before. */
  behind?(ctx: Context): void
  /** True ends the block. */
  shouldStop(): boolean
}
