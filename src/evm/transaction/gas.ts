/** What a transaction costs before any code runs, and at what price. */
import type { Rules } from '../forks.ts'
import type { AccessList, UnsignedTransaction } from './types.ts'

const TRANSACTION = 21_000n
const CREATION = 32_000n
const ZERO_BYTE = 4n
const NONZERO_BYTE_FRONTIER = 68n
const NONZERO_BYTE = 16n
const ACCESS_LIST_ADDRESS = 2_400n
const ACCESS_LIST_KEY = 1_900n
const INIT_CODE_WORD = 2n
const FLOOR_PER_TOKEN = 10n
/** For each authorization, as if its account were new (EIP-7702). */
const AUTHORIZATION_GAS = 25_000n
/** What comes back for an authority that already exists (EIP-7702). */
export const EXISTING_AUTHORITY_REFUND = 12_500n

export type GasFields = Pick<UnsignedTransaction, 'to' | 'data'> & {
  readonly accessList?: AccessList
  readonly authorizations?: readonly unknown[]
}

/** Gas taken from the limit before execution: the transaction, its data, access list and authorizations. */
export function intrinsicGas(transaction: GasFields, { eips, freeInitCode }: Rules): bigint {
  const { to, data, accessList = [], authorizations = [] } = transaction
  const zeros = BigInt(countZeros(data))
  const nonzeros = BigInt(data.length) - zeros
  let gas = TRANSACTION + zeros * ZERO_BYTE + nonzeros * (eips.has(2028) ? NONZERO_BYTE : NONZERO_BYTE_FRONTIER)
  if (to === undefined && eips.has(2)) gas += CREATION
  if (to === undefined && eips.has(3860) && !freeInitCode) gas += BigInt(Math.ceil(data.length / 32)) * INIT_CODE_WORD
  for (const { storageKeys } of accessList) gas += ACCESS_LIST_ADDRESS + BigInt(storageKeys.length) * ACCESS_LIST_KEY
  return gas + BigInt(authorizations.length) * AUTHORIZATION_GAS
}

/** The least that a transaction pays whatever it executes (EIP-7623); 0 before Prague. */
export function floorGas({ data }: Pick<UnsignedTransaction, 'data'>, { eips }: Rules): bigint {
  if (!eips.has(7623)) return 0n
  const zeros = countZeros(data)
  return TRANSACTION + BigInt(zeros + (data.length - zeros) * 4) * FLOOR_PER_TOKEN
}

/** What a gas unit costs in a block of this base fee: the legacy price, or base fee and tip up to the cap. Unit: wei. */
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
