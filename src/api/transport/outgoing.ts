/** The budget of waiting bytes: clients that do not read, or send slowly, are disconnected before they fill the memory. */

/** The counters of one connection, over any protocol. */
export interface Peer {
  /** IP address of the client. */
  readonly address: string
  /** Returns the bytes that wait for the client to take them. */
  unsent(): number
  /** Returns the bytes of requests that have arrived in part. Absent if `hold` counts them. */
  unfinished?(): number
  /** Returns the bytes that the client has taken since it connected. */
  taken(): number
  close(): void
}

export interface OutgoingLimits {
  /** Bytes that can wait for all clients of this process together. One address can have half of them. */
  readonly bytes: number
  /** Returns the time without a taken byte after which a client that has bytes waiting is disconnected. */
  readonly stallMs: (address: string) => number
  /** Called with the bytes that wait for the clients of an address, and the time since the last look, at most a second. */
  readonly onWaiting?: (address: string, bytes: number, ms: number) => void
  /** Called for every client that is disconnected. */
  readonly onDisconnect: (address: string, reason: string) => void
}

export interface Outgoing {
  /** Adds a connection, which any object identifies. Returns the function that removes it. */
  add(connection: object, peer: Peer): () => void
  /**
   * Counts bytes of an unfinished request or answer for a connection; negative once they are used, sent or dropped. Does
   * nothing for a connection that is closed.
   */
  hold(connection: object, bytes: number): void
  /**
   * Disconnects clients if too much waits for them. Call it before an answer is made, with the connection: it looks at most
   * every 50 ms, at connections for which bytes waited before or an answer is made, and each second at all.
   */
  check(connection?: object): void
}

interface State {
  readonly peer: Peer
  /** Bytes of unfinished requests and answers. */
  held: number
  /** Bytes taken at the last look; undefined if nothing waited then. */
  taken: number | undefined
  /** Time of the last taken byte, or of the first byte that waits. */
  since: number
  /** The same for bytes that the client could take. */
  stalledSince: number
  /** Bytes that wait, those of unfinished requests and answers included. */
  waiting: number
}

/** Returns the bytes that wait for connections. */
const totalOf = (waiting: readonly [object, State][]): number =>
  waiting.reduce((sum, [, state]) => sum + state.waiting, 0)

const STALLED = 'it does not read'
const OVERFULL = 'too many bytes wait for clients, and most of them for this one'
const CHECK_MS = 50
const WATCH_MS = 1000

/** Creates the budget of one process. `elapsed` is a clock in milliseconds that never goes back. */
export function createOutgoing(
  { bytes, stallMs, onWaiting, onDisconnect }: OutgoingLimits,
  elapsed: () => number,
): Outgoing {
  const peers = new Map<object, State>()
  /** Connections for which bytes waited at the last look, or can wait since. */
  let active = new Map<object, State>()
  let last = Number.NEGATIVE_INFINITY
  let watch: ReturnType<typeof setInterval> | undefined

  function remove(connection: object): void {
    peers.delete(connection)
    active.delete(connection)
  }

  function touch(connection: object): State | undefined {
    const state = peers.get(connection)
    if (state) active.set(connection, state)
    return state
  }

  function disconnect(connection: object, state: State, reason: string): void {
    remove(connection)
    state.waiting = 0
    state.peer.close()
    onDisconnect(state.peer.address, reason)
  }

  /** Reads the counters of connections, what they have taken only for all of them. Disconnects those that have stalled, and returns those that wait. */
  function measure(looked: ReadonlyMap<object, State>, now: number): [object, State][] {
    const waiting: [object, State][] = []
    for (const [connection, state] of looked) {
      const { peer } = state
      const unsent = peer.unsent()
      state.waiting = unsent + state.held + (peer.unfinished?.() ?? 0)
      // This counter of a socket is expensive: it measures each text that waits.
      const taken = state.waiting === 0 ? undefined : looked === peers ? peer.taken() : state.taken
      const hasTaken = taken !== undefined && state.taken !== undefined && taken !== state.taken
      state.taken = taken
      if (hasTaken || state.waiting === 0) state.since = now
      // An unfinished answer cannot be taken, and an unfinished request has its own time limit.
      if (hasTaken || unsent === 0) state.stalledSince = now
      if (state.waiting === 0) continue
      if (now - state.stalledSince >= stallMs(peer.address)) disconnect(connection, state, STALLED)
      else waiting.push([connection, state])
    }
    return waiting
  }

  /** Disconnects clients until the rest is within the limit: first those with the most bytes for the longest time. */
  function shrink(waiting: readonly [object, State][], limit: number, now: number): void {
    let total = totalOf(waiting)
    if (total <= limit) return
    const weight = (state: State): number => state.waiting * (WATCH_MS + now - state.since)
    const worstFirst = [...waiting].sort(([, a], [, b]) => weight(b) - weight(a))
    for (const [connection, state] of worstFirst) {
      if (total <= limit) return
      total -= state.waiting
      disconnect(connection, state, OVERFULL)
    }
  }

  function inspect(looked: ReadonlyMap<object, State>): void {
    const before = last
    last = elapsed()
    const waiting = measure(looked, last)
    active = new Map(waiting)
    const byAddress = new Map<string, [object, State][]>()
    for (const entry of waiting) {
      const { address } = entry[1].peer
      const own = byAddress.get(address)
      if (own) own.push(entry)
      else byAddress.set(address, [entry])
    }
    const sinceMs = Math.min(WATCH_MS, last - before)
    for (const [address, own] of byAddress) onWaiting?.(address, totalOf(own), sinceMs)
    // Without other addresses to protect, one address can use the whole budget.
    if (byAddress.size > 1) for (const own of byAddress.values()) shrink(own, bytes / 2, last)
    shrink(
      waiting.filter(([, state]) => state.waiting > 0),
      bytes,
      last,
    )
  }

  return {
    add(connection, peer) {
      const now = elapsed()
      peers.set(connection, { peer, held: 0, taken: undefined, since: now, stalledSince: now, waiting: 0 })
      if (!watch) {
        watch = setInterval(() => inspect(peers), WATCH_MS)
        watch.unref()
      }
      return () => {
        remove(connection)
        if (peers.size > 0) return
        clearInterval(watch)
        watch = undefined
      }
    },
    hold(connection, bytes) {
      const state = touch(connection)
      if (state) state.held += bytes
    },
    check(connection) {
      if (connection) touch(connection)
      if (elapsed() - last >= CHECK_MS) inspect(connection ? active : peers)
    },
  }
}
