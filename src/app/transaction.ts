/** What the path of EVM transactions offers to checking and delivery. */
import type { Context } from '../sdk/context.ts'
import type { DecodedTx } from '../sdk/tx.ts'
import type { EvmTx, TxResult } from './records.ts'
import type { CheckMode, CheckResult, TakePassed } from './types.ts'
import type { TxWatch } from './watch.ts'

/** What a node asks of transactions at its own door; blocks do not depend on it. */
export interface AdmissionSettings {
  /** Price a gas unit as decimal text with denoms, `0.025unative`; several by comma; empty for none. */
  readonly minGasPrices: string
}

export interface EvmDelivery {
  readonly result: TxResult
  /** Present when the transaction was executed, successfully or not. */
  readonly evmTx?: EvmTx
}

/**
 * EVM transactions go from decoding to result on a path of their own (evm.md §3.3-3.5). The context is on the block's or
 * the pool's branch, its gas free; the path opens branches of its own, and merges what shall stay.
 */
export interface EvmTxPath {
  check(ctx: Context, tx: DecodedTx, mode: CheckMode, settings: AdmissionSettings, take?: TakePassed): CheckResult
  /** `txIndex` is the place in the block. `result.gasUsed` is charged to the block. Expected failures are results. */
  deliver(ctx: Context, tx: DecodedTx, place: { readonly txIndex: number }, watch?: TxWatch): EvmDelivery
}
