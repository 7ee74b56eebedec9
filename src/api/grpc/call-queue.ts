/** The calls of one gRPC connection: they run in their order, a few at a time, and none while its client does not read. */

/** Calls of one gRPC connection that run at once. Beyond: its further calls wait. */
const MAX_RUNNING = 32

export interface CallQueue {
  /**
   * Waits until a call can run. Resolves with the function that ends its run; with undefined if the signal aborts before.
   */
  enter(signal: AbortSignal): Promise<(() => void) | undefined>
  /** Runs the calls for which there is room. Call it when `isFull` may have changed. */
  proceed(): void
}

/**
 * Creates the queue of a connection. `isFull` says whether too many bytes wait for its client. `takeTurn` returns a promise to
 * await before the next call runs; undefined if it can run at once.
 */
export function createCallQueue(isFull: () => boolean, takeTurn: () => Promise<void> | undefined): CallQueue {
  const waiting = new Set<() => void>()
  let running = 0
  let isInTurn = false
  /** Set from the start of a call to its end or the next turn of the event loop: only then `isFull` knows a short call's answer. */
  let beginning: ReturnType<typeof setImmediate> | undefined

  const canRun = (): boolean => waiting.size > 0 && running < MAX_RUNNING && !beginning && !isFull()

  function begun(): void {
    clearImmediate(beginning)
    beginning = undefined
    proceed()
  }

  function runNext(): void {
    const [run] = waiting
    run!()
    beginning = setImmediate(begun)
  }

  function proceed(): void {
    while (!isInTurn && canRun()) {
      const turn = takeTurn()
      if (!turn) {
        runNext()
        continue
      }
      isInTurn = true
      void turn.then(() => {
        isInTurn = false
        // The client can have disconnected or received other answers meanwhile.
        if (canRun()) runNext()
        proceed()
      })
    }
  }

  function end(): void {
    running--
    begun()
  }

  return {
    enter(signal) {
      if (signal.aborted) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const leave = (): void => {
          waiting.delete(run)
          signal.removeEventListener('abort', abort)
        }
        const run = (): void => {
          leave()
          running++
          resolve(end)
        }
        const abort = (): void => {
          leave()
          resolve(undefined)
        }
        waiting.add(run)
        signal.addEventListener('abort', abort)
        proceed()
      })
    },
    proceed,
  }
}
