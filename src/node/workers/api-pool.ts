/**
 * The API workers: processes that serve the gateways from their own reads of the store, on ports that they share, with compute
 * threads of their own. They forward the rest to the main process: transactions, the pool, filters, keys and development
 * methods.
 */
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { CheckResult } from '../../app/types.ts'
import type { Driver, PendingTx } from '../../consensus/driver.ts'
import { queryError } from '../../primitives/errors.ts'
import { parseMemory } from '../config.ts'
import type { GatewayUrls } from '../gateways.ts'
import type { Log } from '../log.ts'
import type { RequestCounts } from '../request-counts.ts'
import type { Config } from '../settings.ts'
import { createClientTurns } from './client-turns.ts'
import {
  type ApiSetup,
  type CarriedError,
  type FromApiWorker,
  packAdmission,
  packError,
  type ToApiWorker,
  unpackError,
  type WorkerStatus,
  type WorkerUsage,
} from './messages.ts'
import type { Handle } from './noisy-clients.ts'
import { createNoisyWorker } from './noisy-worker.ts'
import { addStats, NO_STATS, type PoolStats } from './pool-stats.ts'

export interface ApiPoolOptions {
  readonly workers: number
  readonly entry: URL
  /** Limit of the JavaScript heap of a worker. A worker that exceeds it ends and is replaced. */
  readonly memoryBytes: number
  readonly setup: Omit<ApiSetup, 'status' | 'isForNoisy'>
  readonly driver: Driver
  /** Returns the lowest gas price that the node admits. */
  readonly minGasPrice: () => string
  /** Answers a JSON-RPC method that needs the pool, filters, keys or development methods, as JSON. */
  readonly rpc: (method: string, params: unknown, signal: AbortSignal, client: string) => Promise<string>
  /** Answers a method of the CometBFT RPC that needs the pool, with its parsed parameters, as JSON. */
  readonly comet: (method: string, params: unknown) => Promise<string>
  /** Runs admission and keeps nothing. */
  readonly check: (tx: Uint8Array) => CheckResult | Promise<CheckResult>
  /** Logs a line that a contract printed. */
  readonly print: (line: string) => void
  /** Counts the answers of a worker. */
  readonly count: ((counts: RequestCounts) => void) | undefined
  readonly log: Log
}

export interface ApiPool {
  readonly urls: Omit<GatewayUrls, 'metrics'>
  /** Returns the work of the compute threads of all workers, those that have ended included. */
  computeStats(): PoolStats
  /** Returns memory and processor time of each worker that has reported them. */
  usages(): readonly WorkerUsage[]
  close(): Promise<void>
}

/** A running worker. */
interface Started {
  /** Whether it serves noisy clients only. */
  readonly isForNoisy: boolean
  /** Whether this process has ended it at once. */
  isKilled: boolean
  /** Requests in progress, by id. */
  readonly running: Map<number, AbortController>
  /** The latest status that was sent. */
  sent: WorkerStatus | undefined
  /** Whether the latest status is still in transit. */
  busy: boolean
  /** Whether the worker listens for admitted transactions: few do, and telling one takes a tenth of their admission. */
  hearsPending: boolean
  compute: PoolStats
  /** The latest report of its memory and processor time. */
  usage: WorkerUsage | undefined
}

/** A worker that ends sooner after its start is replaced after this delay only; any other is replaced at once. */
const RESTART_MS = 500
/** Time after which a worker that does not end is killed, milliseconds. Closing the ports takes up to two seconds. */
const STOP_MS = 4000
const MIB = 2 ** 20
/** Heap and buffers that the process of noisy clients can have, however small `api.memory` is: without clients it has about 60 MB. */
const LEAST_NOISY_BYTES = 256 * MIB
/**
 * Variables of the C library of Linux: memory of long answers goes back to the system once they are sent, where it would
 * otherwise stay with the process, in the parts of each of its threads.
 */
const ALLOCATION = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  ...process.env,
}

