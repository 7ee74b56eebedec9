/** What others ask of governance. */
import type { ReadContext } from '../../sdk/context.ts'
import * as state from './state.ts'

/** Whether a proposal's time is over at a time: the next block, if it comes then, will decide or drop it. */
export function isDue(ctx: ReadContext, timeNs: bigint): boolean {
  for (const queue of [state.activeQueue, state.inactiveQueue]) {
    for (const [endNs] of queue.keys(ctx)) {
      if (endNs <= timeNs) return true
      break
    }
  }
  return false
}
