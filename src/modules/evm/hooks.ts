/** Hooks that the module calls. */
import { defineHook } from '../../sdk/hook.ts'

/** A successful call of a contract by an Ethereum transaction. */
export interface ContractCalled {
  /** The called address, which had code before the call. */
  readonly contract: Uint8Array
  /** Gas charged, after refunds. */
  readonly gasUsed: bigint
  /** Price charged for a unit of gas; 0 for a zero-gas transaction. Unit: wei. */
  readonly priceWei: bigint
  /** Hash of the Ethereum transaction. */
  readonly hash: Uint8Array
}

/** Runs at the end of a successful transaction to a contract, after the refund of unused gas. */
export const afterContractCall = defineHook<ContractCalled>('evm.afterContractCall')
