/** Transactions of accounts whose keys nobody has: the sender stands where a signature would. */
import type { Transaction, UnsignedTransaction } from '../../evm/transaction/types.ts'
import { decodeUint, encodeUint } from '../../primitives/bytes.ts'

/** No signature that a key made looks like this: r and s are equal, and below 2^160. */
const MAX_ADDRESS = 1n << 160n

/** The transaction as sent by an account without its key. It passes admission only where the chain impersonates it. */
export function impersonate(tx: UnsignedTransaction, from: Uint8Array): Transaction {
  const sender = decodeUint(from)
  return { ...tx, signature: { r: sender, s: sender, yParity: 0 } } as Transaction
}

/** The sender of a transaction made by `impersonate`; undefined for any other. */
export function impersonatedSender({ signature: { r, s } }: Transaction): Uint8Array | undefined {
  return r === s && r < MAX_ADDRESS ? encodeUint(r, 20) : undefined
}
