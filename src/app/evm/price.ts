/** The price of a unit of gas, which is never above the signed one (docs/modules/evm.md#formulas, D55). */
import { requireFeeCap } from '../../evm/transaction/fee-checks.ts'
import { effectiveGasPrice } from '../../evm/transaction/gas.ts'
import { feeCapOf, type UnsignedTransaction } from '../../evm/transaction/types.ts'
import type { Identity } from '../../identity/types.ts'
import { WEI_PER_UNIT } from '../../modules/bank/keeper.ts'
import * as decimal from '../../primitives/decimal.ts'
import { parseGasPrices } from '../ante/gas-prices.ts'

/** Price of a unit of gas, in wei, that makes one unit of priority in the pool (docs/modules/evm.md#formulas). */
export const WEI_PER_PRIORITY: bigint = 10n ** 6n

type Profile = Pick<Identity, 'behaviours'>

/**
 * Returns the price charged: the legacy price, or base fee plus tip up to the cap. Under the behaviour `baseFeeAboveCap` it is
 * at least the base fee, even if the sender signed less. Unit: wei.
 */
export function chargedPrice({ behaviours }: Profile, tx: UnsignedTransaction, baseFeeWei: bigint): bigint {
  const price = effectiveGasPrice(tx, baseFeeWei)
  return behaviours.baseFeeAboveCap && price < baseFeeWei ? baseFeeWei : price
}

/** Returns the value of GASPRICE: the price charged, or under the behaviour `signedPriceShown` the price signed. Unit: wei. */
export function shownPrice({ behaviours }: Profile, tx: UnsignedTransaction, baseFeeWei: bigint): bigint {
  return behaviours.signedPriceShown ? effectiveGasPrice(tx, baseFeeWei) : chargedPrice({ behaviours }, tx, baseFeeWei)
}

/** Throws `feeCapTooLow` unless the fee cap of a transaction covers the base fee. The behaviour `baseFeeAboveCap` accepts any cap. */
export function requireBaseFee(
  { behaviours }: Profile,
  sender: Uint8Array,
  tx: UnsignedTransaction,
  baseFeeWei: bigint,
): void {
  if (!behaviours.baseFeeAboveCap) requireFeeCap(sender, feeCapOf(tx), baseFeeWei)
}

/** Returns a node's minimum price from a setting such as `0.025unative`; 0 without one. Unit: wei. */
export function minimumPriceWei(minGasPrices: string, baseDenom: string): bigint {
  const found = parseGasPrices(minGasPrices)?.find(({ denom }) => denom === baseDenom)
  return found ? decimal.truncate(decimal.fromRaw(found.price * WEI_PER_UNIT)) : 0n
}
