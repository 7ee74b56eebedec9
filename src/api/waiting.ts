/** The transactions that wait in this process's pool: none where another process has the pool. */
import type { PendingTx, PoolView } from '../consensus/driver.ts'
import type { GatewayNode } from './gateway.ts'

const EMPTY_POOL = { count: 0, sizeBytes: 0 }

export const waitingTxs = ({ driver }: GatewayNode): readonly PendingTx[] => driver.pool?.pending() ?? []

export const waitingCount = ({ driver }: GatewayNode): ReturnType<PoolView['pendingCount']> =>
  driver.pool?.pendingCount() ?? EMPTY_POOL
