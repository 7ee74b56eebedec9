/** Governance as other modules and the embedded engine read it. */
import type { ReadContext } from '../../sdk/context.ts'
import * as state from './state.ts'

/** Whether a block at that time would decide or drop a proposal. */
export function isDue(ctx: ReadContext, timeNs: bigint): boolean {
  for (const queue of [state.activeQueue, state.inactiveQueue]) {
    for (const [endNs] of queue.keys(ctx)) {
      if (endNs <= timeNs) return true
      break
    }
  }
  return false
}
