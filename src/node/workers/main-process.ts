/** The interface of the main process for an API worker: requests to it, and notifications from it. */
import type { Socket } from 'node:net'
import type { Observe } from '../../api/gateway.ts'
import type { StoredBlock } from '../../app/records.ts'
import type { Driver, PendingTx } from '../../consensus/driver.ts'
import { createListeners } from '../../consensus/listeners.ts'
import type { OpenGateways } from '../gateways.ts'
import { createRequestCounts } from '../request-counts.ts'
import {
  type ApiSetup,
  type CarriedAdmission,
  type FromApiWorker,
  packError,
  type ToApiWorker,
  unpackAdmission,
  unpackError,
  type WorkerStatus,
  type WorkerUsage,
} from './messages.ts'
import type { Handle } from './noisy-clients.ts'
import type { PoolStats } from './pool-stats.ts'

type Request = Exclude<
  FromApiWorker,
  {
    kind:
      | 'hello'
      | 'listening'
      | 'failed'
      | 'report'
      | 'print'
      | 'abort'
      | 'noisy'
      | 'connection'
      | 'idle'
      | 'noisyState'
  }
>
/** A request without its id. */
type NewRequest = Request extends infer One ? (One extends { id: number } ? Omit<One, 'id'> : never) : never

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
}

/** The reads of this process. */
interface BlockReader {
  /** Drops cached blocks after a rollback. */
  dropCache(): void
  /** Returns a committed block. */
  block(height: bigint): StoredBlock | undefined
  /** Called with the error of a listener. */
  onListenerFailure(error: unknown): void
}

export interface MainProcess {
  ask(request: NewRequest, signal?: AbortSignal): Promise<unknown>
  /** The driver of the main process. */
  readonly driver: Driver
  /** Returns the lowest gas price that the node admits. */
  minGasPrice(): string
  /** Logs a line that a contract printed, unless logging is off. */
  print(line: string): void
  /** Creates the function that counts answers for the main process, and reports the work of this process's threads. */
  count(compute: () => PoolStats): Observe
  /** Asks for the process of noisy clients. */
  askForNoisy(): void
  /** Hands a connection over to that process, and calls back when it has left. */
  handOver(handle: Handle, sent: () => void): void
  /** Asks the main process to end this one, which no noisy client has used for a long time. */
  tellIdle(): void
  /** Tells of this process, which serves noisy clients: its heap and buffers, and the addresses that use it much. */
  tellNoisyState(filledBytes: number, addresses: readonly string[]): void
  /** Sets the listener that learns whether the process of noisy clients takes connections. */
  onNoisyOpen(listener: (isOpen: boolean) => void): void
  /** Sets the listener that learns which addresses go on to use that process much. */
  onStillNoisy(listener: (addresses: readonly string[]) => void): void
  /** Sets the receiver of the connections of noisy clients. */
  onConnection(receive: (handle: Handle) => void): void
  /** Sets the reader that delivers new blocks to listeners. */
  attachReader(reader: BlockReader): void
}

/** Returns memory and processor time of this process. */
function ownUsage(): WorkerUsage {
  const { user, system } = process.cpuUsage()
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 }
}

/** Interval between two reports of counted answers. */
const REPORT_MS = 500

const send = (message: FromApiWorker): void => void process.send!(message)

/**
 * Connects to the main process and calls `serve` with the setup that it sends. Ends with the main process, and at its
 * request after closing the ports.
 */