/** Starts the workers. Resolves when all of them listen. Rejects if one cannot listen; then all have ended. */
export async function openApiPool(options: ApiPoolOptions): Promise<ApiPool> {
  const { driver, log } = options
  const workers = new Map<Worker, Started>()
  const takeTurn = createClientTurns()
  let ended = NO_STATS
  let stopping = false
  // The process of noisy clients has half of what another one has.
  const noisyBytes = options.memoryBytes / 2
  const { config } = options.setup
  const unsentBytes = Math.ceil(parseMemory(config.api.unsent)! / 2)
  const noisyConfig: Config = { ...config, api: { ...config.api, unsent: `${unsentBytes}` } }
  requireOwnPorts(options.setup)
  // Workers accept connections themselves: otherwise this process would, after the block that it executes.
  cluster.schedulingPolicy = cluster.SCHED_NONE

  /**
   * Sends a message, and calls `sent` afterwards. A message to an ended worker is dropped: its replacement starts from the
   * status.
   */
  const send = (worker: Worker, message: ToApiWorker, sent = () => {}) => {
    if (worker.isConnected()) worker.send(message, undefined, undefined, sent)
    else sent()
  }

  /** Sends a message to every worker but that of noisy clients. */
  function tellOthers(message: ToApiWorker): void {
    for (const [worker, { isForNoisy }] of workers) if (!isForNoisy) send(worker, message)
  }

  const statusNow = (): WorkerStatus => ({ ...driver.status(), minGasPrice: options.minGasPrice() })

  /** Admitted transactions that no worker has been told of. */
  let arrived: PendingTx[] = []
  function announce({ hash, bytes, evm }: PendingTx): void {
    if (![...workers.values()].some(({ hearsPending }) => hearsPending)) return
    // A message for each would take longer than its admission, when an engine sends many at once.
    if (arrived.push({ hash, bytes, ...(evm && { evm }) }) === 1) setImmediate(sendArrived)
  }
  function sendArrived(): void {
    if (arrived.length === 0) return
    const txs = arrived
    arrived = []
    for (const [worker, { hearsPending }] of workers) if (hearsPending) send(worker, { kind: 'pending', txs })
  }

  /** Sends the status, unless the worker has it. */
  function sendStatus(worker: Worker, started: Started): void {
    // They were pending before the block that the status tells of.
    sendArrived()
    const status = statusNow()
    if (!started.sent || isSame(started.sent, status)) return
    started.sent = status
    started.busy = true
    send(worker, { kind: 'status', status }, () => {
      if (started.sent !== status) return
      started.busy = false
      sendStatus(worker, started)
    })
  }
  /** Sends the status to all workers. One that has not received the previous one gets it afterwards, so that none is flooded. */
  const publish = () => {
    for (const [worker, started] of workers) if (!started.busy) sendStatus(worker, started)
  }

  function serve(worker: Worker, started: Started, message: FromApiWorker, handle: Handle | undefined): void {
    if (message.kind === 'abort') {
      started.running.get(message.id)?.abort()
      return
    }
    if (message.kind === 'report') {
      options.count?.(message.counts)
      started.compute = message.compute
      started.usage = message.usage
      return
    }
    if (message.kind === 'hearPending') {
      started.hearsPending = message.hears
      return
    }
    if (message.kind === 'print') {
      options.print(message.line)
      return
    }
    if (message.kind === 'noisy') {
      noisy.start()
      return
    }
    if (message.kind === 'connection') {
      if (handle) noisy.pass(handle)
      return
    }
    if (message.kind === 'idle') {
      noisy.end()
      return
    }
    if (message.kind === 'noisyState') {
      noisy.report(worker, message.filledBytes)
      if (message.addresses.length > 0) tellOthers({ kind: 'stillNoisy', addresses: message.addresses })
      return
    }
    if (message.kind === 'hello' || message.kind === 'listening' || message.kind === 'failed') return
    const { id } = message
    const abort = new AbortController()
    started.running.set(id, abort)
    // The client reads the effects of its request next, so the status precedes the answer.
    const reply = (answer: { readonly result: unknown } | { readonly error: CarriedError }) => {
      sendStatus(worker, started)
      send(worker, { kind: 'answer', id, ...answer })
      started.running.delete(id)
    }
    const run = () =>
      answer(message, abort.signal)
        .then((result) => reply({ result }))
        .catch((error) => reply({ error: packError(error) }))
    const turn = 'client' in message && message.client !== undefined ? takeTurn(message.client) : undefined
    if (turn) void turn.then(run)
    else void run()
  }

  async function answer(message: Extract<FromApiWorker, { id: number }>, signal: AbortSignal): Promise<unknown> {
    if (message.kind === 'submit') return packAdmission(await driver.submit(message.tx))
    if (message.kind === 'submitAndWait') {
      const { admission, inclusion } = await driver.submitAndWait(message.tx, message.timeoutMs)
      return packAdmission(admission, inclusion)
    }
    if (message.kind === 'nextHeader') return driver.nextHeader(message.height)
    if (message.kind === 'rpc') return options.rpc(message.method, message.params, signal, message.client)
    if (message.kind === 'comet') return options.comet(message.method, message.params)
    if (message.kind === 'check') return options.check(message.tx)
    throw queryError('internal', 'not a request')
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

  function start(isForNoisy = false): Promise<GatewayUrls> {
    const memoryBytes = isForNoisy ? noisyBytes : options.memoryBytes
    // The settings of a process are those of its latest node.
    cluster.setupPrimary({
      exec: fileURLToPath(options.entry),
      args: [],
      execArgv: [`--max-old-space-size=${Math.ceil(memoryBytes / MIB)}`],
      serialization: 'advanced',
    })
    const worker = cluster.fork(ALLOCATION)
    const begun = performance.now()
    const started: Started = {
      isForNoisy,
      isKilled: false,
      running: new Map(),
      sent: undefined,
      busy: false,
      hearsPending: false,
      compute: NO_STATS,
      usage: undefined,
    }
    workers.set(worker, started)
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromApiWorker, handle: unknown) => {
        if (message.kind === 'hello') {
          if (listening.size === 0 && urls) ports = portsOf(urls, ports)
          started.sent = statusNow()
          const setup = isForNoisy
            ? { ...options.setup, config: noisyConfig, ports: portsOf(urls!, ports) }
            : { ...options.setup, ports }
          send(worker, { kind: 'setup', setup: { ...setup, isForNoisy, status: started.sent } })
        } else if (message.kind === 'listening') {
          if (isForNoisy) resolve(message.urls)
          else if (acceptListening(worker, message.urls)) {
            resolve(message.urls)
            if (noisy.isOpen()) send(worker, { kind: 'noisyOpen', isOpen: true })
          }
        } else if (message.kind === 'failed') reject(unpackError(message.error))
        else serve(worker, started, message, handle as Handle | undefined)
      })
      worker.on('error', (error) => log('warn', 'a message to an API worker failed', { error }))
      worker.on('exit', (code, signal) => {
        workers.delete(worker)
        listening.delete(worker)
        ended = addStats(ended, { ...started.compute, waiting: 0, running: 0 })
        for (const abort of started.running.values()) abort.abort()
        reject(queryError('unavailable', `an API worker ended with ${code === null ? signal : `exit code ${code}`}`))
        if (isForNoisy) noisy.ended(worker)
        if (stopping) return
        if (isForNoisy) {
          const isExpected = code === 0 || started.isKilled
          log(isExpected ? 'info' : 'error', 'API worker of noisy clients ended', { code, signal })
          return
        }
        log('error', 'API worker ended', { code, signal })
        const restart = () => {
          if (!stopping) start().catch((error) => stopping || log('error', 'API worker did not start', { error }))
        }
        if (performance.now() - begun > RESTART_MS) restart()
        else setTimeout(restart, RESTART_MS).unref()
      })
    })
  }

  const noisy = createNoisyWorker({
    start: async () => {
      await start(true)
      // The previous one can still be ending.
      return [...workers].findLast(([, { isForNoisy }]) => isForNoisy)![0]
    },
    tell: (isOpen) => tellOthers({ kind: 'noisyOpen', isOpen }),
    stop: (worker) => send(worker, { kind: 'stop' }),
    kill(worker) {
      const started = workers.get(worker)
      if (started) started.isKilled = true
      worker.process.kill('SIGKILL')
    },
    maxBytes: Math.max(noisyBytes, LEAST_NOISY_BYTES),
    elapsed: () => performance.now(),
    log,
  })

  const removers = [
    driver.onBlock(publish),
    driver.onRollback(publish),
    driver.onPending(announce),
    driver.onHalt(publish),
    driver.onStatus?.(publish) ?? (() => undefined),
  ]

  async function close(): Promise<void> {
    stopping = true
    await Promise.all(
      [...workers.keys()].map(
        (worker) =>
          new Promise<void>((resolve) => {
            worker.once('exit', () => resolve())
            send(worker, { kind: 'stop' })
            setTimeout(() => worker.process.kill('SIGKILL'), STOP_MS).unref()
          }),
      ),
    )
    for (const remove of removers) remove()
  }

  try {
    const started = await Promise.all(Array.from({ length: options.workers }, () => start()))
    urls = started[0]!
    return {
      urls,
      usages: () => [...workers.values()].flatMap(({ usage }) => usage ?? []),
      computeStats: () => [...workers.values()].reduce((sum, { compute }) => addStats(sum, compute), ended),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Throws `failedPrecondition` for a second node with API workers in one process whose ports the system is to choose: all workers
 * of a process that open no particular port share one.
 */
function requireOwnPorts({ ports, config }: ApiPoolOptions['setup']): void {
  if (!Object.values(cluster.workers ?? {}).some((worker) => worker?.isConnected())) return
  const { rest, grpc, jsonrpc, comet } = config
  const chosen = [
    ...(rest.enabled ? [ports.rest] : []),
    ...(grpc.enabled ? [ports.grpc] : []),
    ...(jsonrpc.enabled ? [ports.jsonrpc, ports.ws] : []),
    ...(comet.enabled ? [ports.comet] : []),
  ]
  if (!chosen.includes(0)) return
  throw queryError(
    'failedPrecondition',
    'another node in this process has API workers: set every port of this one, or set api.workers to 0',
  )
}

/** Whether two statuses tell the same. */
function isSame(one: WorkerStatus, other: WorkerStatus): boolean {
  return (
    one.latestHeight === other.latestHeight &&
    one.latestTimeNs === other.latestTimeNs &&
    one.rollbacks === other.rollbacks &&
    one.halted === other.halted &&
    one.follow === other.follow &&
    one.catchingUp === other.catchingUp &&
    one.minGasPrice === other.minGasPrice
  )
}

/** Returns the ports of URLs and addresses; the previous port of a gateway that is off. */
function portsOf({ rest, grpc, jsonrpc, ws, comet }: GatewayUrls, before: ApiSetup['ports']): ApiSetup['ports'] {
  const portOf = (url: string | undefined, otherwise: number) => Number(/:(\d+)$/.exec(url ?? '')?.[1] ?? otherwise)
  return {
    rest: portOf(rest, before.rest),
    grpc: portOf(grpc, before.grpc),
    jsonrpc: portOf(jsonrpc, before.jsonrpc),
    ws: portOf(ws, before.ws),
    comet: portOf(comet, before.comet),
  }
}
