/** The main process as an API worker knows it: what it asks of it, and what it hears. */
import type { Compute, Observe, PartTaker } from '../../api/gateway.ts'
import type { StoredBlock } from '../../app/records.ts'
import type { Driver, PendingTx } from '../../consensus/driver.ts'
import { createListeners } from '../../consensus/listeners.ts'
import { queryError } from '../../primitives/errors.ts'
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

type Question = Exclude<FromApiWorker, { kind: 'hello' | 'listening' | 'failed' | 'answered' | 'abort' | 'taken' }>
/** A question without its number. */
type Ask = Question extends infer One ? (One extends { id: number } ? Omit<One, 'id'> : never) : never

interface Waiting {
  readonly resolve: (result: unknown) => void
  readonly reject: (error: Error) => void
  readonly onPart: PartTaker | undefined
}

/** The chain's blocks as this process reads them. */
interface OwnReads {
  /** Drops what is remembered of blocks that were taken back. */
  forget(): void
  /** A block that was committed. */
  block(height: bigint): StoredBlock | undefined
  /** Told what a listener threw. */
  onListenerFailure(error: unknown): void
}

export interface MainProcess {
  ask(question: Ask, signal?: AbortSignal, onPart?: PartTaker): Promise<unknown>
  /** The engine, which runs there. */
  readonly driver: Driver
  /** Runs a job in the compute pool there. */
  readonly compute: Compute['run']
  /** Counts answers for it. */
  count(): Observe
  /** From now on blocks that are new come from these reads. */
  follow(reads: OwnReads): void
}

/** How often it hears what was answered. */
const REPORT_MS = 500

const tell = (message: FromApiWorker): void => void process.send!(message)

/** What only the main process does. */
export const elsewhere = (what: string) => () => {
  throw queryError('unimplemented', `${what} is served by the main process`)
}

/** Says hello to the main process, and serves when it has said what: `serve` resolves with the URLs that it listens on. */
export function joinMainProcess(
  serve: (setup: ApiSetup, main: MainProcess) => Promise<Readonly<Record<string, string | undefined>>>,
): void {
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let status: DriverStatus | undefined
  let reads: OwnReads | undefined
  const onListenerFailure = (error: unknown) => reads?.onListenerFailure(error)
  const heard = {
    block: createListeners<StoredBlock>(onListenerFailure),
    pending: createListeners<PendingTx>(onListenerFailure),
    rollback: createListeners<bigint>(onListenerFailure),
  }

  const ask: MainProcess['ask'] = (question, signal, onPart) => {
    const id = ++lastId
    return new Promise((resolve, reject) => {
      const abort = () => tell({ kind: 'abort', id })
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
      tell({ ...question, id } as Question)
    })
  }

  const driver: Driver = {
    submit: async (tx) => unpackAdmission((await ask({ kind: 'submit', tx })) as CarriedAdmission),
    async submitAndWait(tx, timeoutMs) {
      const carried = (await ask({ kind: 'submitAndWait', tx, timeoutMs })) as CarriedAdmission
      return { admission: unpackAdmission(carried), ...(carried.inclusion && { inclusion: carried.inclusion }) }
    },
    nextBlock: elsewhere('making blocks'),
    nextHeader: async (height) => {
      await ask({ kind: 'nextHeader', height })
    },
    pending: elsewhere('the pool'),
    pendingCount: elsewhere('the pool'),
    onBlock: heard.block.add,
    onPending: heard.pending.add,
    onRollback: heard.rollback.add,
    status: () => status!,
    stop: async () => undefined,
  }

  /** The chain has moved: listeners get each block that is new to them. */
  function move(before: DriverStatus, now: DriverStatus): void {
    const wentBack = before.rollbacks !== now.rollbacks
    if (wentBack) {
      reads?.forget()
      heard.rollback.tell(now.latestHeight)
    }
    if (!heard.block.isHeard()) return
    for (let height = before.latestHeight + 1n; height <= now.latestHeight; height++) {
      const block = reads?.block(height)
      if (block) heard.block.tell(block)
    }
  }

  function count(): Observe {
    const counts = new Map<string, { operation: string; status: Parameters<Observe>[1]; times: number }>()
    setInterval(() => {
      if (counts.size === 0) return
      tell({ kind: 'answered', counts: [...counts.values()] })
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
    follow(from) {
      reads = from
    },
  }

  process.on('message', (message: ToApiWorker) => {
    if (message.kind === 'setup') {
      status = message.setup.status
      serve(message.setup, main).then(
        (urls) => tell({ kind: 'listening', urls }),
        (error) => tell({ kind: 'failed', error: packError(error) }),
      )
    } else if (message.kind === 'status') {
      // What came before the setup is in it.
      if (!status) return
      const before = status
      status = message.status
      move(before, status)
    } else if (message.kind === 'pending') {
      heard.pending.tell(message.tx)
    } else if (message.kind === 'part') {
      const taken = () => tell({ kind: 'taken', id: message.id })
      const { onPart } = waiting.get(message.id) ?? {}
      if (onPart) onPart(message.part, taken)
      else taken()
    } else {
      const asked = waiting.get(message.id)
      if (message.error) asked?.reject(unpackError(message.error))
      else asked?.resolve(message.result)
    }
  })
  // Ctrl-C reaches the whole group of processes; this one ends when the main process lets it go, or is gone.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})
  process.on('disconnect', () => process.exit())
  tell({ kind: 'hello' })
}
