/** The tip of the chain, as it moves: by events, never by asking again and again. */
import { createStore, useStore } from '../store.ts'
import { ApiError, ask } from './ask.ts'
import { halt } from './halt.ts'
import { nodeFacts } from './node.ts'
import { engine } from './question.ts'
import { connection, subscribe } from './socket.ts'

export interface Head {
  readonly height: bigint
  readonly earliest: bigint
  /** RFC 3339, with nanoseconds if the block has them. */
  readonly time: string
  /** Whether the node is still behind its network. */
  readonly catchingUp: boolean
}

export const head = createStore<Head | undefined>(undefined)

/** Whether the node answers: false after a question about the tip has failed. */
const answers = createStore(true)

interface Status {
  readonly sync_info: {
    readonly latest_block_height: string
    readonly latest_block_time: string
    readonly earliest_block_height: string
    readonly catching_up: boolean
  }
}

async function readStatus(): Promise<void> {
  try {
    const { sync_info } = await ask<Status>(engine('status'))
    head.set({
      height: BigInt(sync_info.latest_block_height),
      earliest: BigInt(sync_info.earliest_block_height),
      time: sync_info.latest_block_time,
      catchingUp: sync_info.catching_up,
    })
    answers.set(true)
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) answers.set(false)
  }
}

interface HeaderEvent {
  readonly header?: { readonly height: string; readonly time: string }
}

/** Interval in which a silent chain is asked whether it is halted. A chain that makes blocks is not asked. */
const SILENCE_MS = 20_000

/** Follows the tip until the page is closed. */
export function followHead(): void {
  let lastEvent = performance.now()
  nodeFacts().catch(() => {})
  void readStatus()
  subscribe("tm.event='NewBlockHeader'", (value) => {
    const { header } = (value ?? {}) as HeaderEvent
    if (!header) return
    lastEvent = performance.now()
    const known = head.get()
    head.set({
      height: BigInt(header.height),
      time: header.time,
      earliest: known?.earliest ?? 1n,
      catchingUp: known?.catchingUp ?? false,
    })
    if (known?.catchingUp) void readStatus()
  })
  connection.subscribe(() => {
    if (connection.get() !== 'open') return
    nodeFacts().catch(() => {})
    void readStatus()
  })
  setInterval(() => {
    if (document.hidden || performance.now() - lastEvent < SILENCE_MS) return
    void readStatus()
  }, SILENCE_MS)
}

export const useHead = (): Head | undefined => useStore(head)

export type ChainState = 'connecting' | 'live' | 'lagging' | 'halted' | 'offline'

/** Returns the state of chain and connection, for the footer and the notice above a page. */
export function useChainState(): ChainState {
  const reason = useStore(halt)
  const link = useStore(connection)
  const known = useHead()
  const isAnswered = useStore(answers)
  if (link === 'offline' || !isAnswered) return 'offline'
  if (reason !== undefined) return 'halted'
  if (known?.catchingUp) return 'lagging'
  return known ? 'live' : 'connecting'
}
