/** Checks of the prices that a transaction or a call offers, with the texts of geth. */
import { formatEip55 } from '../../primitives/address.ts'
import { refuse } from './errors.ts'

/** Returns the error to throw for a failed check. */
type FailedPrice = (name: 'tipAboveFeeCap' | 'feeCapTooLow', detail: string) => Error

/** Throws `feeCapTooLow` if the sender offers less than the base fee: no one pays more than the signed price. Unit: wei. */
export function requireFeeCap(sender: Uint8Array, cap: bigint, baseFee: bigint, fail: FailedPrice = refuse): void {
  if (cap >= baseFee) return
  throw fail('feeCapTooLow', `address ${formatEip55(sender)}, maxFeePerGas: ${cap}, baseFee: ${baseFee}`)
}

/** Throws `tipAboveFeeCap` if the tip alone exceeds the cap of the whole price. Unit: wei. */
export function requireTipWithinCap(sender: Uint8Array, tip: bigint, cap: bigint, fail: FailedPrice = refuse): void {
  if (tip <= cap) return
  throw fail('tipAboveFeeCap', `address ${formatEip55(sender)}, maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${cap}`)
}
