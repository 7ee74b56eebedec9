/** The interface of the main process for an API worker: requests to it, and notifications from it. */
import type { Compute, Observe, PartTaker } from '../../api/gateway.ts'
import type { StoredBlock } from '../../app/records.ts'
import type { Driver, PendingTx } from '../../consensus/driver.ts'
import { createListeners } from '../../consensus/listeners.ts'
import {
  type ApiSetup,
  type CarriedAdmission,
  type DriverStatus,
  type FromApiWorker,
  packError,
  type ToApiWorker,
  unpackAdmission,
  unpackError,
} from './messages.ts'

type Request = Exclude<FromApiWorker, { kind: 'hello' | 'listening' | 'failed' | 'answered' | 'abort' | 'taken' }>
/** A request without its id. */
type NewRequest = Request extends infer One ? (One extends { id: number } ? Omit<One, 'id'> : never) : never

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly onPart: PartTaker | undefined
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
  ask(request: NewRequest, signal?: AbortSignal, onPart?: PartTaker): Promise<unknown>
  /** The driver of the main process. */
  readonly driver: Driver
  /** Runs a job in the compute pool of the main process. */
  readonly compute: Compute['run']
  /** Creates the function that counts answers for the main process. */
  count(): Observe
  /** Sets the reader that delivers new blocks to listeners. */
  attachReader(reader: BlockReader): void
}

/** Interval between two reports of counted answers. */
const REPORT_MS = 500

const send = (message: FromApiWorker): void => void process.send!(message)

/**
 * Connects to the main process and calls `serve` with the setup that it sends. `serve` resolves with the URLs of the open
 * ports.
 */
export function joinMainProcess(
  serve: (setup: ApiSetup, main: MainProcess) => Promise<Readonly<Record<string, string | undefined>>>,
): void {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let status: DriverStatus | undefined
  let reader: BlockReader | undefined
  const onListenerFailure = (error: unknown) => reader?.onListenerFailure(error)
  const listeners = {
    block: createListeners<StoredBlock>(onListenerFailure),
    pending: createListeners<PendingTx>(onListenerFailure),
    rollback: createListeners<bigint>(onListenerFailure),
    halt: createListeners<void>(onListenerFailure),
  }

  const ask: MainProcess['ask'] = (request, signal, onPart) => {
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
        onPart,
      })
      signal?.addEventListener('abort', abort, { once: true })
      send({ ...request, id } as Request)
    })
  }

  const driver: Driver = {
    submit: async (tx) => unpackAdmission((await ask({ kind: 'submit', tx })) as CarriedAdmission),
    async submitAndWait(tx, timeoutMs) {
      const carried = (await ask({ kind: 'submitAndWait', tx, timeoutMs })) as CarriedAdmission
      return { admission: unpackAdmission(carried), ...(carried.inclusion && { inclusion: carried.inclusion }) }
    },
    nextHeader: async (height) => {
      await ask({ kind: 'nextHeader', height })
    },
    onBlock: listeners.block.add,
    onPending: listeners.pending.add,
    onRollback: listeners.rollback.add,
    onHalt: listeners.halt.add,
    status: () => status!,
    stop: async () => undefined,
  }

  /** Notifies listeners of a rollback and of each new block. */
  function notifyChange(before: DriverStatus, now: DriverStatus): void {
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

  function count(): Observe {
    const counts = new Map<string, { operation: string; status: Parameters<Observe>[1]; times: number }>()
    setInterval(() => {
      if (counts.size === 0) return
      send({ kind: 'answered', counts: [...counts.values()] })
      counts.clear()
    }, REPORT_MS).unref()
    return (operation, status) => {
      const key = `${operation} ${status}`
      const known = counts.get(key)
      if (known) known.times++
      else counts.set(key, { operation, status, times: 1 })
    }
  }

  const main: MainProcess = {
    ask,
    driver,
    compute: (job, payload, { height, signal, timeoutMs, onPart }) =>
      ask({ kind: 'compute', job, payload, height, timeoutMs, inParts: onPart !== undefined }, signal, onPart),
    count,
    attachReader(attached) {
      reader = attached
    },
  }

  process.on('message', (message: ToApiWorker) => {
    if (message.kind === 'setup') {
      status = message.setup.status
      serve(message.setup, main).then(
        (urls) => send({ kind: 'listening', urls }),
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
      listeners.pending.notify(message.tx)
    } else if (message.kind === 'part') {
      const taken = () => send({ kind: 'taken', id: message.id })
      const { onPart } = waiting.get(message.id) ?? {}
      if (onPart) onPart(message.part, taken)
      else taken()
    } else {
      const asked = waiting.get(message.id)
      if (message.error) asked?.reject(unpackError(message.error))
      else asked?.resolve(message.result)
    }
  })
  // Ctrl-C reaches the whole process group. A worker ends when the main process disconnects or ends.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})
  process.on('disconnect', () => process.exit())
  send({ kind: 'hello' })
}
