/** Pending transactions of this process's pool; empty in processes without a pool. */
import type { PendingTx, PoolView } from '../consensus/driver.ts'
import type { GatewayNode } from './gateway.ts'

const EMPTY_POOL = { count: 0, sizeBytes: 0 }

export const pendingTxs = ({ driver }: GatewayNode): readonly PendingTx[] => driver.pool?.pending() ?? []

/** Returns the pending transaction with an Ethereum hash. */
export const pendingByHash = ({ driver }: GatewayNode, hash: Uint8Array): PendingTx | undefined =>
  driver.pool?.ofEvmHash(hash)

/** Returns how many transactions of an account wait without a nonce gap. */
export const readyOf = ({ driver }: GatewayNode, sender: Uint8Array): number => driver.pool?.ofSender(sender).ready ?? 0

export const pendingCount = ({ driver }: GatewayNode): ReturnType<PoolView['pendingCount']> =>
  driver.pool?.pendingCount() ?? EMPTY_POOL
