/** Answers of the mempool that gateways translate. */
import type { Admission } from '../consensus/driver.ts'

/** `ErrTxInMempoolCache` of the Cosmos SDK. */
const SDK_TX_IN_MEMPOOL = 19

/** Whether the mempool refused bytes because it already has them. */
export function isAlreadyPending({ code, codespace }: Pick<Admission, 'code' | 'codespace'>): boolean {
  return codespace === 'sdk' && code === SDK_TX_IN_MEMPOOL
}
