/** The limit of open connections: a new one takes the place of an idle one, so that idle clients cannot lock others out. */

/** One connection, over any protocol. */
export interface Connection {
  /** IP address of the client. */
  readonly address: string
  /** Returns the bytes that were received and sent so far. */
  transferred(): number
  /** Whether a request of it is being answered. */
  isBusy(): boolean
  /** Asks the client to connect again, if its protocol has a way that loses no request. Absent where the next answer asks. */
  leave?: (() => void) | undefined
  close(): void
}

export interface Connections {
  /**
   * Adds a connection. If there is no room, closes the connection that is idle for the longest time at the address with the
   * most connections. Returns the function that removes it; undefined if it is refused.
   */
  admit(connection: Connection): (() => void) | undefined
  /** Asks the clients of an address to connect again. */
  leave(address: string): void
}

interface State {
  transferred: number
  /** Time of the last byte that was seen. */
  since: number
}

/**
 * Creates the limit of one process. `elapsed` is a clock in milliseconds that never goes back. `onDisplace` is called with the
 * address of every connection that is closed or refused for want of room.
 */
export function createConnections(
  limit: number,
  elapsed: () => number,
  onDisplace: (address: string) => void,
): Connections {
  const byAddress = new Map<string, Map<Connection, State>>()
  let count = 0

  function remove(connection: Connection): void {
    const own = byAddress.get(connection.address)
    if (!own?.delete(connection)) return
    count--
    if (own.size === 0) byAddress.delete(connection.address)
  }

  /** Returns the connection that is idle for the longest time; with `withBusy` also one that is being answered. */
  function longestIdle(own: ReadonlyMap<Connection, State>, withBusy: boolean): Connection | undefined {
    const now = elapsed()
    let found: Connection | undefined
    let earliest = Number.POSITIVE_INFINITY
    for (const [connection, state] of own) {
      const transferred = connection.transferred()
      if (transferred !== state.transferred) {
        state.transferred = transferred
        state.since = now
      }
      if (state.since >= earliest || (!withBusy && connection.isBusy())) continue
      found = connection
      earliest = state.since
    }
    return found
  }

  /** Closes one connection for a new one from `address`. Returns whether there was one to close. */
  function makeRoom(address: string): boolean {
    let most: ReadonlyMap<Connection, State> = new Map()
    for (const own of byAddress.values()) if (own.size > most.size) most = own
    // An address with far fewer connections than another also displaces one that is being answered.
    const isModest = (byAddress.get(address)?.size ?? 0) < most.size / 2
    const found = longestIdle(most, false) ?? (isModest ? longestIdle(most, true) : undefined)
    if (!found) return false
    remove(found)
    found.close()
    onDisplace(found.address)
    return true
  }

  return {
    admit(connection) {
      if (count >= limit) {
        if (!makeRoom(connection.address)) {
          onDisplace(connection.address)
          return undefined
        }
      }
      const { address } = connection
      const own = byAddress.get(address) ?? new Map<Connection, State>()
      byAddress.set(address, own)
      own.set(connection, { transferred: 0, since: elapsed() })
      count++
      return () => remove(connection)
    },
    leave(address) {
      for (const connection of byAddress.get(address)?.keys() ?? []) connection.leave?.()
    },
  }
}
