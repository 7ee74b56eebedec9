/** Pending transactions of this process's pool; empty in processes without a pool. */
import type { PendingTx, PoolView } from '../consensus/driver.ts'
import type { GatewayNode } from './gateway.ts'

const EMPTY_POOL = { count: 0, sizeBytes: 0 }

export const pendingTxs = ({ driver }: GatewayNode): readonly PendingTx[] => driver.pool?.pending() ?? []

export const pendingCount = ({ driver }: GatewayNode): ReturnType<PoolView['pendingCount']> =>
  driver.pool?.pendingCount() ?? EMPTY_POOL
