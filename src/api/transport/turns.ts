/** Turns of clients: their requests run one of each client after the other, however many one of them sends. */

/** Time for which requests run before the event loop serves others. */
const SLICE_MS = 5

export interface Turns {
  /** Returns a promise to await before a request of a client, which any text identifies, runs; undefined if it can run at once. */
  take(client: string): Promise<void> | undefined
}

/** Creates the turns of one server. `elapsed` is a clock in milliseconds that never goes back. */
export function createTurns(elapsed: () => number = () => performance.now()): Turns {
  /** The clients whose requests wait, in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>()
  let end = elapsed() + SLICE_MS

  function turn(): void {
    const [next] = waiting
    if (!next) return
    const [client, requests] = next
    waiting.delete(client)
    const run = requests.shift()!
    if (requests.length > 0) waiting.set(client, requests)
    end = elapsed() + SLICE_MS
    run()
    if (waiting.size > 0) setImmediate(turn)
  }

  return {
    take(client) {
      if (waiting.size === 0) {
        if (elapsed() < end) return undefined
        setImmediate(turn)
      }
      return new Promise((resolve) => {
        const requests = waiting.get(client)
        if (requests) requests.push(resolve)
        else waiting.set(client, [resolve])
      })
    },
  }
}
