/** Entry of an API worker: REST, gRPC and JSON-RPC over its own reads; transactions and heavy work go to the main process. */
import type { Engine } from '../../api/engine.ts'
import type { Compute, Observe, PartTaker } from '../../api/gateway.ts'
import { forwardedMethods } from '../../api/jsonrpc/forwarded.ts'
import { createApplication } from '../../app/application.ts'
import { createJobs } from '../../app/jobs.ts'
import type { StoredBlock } from '../../app/records.ts'
import type { CheckResult } from '../../app/types.ts'
import type { Driver, PendingTx } from '../../consensus/driver.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { openBlockIndex } from '../../indexer/block-index.ts'
import { queryError } from '../../primitives/errors.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { parseBlockTime } from '../config.ts'
import { createGatewayNode } from '../gateway-node.ts'
import { openGateways } from '../gateways.ts'
import { readiness } from '../health.ts'
import { createAttempt } from '../light-compute.ts'
import { openLmdb } from '../lmdb.ts'
import { createLog } from '../log.ts'
import { storeOptionsOf } from '../profile.ts'
import { createStateReader } from '../state-reader.ts'
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

const waiting = new Map<number, Waiting>()
let lastId = 0
let status: ApiSetup['status'] | undefined
/** Drops what is remembered of blocks that were taken back. */
let forgetBlocks = (): void => {}

const tell = (message: FromApiWorker) => void process.send!(message)

/** Asks the main process. */
function ask(question: Ask, signal?: AbortSignal, onPart?: PartTaker): Promise<unknown> {
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

const elsewhere = (what: string) => () => {
  throw queryError('unimplemented', `${what} is served by the main process`)
}

/** Who hears of what the main process tells. */
const heard = {
  block: new Set<(block: StoredBlock) => void>(),
  pending: new Set<(tx: PendingTx) => void>(),
  rollback: new Set<(height: bigint) => void>(),
}

function listen<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Reads a block that was committed; undefined before the chain is open. */
let blockAt = (_height: bigint): StoredBlock | undefined => undefined

/** The chain has moved: listeners get each block that is new to them. */
function follow(before: DriverStatus, now: DriverStatus): void {
  const wentBack = before.rollbacks !== now.rollbacks
  if (wentBack) {
    forgetBlocks()
    for (const listener of heard.rollback) listener(now.latestHeight)
  }
  if (heard.block.size === 0) return
  for (let height = before.latestHeight + 1n; height <= now.latestHeight; height++) {
    const block = blockAt(height)
    if (block) for (const listener of heard.block) listener(block)
  }
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
  onBlock: (listener) => listen(heard.block, listener),
  onPending: (listener) => listen(heard.pending, listener),
  onRollback: (listener) => listen(heard.rollback, listener),
  status: () => status!,
  stop: async () => undefined,
}

/** Runs a job in the compute pool of the main process. */
const computeElsewhere: Compute['run'] = (job, payload, { height, signal, timeoutMs, onPart }) =>
  ask({ kind: 'compute', job, payload, height, timeoutMs, inParts: onPart !== undefined }, signal, onPart)

async function serve({ dataPath, config, profile, chainId, genesis, facts, ports }: ApiSetup): Promise<void> {
  const log = createLog({ ...config.log, write: (line) => process.stderr.write(line), now: Date.now })
  const identity = createIdentity(profile)
  const backend = openLmdb(dataPath, { readOnly: true })
  const store = openVersionedStore(backend, storeOptionsOf(identity))
  const evmChainId = evmChainIdOf(identity, chainId)
  const app = createApplication({
    identity,
    chainId,
    evmChainId,
    settings: { minGasPrices: config.api.minGasPrice },
    onBug: (error) => log('error', 'a transaction failed unexpectedly', { error }),
  })
  const blocks = openBlockIndex(backend, () => store.latestHeight())
  const withContext = createStateReader(store, blocks, app)
  const jobs = createJobs(app)
  const compute: Compute = {
    attempt: createAttempt({ jobs, withContext, elapsed: () => performance.now() }),
    run: computeElsewhere,
  }
  forgetBlocks = () => blocks.forgetAbove(0n)
  blockAt = (height) => blocks.block(height)
  const engine: Engine = {
    ...facts,
    genesis: () => genesis,
    check: elsewhere('checking a transaction'),
    simulate: async (tx, signal) =>
      (await compute.run('simulate', { tx }, { ...(signal && { signal }) })) as CheckResult,
  }
  const node = createGatewayNode({
    config,
    identity,
    chainId,
    evmChainId,
    queries: app.queries,
    jobs: Object.keys(jobs),
    compute,
    blocks,
    driver,
    withContext,
    engine,
    devKeys: undefined,
    ...(config.metrics.enabled && { observe: createCounter() }),
    log,
    now: Date.now,
  })
  const off = { enabled: false }
  const { urls } = await openGateways({
    node,
    engine,
    config: {
      ...config,
      comet: { ...config.comet, ...off },
      metrics: { ...config.metrics, ...off },
    },
    portOf: (section, name) => (name === 'wsPort' ? ports.ws : ports[section as 'rest' | 'grpc' | 'jsonrpc']),
    rpcMethods: forwardedMethods((method, params, signal) => ask({ kind: 'rpc', method, params }, signal)),
    // Workers that share ports chosen by the system must ask for them in the same order.
    ready: () => readiness(driver, parseBlockTime(config.blocks.time)!, Date.now()),
    renderMetrics: () => '',
  })
  tell({ kind: 'listening', urls: { ...urls } })
}

const REPORT_MS = 500

/** Counts answers, and tells the main process of them now and then. */
function createCounter(): Observe {
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

process.on('message', (message: ToApiWorker) => {
  if (message.kind === 'setup') {
    status = message.setup.status
    serve(message.setup).catch((error) => tell({ kind: 'failed', error: packError(error) }))
  } else if (message.kind === 'status') {
    const before = status!
    status = message.status
    follow(before, status)
  } else if (message.kind === 'pending') {
    for (const listener of heard.pending) listener(message.tx)
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
