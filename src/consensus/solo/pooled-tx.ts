/** A transaction that waits for a block. */
import type { PoolOrder } from '../../app/types.ts'
import type { PendingTx } from '../driver.ts'

/** A waiting transaction with what places it in the pool. */
export interface PooledTx extends PendingTx {
  /** Time of arrival, on a clock in milliseconds that never goes back. */
  readonly sinceMs: number
  readonly order: PoolOrder
  readonly gasWanted: bigint
  /** Whether the sender is an account of this node. */
  readonly isLocal?: boolean
}
