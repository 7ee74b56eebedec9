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
  /** Ends it at once. */
  readonly kill: (worker: Worker) => void
  /** Heap and buffers of the process. Beyond: it is ended, since its clients have filled it. */
  readonly maxBytes: number
  /** Clock in milliseconds that never goes back. */
  readonly elapsed: () => number
  readonly log: Log
}

export interface NoisyWorker {
  /** Starts the process, unless it runs or starts. */
  start(): void
  isOpen(): boolean
  /** Passes a connection on, or closes it if there is no process for it. */
  pass(handle: Handle): void
  /** Notes that a process is alive, and its heap and buffers. */
  report(worker: Worker, filledBytes: number): void
  /** Ends the process. */
  end(): void
  /** Notes that a process has ended. */
  ended(worker: Worker): void
}

/** Time between two starts, at least. */
const RESTART_MS = 5000
/**
 * A process that tells nothing for this number of looks hangs, and is ended. Looks rather than time: this process can be busy with a
 * block, and a process of low priority gets little of a busy machine.
 */
const MAX_SILENT_LOOKS = 12
const LOOK_MS = 10_000

/** Connections that wait for the process to take them, which hangs or has much to do. Beyond: they are closed. */
const MAX_WAITING = 256

export function createNoisyWorker({
  start,
  tell,
  stop,
  kill,
  maxBytes,
  elapsed,
  log,
}: NoisyWorkerOptions): NoisyWorker {
  let isStarting = false
  let startedAt = Number.NEGATIVE_INFINITY
  let silentLooks = 0
  let watch: ReturnType<typeof setInterval> | undefined
  let open: Worker | undefined
  /** The connection under way. The channel has no more than one, since it would keep those of a process that ends open forever. */
  let underWay: Handle | undefined
  let waiting: Handle[] = []

  function close(): void {
    if (!open) return
    open = undefined
    clearInterval(watch)
    underWay?.close()
    underWay = undefined
    for (const handle of waiting) handle.close()
    waiting = []
    tell(false)
  }

  function endAtOnce(worker: Worker, reason: string): void {
    log('warn', `the process of noisy clients is ended: ${reason}`, {})
    close()
    kill(worker)
  }

  function look(): void {
    if (open && ++silentLooks > MAX_SILENT_LOOKS) endAtOnce(open, 'it hangs')
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
      if (isStarting || open || elapsed() - startedAt < RESTART_MS) return
      isStarting = true
      startedAt = elapsed()
      log('info', 'some clients ask for so much that others wait: a process of their own serves them', {})
      start()
        .then((worker) => {
          open = worker
          silentLooks = 0
          watch = setInterval(look, LOOK_MS)
          watch.unref()
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
        if (open) log('warn', 'a connection of a noisy client was closed, since their process takes no more', {})
        handle.close()
        return
      }
      waiting.push(handle)
      if (!underWay) sendNext()
    },
    report(worker, filledBytes) {
      if (worker !== open) return
      silentLooks = 0
      if (filledBytes > maxBytes) endAtOnce(worker, 'its clients have filled its memory')
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
