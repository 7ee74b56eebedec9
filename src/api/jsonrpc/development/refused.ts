/** Methods of anvil that a development chain refuses, with the reason. */
import { type Methods, refusedMethod } from '../method.ts'

const noBlobs = refusedMethod('blob transactions are not supported')

/** Methods by name without prefix. */
export const refusedVerbs: Methods = {
  enableTraces: refusedMethod('traces are not returned with transactions: ask debug_traceTransaction for them'),
  getBlobByHash: noBlobs,
  getBlobsByTransactionHash: noBlobs,
  getBlobSidecarsByBlockId: noBlobs,
}
