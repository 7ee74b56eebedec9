/**
 * The API workers: processes that serve REST, gRPC and JSON-RPC over their own reads of the store, on ports that they share.
 * What only the main process can do (taking transactions, the pool, filters, keys, heavy work) they ask of it. The CometBFT
 * RPC stays in the main process: it keeps subscriptions for its clients.
 */
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Compute, PartTaker } from '../../api/gateway.ts'
import type { Driver, PendingTx } from '../../consensus/driver.ts'
import type { Solo } from '../../consensus/solo.ts'
import { queryError } from '../../primitives/errors.ts'
import type { GatewayUrls } from '../gateways.ts'
import type { Log } from '../log.ts'
import {
  type ApiSetup,
  type FromApiWorker,
  packAdmission,
  packError,
  type ToApiWorker,
  unpackError,
} from './messages.ts'

export interface ApiPoolOptions {
  readonly workers: number
  readonly entry: URL
  readonly setup: Omit<ApiSetup, 'status'>
  readonly driver: Driver & Pick<Solo, 'onHalt'>
  readonly compute: Compute
  /** Answers a JSON-RPC method that needs the pool, filters, keys or the engine's verbs. */
  readonly rpc: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>
  readonly observe: ((operation: string, status: string, times: number) => void) | undefined
  readonly log: Log
}

export interface ApiPool {
  readonly urls: Pick<GatewayUrls, 'rest' | 'grpc' | 'jsonrpc' | 'ws'>
  close(): Promise<void>
}

/** A question of a worker: how to end it, and what to call when it has taken each part of the answer. */
interface Asked {
  readonly abort: AbortController
  readonly parts: (() => void)[]
}

/** Delay before a worker that ended is started again. */
const RESTART_MS = 500
/** Time that a worker has to end by itself. */
const STOP_MS = 2000

/** Resolves when every worker listens; rejects, with all of them ended, when one cannot. */
export async function openApiPool(options: ApiPoolOptions): Promise<ApiPool> {
  const { driver, compute, log } = options
  const workers = new Set<Worker>()
  let stopping = false
  cluster.setupPrimary({ exec: fileURLToPath(options.entry), args: [], execArgv: [], serialization: 'advanced' })

  const tell = (worker: Worker, message: ToApiWorker) => {
    if (worker.isConnected()) worker.send(message)
  }

  function serve(worker: Worker, running: Map<number, Asked>, message: FromApiWorker): void {
    if (message.kind === 'abort') {
      running.get(message.id)?.abort.abort()
      return
    }
    if (message.kind === 'taken') {
      running.get(message.id)?.parts.shift()?.()
      return
    }
    if (message.kind === 'answered') {
      for (const { operation, status, times } of message.counts) options.observe?.(operation, status, times)
      return
    }
    if (message.kind === 'hello' || message.kind === 'listening' || message.kind === 'failed') return
    const { id } = message
    const asked: Asked = { abort: new AbortController(), parts: [] }
    running.set(id, asked)
    const onPart: PartTaker = (part, done) => {
      asked.parts.push(done)
      tell(worker, { kind: 'part', id, part })
    }
    answer(message, asked.abort.signal, onPart)
      .then(
        (result) => tell(worker, { kind: 'answer', id, result }),
        (error) => tell(worker, { kind: 'answer', id, error: packError(error) }),
      )
      .finally(() => running.delete(id))
  }

  async function answer(
    message: Extract<FromApiWorker, { id: number }>,
    signal: AbortSignal,
    onPart: PartTaker,
  ): Promise<unknown> {
    if (message.kind === 'submit') return packAdmission(await driver.submit(message.tx))
    if (message.kind === 'submitAndWait') {
      const { admission, inclusion } = await driver.submitAndWait(message.tx, message.timeoutMs)
      return packAdmission(admission, inclusion)
    }
    if (message.kind === 'nextHeader') return driver.nextHeader(message.height)
    if (message.kind === 'rpc') return options.rpc(message.method, message.params, signal)
    if (message.kind !== 'compute') throw queryError('internal', 'not a question')
    const { job, payload, height, timeoutMs, inParts } = message
    return compute.run(job, payload, { height, signal, timeoutMs, ...(inParts && { onPart }) })
  }

  function start(): Promise<GatewayUrls> {
    const worker = cluster.fork()
    const running = new Map<number, Asked>()
    workers.add(worker)
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromApiWorker) => {
        if (message.kind === 'hello')
          tell(worker, { kind: 'setup', setup: { ...options.setup, status: driver.status() } })
        else if (message.kind === 'listening') resolve(message.urls as GatewayUrls)
        else if (message.kind === 'failed') reject(unpackError(message.error))
        else serve(worker, running, message)
      })
      worker.on('exit', (code) => {
        workers.delete(worker)
        for (const { abort, parts } of running.values()) {
          abort.abort()
          for (const done of parts.splice(0)) done()
        }
        reject(queryError('unavailable', `an API worker ended with ${code}`))
        if (stopping) return
        log('error', 'API worker ended', { code })
        setTimeout(() => {
          if (!stopping) start().catch((error) => log('error', 'API worker did not start', { error }))
        }, RESTART_MS).unref()
      })
    })
  }

  const publish = () => {
    for (const worker of workers) tell(worker, { kind: 'status', status: driver.status() })
  }
  const announce = (tx: PendingTx) => {
    for (const worker of workers) tell(worker, { kind: 'pending', tx })
  }
  const forget = [
    driver.onBlock(publish),
    driver.onRollback(publish),
    driver.onPending(announce),
    driver.onHalt(publish),
  ]

  async function close(): Promise<void> {
    stopping = true
    for (const end of forget) end()
    await Promise.all(
      [...workers].map(
        (worker) =>
          new Promise<void>((resolve) => {
            worker.once('exit', () => resolve())
            worker.disconnect()
            setTimeout(() => worker.process.kill('SIGKILL'), STOP_MS).unref()
          }),
      ),
    )
  }

  try {
    const [urls] = await Promise.all(Array.from({ length: options.workers }, start))
    return { urls: urls!, close }
  } catch (error) {
    await close()
    throw error
  }
}
