/** The gas of a transaction before any code runs, and the price of gas. */
import type { Rules } from '../forks.ts'
import type { AccessList, UnsignedTransaction } from './types.ts'

const TRANSACTION = 21_000
const CREATION = 32_000
const ZERO_BYTE = 4
const NONZERO_BYTE_FRONTIER = 68
const NONZERO_BYTE = 16
const ACCESS_LIST_ADDRESS = 2_400
const ACCESS_LIST_KEY = 1_900
const INIT_CODE_WORD = 2
const FLOOR_PER_TOKEN = 10
/** The gas of each authorization, as if its account were new (EIP-7702). */
const AUTHORIZATION_GAS = 25_000
/** The refund for an authority that already exists (EIP-7702). */
export const EXISTING_AUTHORITY_REFUND = 12_500n

export type GasFields = Pick<UnsignedTransaction, 'to' | 'data'> & {
  readonly accessList?: AccessList
  readonly authorizations?: readonly unknown[]
}

/** The gas of a transaction that does not depend on its execution. Unit: gas. */
export interface OwnGas {
  /** Charged before execution: the transaction, its data, access list and authorizations. */
  readonly intrinsic: bigint
  /** The minimum gas used (EIP-7623); 0 before Prague. */
  readonly floor: bigint
}

/** Returns both amounts, reading the data once. */
export function ownGas(transaction: GasFields, { eips, freeInitCode }: Rules): OwnGas {
  const { to, data, accessList = [], authorizations = [] } = transaction
  const zeros = countZeros(data)
  const nonzeros = data.length - zeros
  let gas = TRANSACTION + zeros * ZERO_BYTE + nonzeros * (eips.has(2028) ? NONZERO_BYTE : NONZERO_BYTE_FRONTIER)
  if (to === undefined && eips.has(2)) gas += CREATION
  if (to === undefined && eips.has(3860) && !freeInitCode) gas += Math.ceil(data.length / 32) * INIT_CODE_WORD
  for (const { storageKeys } of accessList) gas += ACCESS_LIST_ADDRESS + storageKeys.length * ACCESS_LIST_KEY
  gas += authorizations.length * AUTHORIZATION_GAS
  const floor = eips.has(7623) ? TRANSACTION + (zeros + nonzeros * 4) * FLOOR_PER_TOKEN : 0
  return { intrinsic: BigInt(gas), floor: BigInt(floor) }
}

/** Returns the gas charged before execution. */
export const intrinsicGas = (transaction: GasFields, rules: Rules): bigint => ownGas(transaction, rules).intrinsic

/** Returns the minimum gas used, for any execution of the transaction. */
export const floorGas = ({ data }: Pick<GasFields, 'data'>, rules: Rules): bigint =>
  ownGas({ to: undefined, data }, rules).floor

/** Returns the price of a gas unit in a block with this base fee: the legacy price, or base fee and tip up to the cap. Unit: wei. */
export function effectiveGasPrice(transaction: UnsignedTransaction, baseFeeWei: bigint): bigint {
  if (transaction.type === 0 || transaction.type === 1) return transaction.gasPriceWei
  const { maxPriorityFeePerGasWei: tip, maxFeePerGasWei: cap } = transaction
  const price = baseFeeWei + tip
  if (price > cap) return cap
  return price
}

function countZeros(data: Uint8Array): number {
  let zeros = 0
  for (let i = 0; i < data.length; i++) if (data[i] === 0) zeros++
  return zeros
}
