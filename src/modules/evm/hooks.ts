/** What the EVM tells others. */
import { defineHook } from '../../sdk/hook.ts'

/** A call of a contract by an Ethereum transaction, which went through. */
export interface ContractCalled {
  /** Had code before the call. */
  readonly contract: Uint8Array
  /** As charged: after refunds. */
  readonly gasUsed: bigint
  /** What a gas unit was charged at; 0 for a transaction that paid nothing. Unit: wei. */
  readonly priceWei: bigint
  /** Of the Ethereum transaction. */
  readonly hash: Uint8Array
}

/** At the end of a transaction that called a contract, when what it did not use has been paid back. */
export const afterContractCall = defineHook<ContractCalled>('evm.afterContractCall')
