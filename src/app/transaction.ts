/** Settings and results that every kind of transaction shares. */
import type { EvmTx, TxResult } from './records.ts'

/** Conditions of a node for its own pool; blocks do not depend on them. */
export interface AdmissionSettings {
  /** Minimum price of a gas unit as decimal text with its denom, `0.025unative`; several by comma; empty for no minimum. */
  readonly minGasPrices: string
}

export interface Delivery {
  readonly result: TxResult
  /** Present if the EVM executed the transaction, successfully or not. */
  readonly evmTx?: EvmTx
}
