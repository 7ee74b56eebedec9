/** The budget of unsent bytes: clients that do not read are disconnected before their answers fill the memory. */

/** One connection, over any protocol. */
export interface Peer {
  /** IP address of the client. */
  readonly address: string
  /** Returns the bytes that wait for the client, those of unfinished answers included. */
  unsent(): number
  /** Returns the bytes that the client has taken since it connected. */
  taken(): number
  close(): void
}

export interface OutgoingLimits {
  /** Bytes that can wait for all clients of this process together. One address can have half of them. */
  readonly bytes: number
  /** Time without a taken byte after which a client that has bytes waiting is disconnected. */
  readonly stallMs: number
}

export interface Outgoing {
  /** Adds a connection. Returns the function that removes it. */
  add(peer: Peer): () => void
  /** Disconnects clients if too much waits for them. Call it before an answer is made: it looks at most every 50 ms. */
  check(): void
  /** Returns the number of clients that were disconnected. */
  disconnected(): number
}

interface State {
  taken: number
  /** Time of the last taken byte, or of the first byte that waits. */
  since: number
  unsent: number
}

const CHECK_MS = 50
const WATCH_MS = 1000

/** Creates the budget of one process. `elapsed` is a clock in milliseconds that never goes back. */
export function createOutgoing({ bytes, stallMs }: OutgoingLimits, elapsed: () => number): Outgoing {
  const peers = new Map<Peer, State>()
  let last = Number.NEGATIVE_INFINITY
  let watch: ReturnType<typeof setInterval> | undefined
  let disconnected = 0

  function disconnect(peer: Peer, state: State): void {
    disconnected++
    peers.delete(peer)
    state.unsent = 0
    peer.close()
  }

  /** Reads the counters of every connection. Disconnects those that have stalled, and returns those that wait. */
  function measure(now: number): [Peer, State][] {
    const waiting: [Peer, State][] = []
    for (const [peer, state] of peers) {
      const taken = peer.taken()
      state.unsent = peer.unsent()
      if (taken !== state.taken || state.unsent === 0) {
        state.taken = taken
        state.since = now
      }
      if (state.unsent === 0) continue
      if (now - state.since >= stallMs) disconnect(peer, state)
      else waiting.push([peer, state])
    }
    return waiting
  }

  /** Disconnects clients until the rest is within the limit: first those with the most bytes for the longest time. */
  function shrink(waiting: readonly [Peer, State][], limit: number, now: number): void {
    let total = 0
    for (const [, { unsent }] of waiting) total += unsent
    if (total <= limit) return
    const weight = ({ unsent, since }: State): number => unsent * (WATCH_MS + now - since)
    const worstFirst = [...waiting].sort(([, a], [, b]) => weight(b) - weight(a))
    for (const [peer, state] of worstFirst) {
      if (total <= limit) return
      total -= state.unsent
      disconnect(peer, state)
    }
  }

  function inspect(): void {
    last = elapsed()
    const waiting = measure(last)
    const byAddress = new Map<string, [Peer, State][]>()
    for (const entry of waiting) {
      const { address } = entry[0]
      const own = byAddress.get(address)
      if (own) own.push(entry)
      else byAddress.set(address, [entry])
    }
    // Without other addresses to protect, one address can use the whole budget.
    if (byAddress.size > 1) for (const own of byAddress.values()) shrink(own, bytes / 2, last)
    shrink(
      waiting.filter(([, { unsent }]) => unsent > 0),
      bytes,
      last,
    )
  }

  return {
    add(peer) {
      peers.set(peer, { taken: 0, since: elapsed(), unsent: 0 })
      if (!watch) {
        watch = setInterval(inspect, WATCH_MS)
        watch.unref()
      }
      return () => {
        peers.delete(peer)
        if (peers.size > 0) return
        clearInterval(watch)
        watch = undefined
      }
    },
    check() {
      if (elapsed() - last >= CHECK_MS) inspect()
    },
    disconnected: () => disconnected,
  }
}
