/** Transactions as plain data: one type per envelope of EIP-2718, and the legacy one. */

/** The two halves of an ECDSA signature over secp256k1, and the parity that selects the signer's key. */
export interface Signature {
  readonly r: bigint
  readonly s: bigint
  readonly yParity: 0 | 1
}

interface AccessListEntry {
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 32 bytes each. */
  readonly storageKeys: readonly Uint8Array[]
}

export type AccessList = readonly AccessListEntry[]

/** A signed permission to set an account's code (EIP-7702). Only its field sizes are checked. */
export interface Authorization {
  /** 0 means every chain. */
  readonly chainId: bigint
  /** The account whose code is used, 20 bytes; zero clears the delegation. */
  readonly address: Uint8Array
  readonly nonce: bigint
  /** The transmitted value, 0 to 255; only 0 and 1 can be recovered. */
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

interface Common {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** 20 bytes, or undefined for a creation. */
  readonly to: Uint8Array | undefined
  readonly valueWei: bigint
  readonly data: Uint8Array
}

interface UnsignedLegacyTransaction extends Common {
  readonly type: 0
  /** Undefined if the transaction has no replay protection (before EIP-155). */
  readonly chainId: bigint | undefined
  readonly gasPriceWei: bigint
}

interface UnsignedAccessListTransaction extends Common {
  readonly type: 1
  readonly chainId: bigint
  readonly gasPriceWei: bigint
  readonly accessList: AccessList
}

interface DynamicFee extends Common {
  readonly chainId: bigint
  readonly maxPriorityFeePerGasWei: bigint
  readonly maxFeePerGasWei: bigint
  readonly accessList: AccessList
}

interface UnsignedDynamicFeeTransaction extends DynamicFee {
  readonly type: 2
}

interface UnsignedBlobTransaction extends DynamicFee {
  readonly type: 3
  readonly maxFeePerBlobGasWei: bigint
  /** 32 bytes each. */
  readonly blobHashes: readonly Uint8Array[]
}

interface UnsignedSetCodeTransaction extends DynamicFee {
  readonly type: 4
  readonly authorizations: readonly Authorization[]
}

export type UnsignedTransaction =
  | UnsignedLegacyTransaction
  | UnsignedAccessListTransaction
  | UnsignedDynamicFeeTransaction
  | UnsignedBlobTransaction
  | UnsignedSetCodeTransaction

type Signed<T> = T extends UnsignedTransaction ? T & { readonly signature: Signature } : never

export type Transaction = Signed<UnsignedTransaction>

/** Returns the access list of a transaction; empty for a type without one. */
export function accessListOf(transaction: UnsignedTransaction): AccessList {
  return transaction.type === 0 ? [] : transaction.accessList
}

/** Returns the maximum price that the sender agrees to pay per gas. Unit: wei. */
export function feeCapOf(transaction: UnsignedTransaction): bigint {
  return transaction.type === 0 || transaction.type === 1 ? transaction.gasPriceWei : transaction.maxFeePerGasWei
}

/** Returns the maximum tip per gas: the whole price for a type without a tip field. Unit: wei. */
export function tipCapOf(transaction: UnsignedTransaction): bigint {
  return transaction.type < 2
    ? feeCapOf(transaction)
    : (transaction as { maxPriorityFeePerGasWei: bigint }).maxPriorityFeePerGasWei
}
