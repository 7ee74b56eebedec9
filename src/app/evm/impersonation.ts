/** Transactions of impersonated accounts: the sender's address replaces the signature. */
import type { Transaction, UnsignedTransaction } from '../../evm/transaction/types.ts'
import { decodeUint, encodeUint } from '../../primitives/bytes.ts'

/** Bound of the marker: r and s are equal and below 2^160, unlike in any signature of a key. */
const MAX_ADDRESS = 1n << 160n

/** Returns the transaction as sent by `from` without its key. Admission accepts it only if the chain impersonates `from`. */
export function impersonate(tx: UnsignedTransaction, from: Uint8Array): Transaction {
  const sender = decodeUint(from)
  return { ...tx, signature: { r: sender, s: sender, yParity: 0 } } as Transaction
}

/** Returns the sender of a transaction made by `impersonate`; undefined for any other. */
export function impersonatedSender({ signature: { r, s, yParity } }: Transaction): Uint8Array | undefined {
  return r === s && r < MAX_ADDRESS && yParity === 0 ? encodeUint(r, 20) : undefined
}
