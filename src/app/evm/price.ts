/** The price of a unit of gas, which is never below the base fee (docs/modules/evm.md#formulas). */
import { effectiveGasPrice } from '../../evm/transaction/gas.ts'
import type { UnsignedTransaction } from '../../evm/transaction/types.ts'
import type { Identity } from '../../identity/types.ts'

/** Price of a unit of gas, in wei, that makes one unit of priority in the pool (docs/modules/evm.md#formulas). */
export const WEI_PER_PRIORITY: bigint = 10n ** 6n

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Returns the price charged: the legacy price, or base fee plus tip up to the cap; at least the base fee, even if the sender
 * signed less. Unit: wei.
 */
export function chargedPrice(tx: UnsignedTransaction, baseFeeWei: bigint): bigint {
  if (tx.type === 0 || tx.type === 1) return max(tx.gasPriceWei, baseFeeWei)
  return max(baseFeeWei, min(baseFeeWei + tx.maxPriorityFeePerGasWei, tx.maxFeePerGasWei))
}

/** Returns the value of GASPRICE: the price charged, or under the behaviour `signedPriceShown` the price signed. Unit: wei. */
export function shownPrice({ behaviours }: Identity, tx: UnsignedTransaction, baseFeeWei: bigint): bigint {
  return behaviours.signedPriceShown ? effectiveGasPrice(tx, baseFeeWei) : chargedPrice(tx, baseFeeWei)
}
