/**
 * The API workers: processes that serve REST, gRPC and JSON-RPC from their own reads of the store, on ports that they share.
 * They forward the rest to the main process: transactions, the pool, filters, keys and heavy work. The CometBFT RPC stays in
 * the main process, which stores the subscriptions of its clients.
 */
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Compute, PartTaker } from '../../api/gateway.ts'
import type { Driver, PendingTx } from '../../consensus/driver.ts'
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
  readonly driver: Driver
  readonly compute: Compute
  /** Answers a JSON-RPC method that needs the pool, filters, keys or development methods. */
  readonly rpc: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>
  readonly observe: ((operation: string, status: string, times: number) => void) | undefined
  readonly log: Log
}

export interface ApiPool {
  readonly urls: Pick<GatewayUrls, 'rest' | 'grpc' | 'jsonrpc' | 'ws'>
  close(): Promise<void>
}

/** A request of a worker in progress. */
interface RunningRequest {
  readonly abort: AbortController
  /** Callbacks of the parts that the worker has not sent yet, in order. */
  readonly parts: (() => void)[]
}

/** Delay before an ended worker is started again. */
const RESTART_MS = 500
/** Time after which a worker that does not end is killed, milliseconds. */
const STOP_MS = 2000

/** Starts the workers. Resolves when all of them listen. Rejects if one cannot listen; then all have ended. */
export async function openApiPool(options: ApiPoolOptions): Promise<ApiPool> {
  const { driver, compute, log } = options
  const workers = new Set<Worker>()
  let stopping = false
  cluster.setupPrimary({ exec: fileURLToPath(options.entry), args: [], execArgv: [], serialization: 'advanced' })

  /**
   * Sends a message, and calls `sent` afterwards. A message to an ended worker is dropped: its replacement starts from the
   * status.
   */
  const send = (worker: Worker, message: ToApiWorker, sent = () => {}) => {
    if (worker.isConnected()) worker.send(message, undefined, undefined, sent)
    else sent()
  }

  function serve(worker: Worker, running: Map<number, RunningRequest>, message: FromApiWorker): void {
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
    const request: RunningRequest = { abort: new AbortController(), parts: [] }
    running.set(id, request)
    const onPart: PartTaker = (part, done) => {
      request.parts.push(done)
      send(worker, { kind: 'part', id, part })
    }
    answer(message, request.abort.signal, onPart)
      .then(
        (result) => send(worker, { kind: 'answer', id, result }),
        (error) => send(worker, { kind: 'answer', id, error: packError(error) }),
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
    if (message.kind !== 'compute') throw queryError('internal', 'not a request')
    const { job, payload, height, timeoutMs, inParts } = message
    return compute.run(job, payload, { height, signal, timeoutMs, ...(inParts && { onPart }) })
  }

  /** Workers to which a status is being sent. */
  const receiving = new Set<Worker>()
  /** Workers among them for which there is a newer status. */
  const outdated = new Set<Worker>()
  const publishTo = (worker: Worker) => {
    if (receiving.has(worker)) {
      outdated.add(worker)
      return
    }
    receiving.add(worker)
    send(worker, { kind: 'status', status: driver.status() }, () => {
      receiving.delete(worker)
      if (outdated.delete(worker)) publishTo(worker)
    })
  }
  const publish = () => {
    for (const worker of workers) publishTo(worker)
  }

  /**
   * Ports that workers open: all the same, since they share them. If no worker listens, the next one opens the ports that the
   * system chose first.
   */
  let { ports } = options.setup
  let urls: GatewayUrls | undefined
  const listening = new Set<Worker>()

  /**
   * Adds a worker that listens. Ends it if its ports differ: the system chooses new ones if the last worker ended
   * meanwhile.
   */
  function acceptListening(worker: Worker, found: GatewayUrls): boolean {
    if (urls && JSON.stringify(urls) !== JSON.stringify(found)) {
      worker.process.kill('SIGKILL')
      return false
    }
    listening.add(worker)
    return true
  }

  function start(): Promise<GatewayUrls> {
    const worker = cluster.fork()
    const running = new Map<number, RunningRequest>()
    workers.add(worker)
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromApiWorker) => {
        if (message.kind === 'hello') {
          if (listening.size === 0 && urls) ports = portsOf(urls, ports)
          send(worker, { kind: 'setup', setup: { ...options.setup, ports, status: driver.status() } })
        } else if (message.kind === 'listening') {
          const found = message.urls as GatewayUrls
          if (acceptListening(worker, found)) resolve(found)
        } else if (message.kind === 'failed') reject(unpackError(message.error))
        else serve(worker, running, message)
      })
      worker.on('error', (error) => log('warn', 'a message to an API worker failed', { error }))
      worker.on('exit', (code) => {
        workers.delete(worker)
        listening.delete(worker)
        receiving.delete(worker)
        outdated.delete(worker)
        for (const { abort, parts } of running.values()) {
          abort.abort()
          for (const done of parts.splice(0)) done()
        }
        reject(queryError('unavailable', `an API worker ended with exit code ${code}`))
        if (stopping) return
        log('error', 'API worker ended', { code })
        setTimeout(() => {
          if (!stopping) start().catch((error) => stopping || log('error', 'API worker did not start', { error }))
        }, RESTART_MS).unref()
      })
    })
  }

  const announce = (tx: PendingTx) => {
    for (const worker of workers) send(worker, { kind: 'pending', tx })
  }
  const removers = [
    driver.onBlock(publish),
    driver.onRollback(publish),
    driver.onPending(announce),
    driver.onHalt(publish),
  ]

  async function close(): Promise<void> {
    stopping = true
    for (const remove of removers) remove()
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
    const started = await Promise.all(Array.from({ length: options.workers }, start))
    urls = started[0]!
    return { urls, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns the ports of URLs and addresses; the previous port of a gateway that is off. */
function portsOf({ rest, grpc, jsonrpc, ws }: GatewayUrls, before: ApiSetup['ports']): ApiSetup['ports'] {
  const portOf = (url: string | undefined, otherwise: number) => Number(/:(\d+)$/.exec(url ?? '')?.[1] ?? otherwise)
  return {
    rest: portOf(rest, before.rest),
    grpc: portOf(grpc, before.grpc),
    jsonrpc: portOf(jsonrpc, before.jsonrpc),
    ws: portOf(ws, before.ws),
  }
}
