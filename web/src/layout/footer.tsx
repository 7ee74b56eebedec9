/** The foot of every page: the chain, its tip, and its state. */
import { type ChainState, useChainState, useHead } from '../api/head.ts'
import { useNode } from '../api/node.ts'
import { Height, Time } from '../ui/values.tsx'

const STATES: Readonly<Record<ChainState, string>> = {
  connecting: 'connecting',
  live: 'live',
  lagging: 'catching up',
  halted: 'halted',
  offline: 'offline',
}

export function Footer() {
  const node = useNode()
  const head = useHead()
  const state = useChainState()
  return (
    <footer class="bottom">
      <span class={`dot dot-${state}`} aria-hidden="true" />
      <span role="status">{STATES[state]}</span>
      <span class="foot-chain">{node?.chain_id ?? '…'}</span>
      <span>height {head ? <Height height={head.height} /> : '…'}</span>
      <span class="foot-time">{head ? <Time time={head.time} /> : '…'}</span>
      <span class="foot-version">{node && `version ${node.version}`}</span>
    </footer>
  )
}
