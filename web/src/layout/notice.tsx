/** The notice above a page while the chain is halted, behind its network, or out of reach. */

import { halt } from '../api/halt.ts'
import { useChainState } from '../api/head.ts'
import { useStore } from '../store.ts'

/** Returns a reason of the node as a sentence. */
const sentence = (text = ''): string =>
  text.replace(/^[a-z]/, (first) => first.toUpperCase()).replace(/([^.!?])$/, '$1.')

export function StateNotice() {
  const state = useChainState()
  const reason = useStore(halt)
  if (state === 'halted') {
    return (
      <div class="notice notice-halted" role="alert">
        <strong>The chain has halted.</strong> {sentence(reason)} All heights can still be read.
      </div>
    )
  }
  if (state === 'offline') {
    return (
      <div class="notice notice-offline" role="alert">
        <strong>The node does not answer.</strong> The page shows what it last knew, and connects again by itself.
      </div>
    )
  }
  if (state === 'lagging') {
    return (
      <div class="notice notice-lagging" role="status">
        <strong>This node is catching up with its network.</strong> The latest height here is behind.
      </div>
    )
  }
  return null
}
