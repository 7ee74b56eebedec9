/** The API worker of noisy clients, as the main process sees it: it starts when there are some, and ends when it is idle. */
import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { Log } from '../log.ts'
import type { ToApiWorker } from './messages.ts'
import type { Handle } from './noisy-clients.ts'

export interface NoisyWorkerOptions {
  /** Starts the process. Resolves when it takes connections. */
  readonly start: () => Promise<Worker>
  /** Tells the other API workers whether it does. */
  readonly tell: (isOpen: boolean) => void
  /** Asks it to end. */
  readonly stop: (worker: Worker) => void
  readonly log: Log
}

export interface NoisyWorker {
  /** Starts the process, unless it runs or starts. */
  start(): void
  isOpen(): boolean
  /** Passes a connection on, or closes it if there is no process for it. */
  pass(handle: Handle): void
  /** Ends the process. */
  end(): void
  /** Notes that a process has ended. */
  ended(worker: Worker): void
}

/** Connections that wait for the process to take them, which hangs or has much to do. Beyond: they are closed. */
const MAX_WAITING = 256

export function createNoisyWorker({ start, tell, stop, log }: NoisyWorkerOptions): NoisyWorker {
  let isStarting = false
  let open: Worker | undefined
  /** The connection under way. The channel has no more than one, since it would keep those of a process that ends open forever. */
  let underWay: Handle | undefined
  let waiting: Handle[] = []

  function close(): void {
    if (!open) return
    open = undefined
    underWay?.close()
    underWay = undefined
    for (const handle of waiting) handle.close()
    waiting = []
    tell(false)
  }

  function sendNext(): void {
    const handle = waiting.shift()
    if (!handle) return
    if (!open?.isConnected()) {
      handle.close()
      sendNext()
      return
    }
    underWay = handle
    const message: ToApiWorker = { kind: 'connection' }
    // Node.js passes a bare handle as it is, where a socket would read from the connection meanwhile.
    open.send(message, handle as unknown as Socket, undefined, () => {
      handle.close()
      // Of a process that has ended, or whose next one has begun.
      if (underWay !== handle) return
      underWay = undefined
      sendNext()
    })
  }

  return {
    start() {
      if (isStarting || open) return
      isStarting = true
      log('info', 'some clients ask for so much that others wait: a process of their own serves them', {})
      start()
        .then((worker) => {
          open = worker
          tell(true)
        })
        .catch((error: unknown) => log('error', 'API worker of noisy clients did not start', { error }))
        .finally(() => {
          isStarting = false
        })
    },
    isOpen: () => open !== undefined,
    pass(handle) {
      if (!open || waiting.length >= MAX_WAITING) {
        handle.close()
        return
      }
      waiting.push(handle)
      if (!underWay) sendNext()
    },
    end() {
      const worker = open
      close()
      if (worker) stop(worker)
    },
    ended(worker) {
      if (worker === open) close()
    },
  }
}