export function joinMainProcess(serve: (setup: ApiSetup, main: MainProcess) => Promise<OpenGateways>): void {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let status: WorkerStatus | undefined
  let serving: OpenGateways | undefined
  let reader: BlockReader | undefined
  let isNoisyOpen = false
  let noisyOpen: (isOpen: boolean) => void = () => {}
  let stillNoisy = (_: readonly string[]): void => {}
  let receiveConnection = (handle: Handle): void => handle.close()
  const onListenerFailure = (error: unknown) => reader?.onListenerFailure(error)
  const listeners = {
    block: createListeners<StoredBlock>(onListenerFailure),
    pending: createListeners<PendingTx>(onListenerFailure),
    rollback: createListeners<bigint>(onListenerFailure),
    halt: createListeners<void>(onListenerFailure),
    stop: createListeners<void>(onListenerFailure),
  }

  const ask: MainProcess['ask'] = (request, signal) => {
    const id = ++lastId
    return new Promise((resolve, reject) => {
      const abort = () => send({ kind: 'abort', id })
      const done = () => {
        signal?.removeEventListener('abort', abort)
        waiting.delete(id)
      }
      waiting.set(id, {
        resolve: (result) => {
          done()
          resolve(result)
        },
        reject: (error) => {
          done()
          reject(error)
        },
      })
      signal?.addEventListener('abort', abort, { once: true })
      send({ ...request, id } as Request)
    })
  }

  const driver: Driver = {
    submit: async (tx, client) =>
      unpackAdmission((await ask({ kind: 'submit', tx, ...(client !== undefined && { client }) })) as CarriedAdmission),
    async submitAndWait(tx, timeoutMs) {
      const carried = (await ask({ kind: 'submitAndWait', tx, timeoutMs })) as CarriedAdmission
      return { admission: unpackAdmission(carried), ...(carried.inclusion && { inclusion: carried.inclusion }) }
    },
    nextHeader: async (height) => {
      await ask({ kind: 'nextHeader', height })
    },
    onBlock: listeners.block.add,
    onPending(listener) {
      if (!listeners.pending.hasListeners()) send({ kind: 'hearPending', hears: true })
      const remove = listeners.pending.add(listener)
      return () => {
        remove()
        if (!listeners.pending.hasListeners()) send({ kind: 'hearPending', hears: false })
      }
    },
    onRollback: listeners.rollback.add,
    onHalt: listeners.halt.add,
    onStop: listeners.stop.add,
    status: () => status!,
    drain: async () => undefined,
    stop: async () => undefined,
  }

  /** Notifies listeners of a rollback and of each new block. */
  function notifyChange(before: WorkerStatus, now: WorkerStatus): void {
    const wentBack = before.rollbacks !== now.rollbacks
    if (wentBack) {
      reader?.dropCache()
      listeners.rollback.notify(now.latestHeight)
    }
    if (!listeners.block.hasListeners()) return
    for (let height = before.latestHeight + 1n; height <= now.latestHeight; height++) {
      const block = reader?.block(height)
      if (block) listeners.block.notify(block)
    }
  }

  function count(compute: () => PoolStats): Observe {
    const counts = createRequestCounts()
    setInterval(() => {
      send({ kind: 'report', counts: counts.take(), compute: compute(), usage: ownUsage() })
    }, REPORT_MS).unref()
    return counts.observe
  }

  const main: MainProcess = {
    ask,
    driver,
    minGasPrice: () => status!.minGasPrice,
    print: (line) => send({ kind: 'print', line }),
    count,
    askForNoisy: () => send({ kind: 'noisy' }),
    handOver: (handle, sent) =>
      void process.send!({ kind: 'connection' } satisfies FromApiWorker, handle as unknown as Socket, undefined, sent),
    tellIdle: () => send({ kind: 'idle' }),
    tellNoisyState: (filledBytes, addresses) => send({ kind: 'noisyState', filledBytes, addresses }),
    onNoisyOpen(listener) {
      noisyOpen = listener
      listener(isNoisyOpen)
    },
    onStillNoisy(listener) {
      stillNoisy = listener
    },
    onConnection(receive) {
      receiveConnection = receive
    },
    attachReader(attached) {
      reader = attached
    },
  }

  process.on('message', (message: ToApiWorker, handle: unknown) => {
    if (message.kind === 'setup') {
      status = message.setup.status
      serve(message.setup, main).then(
        (opened) => {
          serving = opened
          send({ kind: 'listening', urls: opened.urls })
        },
        (error) => send({ kind: 'failed', error: packError(error) }),
      )
    } else if (message.kind === 'status') {
      // The setup contains every earlier status.
      if (!status) return
      const before = status
      status = message.status
      notifyChange(before, status)
      if (!before.halted && status.halted) listeners.halt.notify()
    } else if (message.kind === 'pending') {
      for (const tx of message.txs) listeners.pending.notify(tx)
    } else if (message.kind === 'noisyOpen') {
      isNoisyOpen = message.isOpen
      noisyOpen(isNoisyOpen)
    } else if (message.kind === 'stillNoisy') stillNoisy(message.addresses)
    else if (message.kind === 'connection') {
      if (handle) receiveConnection(handle as Handle)
    } else if (message.kind === 'stop') {
      // Answers of the main process that came just before reach their callers first, some of which then wait for a block.
      setImmediate(() => {
        listeners.stop.notify()
        // The clients that wait are answered before their connections close.
        setImmediate(() => Promise.resolve(serving?.close()).finally(() => process.exit()))
      })
    } else {
      const asked = waiting.get(message.id)
      if (message.error) asked?.reject(unpackError(message.error))
      else asked?.resolve(message.result)
    }
  })
  // Signals reach the whole process group. A worker ends when the main process says so, or has ended.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  send({ kind: 'hello' })
}
