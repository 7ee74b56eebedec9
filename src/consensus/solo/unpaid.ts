/**
 * Transactions that a block stores although nobody pays for them: they passed admission, and an earlier transaction of the block
 * took what they would pay with.
 */
import type { TxResult } from '../../app/records.ts'
import type { PooledTx } from './pooled-tx.ts'

/** Size of such transactions that a block may have. Unit: bytes. */
const MOST_UNPAID_BYTES = 32 * 1024

export interface Unpaid {
  readonly tx: PooledTx
  readonly result: TxResult
}

/** Whether a transaction failed before it paid: then it has no events. */
const isUnpaid = ({ code, events }: TxResult): boolean => code !== 0 && events.length === 0

/** Returns the unpaid transactions of an executed block if they are too many bytes for it; else an empty list. */
export function tooMuchUnpaid(txs: readonly PooledTx[], results: readonly TxResult[]): readonly Unpaid[] {
  const unpaid = txs.flatMap((tx, i) => (isUnpaid(results[i]!) ? [{ tx, result: results[i]! }] : []))
  const sizeBytes = unpaid.reduce((sum, { tx }) => sum + tx.bytes.length, 0)
  return sizeBytes > MOST_UNPAID_BYTES ? unpaid : []
}
