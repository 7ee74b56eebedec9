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

  /** What a worker does not hear any more, because it was killed, is no matter: the one that takes its place begins with all of it. */
  const tell = (worker: Worker, message: ToApiWorker, told = () => {}) => {
    if (worker.isConnected()) worker.send(message, undefined, undefined, told)
    else told()
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

  /** Workers that have not taken the last status, and those among them for which there is a newer one. */
  const [taking, behind] = [new Set<Worker>(), new Set<Worker>()]
  const publishTo = (worker: Worker) => {
    if (taking.has(worker)) {
      behind.add(worker)
      return
    }
    taking.add(worker)
    tell(worker, { kind: 'status', status: driver.status() }, () => {
      taking.delete(worker)
      if (behind.delete(worker)) publishTo(worker)
    })
  }
  const publish = () => {
    for (const worker of workers) publishTo(worker)
  }

  /** Ports that workers ask for: all the same, since they share them. What the system chose at first is asked for by name when nobody has it. */
  let { ports } = options.setup
  let urls: GatewayUrls | undefined
  const listening = new Set<Worker>()

  /** Whether a worker listens where clients look for it: the system chose anew if the last one ended while it started. */
  function arrive(worker: Worker, at: GatewayUrls): boolean {
    if (urls && JSON.stringify(urls) !== JSON.stringify(at)) {
      worker.process.kill('SIGKILL')
      return false
    }
    listening.add(worker)
    return true
  }

  function start(): Promise<GatewayUrls> {
    const worker = cluster.fork()
    const running = new Map<number, Asked>()
    workers.add(worker)
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromApiWorker) => {
        if (message.kind === 'hello') {
          if (listening.size === 0 && urls) ports = portsOf(urls, ports)
          tell(worker, { kind: 'setup', setup: { ...options.setup, ports, status: driver.status() } })
        } else if (message.kind === 'listening') {
          const at = message.urls as GatewayUrls
          if (arrive(worker, at)) resolve(at)
        } else if (message.kind === 'failed') reject(unpackError(message.error))
        else serve(worker, running, message)
      })
      worker.on('error', (error) => log('warn', 'API worker cannot be reached', { error }))
      worker.on('exit', (code) => {
        workers.delete(worker)
        listening.delete(worker)
        taking.delete(worker)
        behind.delete(worker)
        for (const { abort, parts } of running.values()) {
          abort.abort()
          for (const done of parts.splice(0)) done()
        }
        reject(queryError('unavailable', `an API worker ended with ${code}`))
        if (stopping) return
        log('error', 'API worker ended', { code })
        setTimeout(() => {
          if (!stopping) start().catch((error) => stopping || log('error', 'API worker did not start', { error }))
        }, RESTART_MS).unref()
      })
    })
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
    const started = await Promise.all(Array.from({ length: options.workers }, start))
    urls = started[0]!
    return { urls, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The ports of URLs and addresses; of a gateway that is off what it was before. */
function portsOf({ rest, grpc, jsonrpc, ws }: GatewayUrls, before: ApiSetup['ports']): ApiSetup['ports'] {
  const portOf = (url: string | undefined, otherwise: number) => Number(/:(\d+)$/.exec(url ?? '')?.[1] ?? otherwise)
  return {
    rest: portOf(rest, before.rest),
    grpc: portOf(grpc, before.grpc),
    jsonrpc: portOf(jsonrpc, before.jsonrpc),
    ws: portOf(ws, before.ws),
  }
}
