/** The node as a library: `startNode` for any chain, `testNode` for a chain whose blocks and clock a test controls. */

import type { Development } from '../consensus/driver.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { NS_PER_MS } from '../primitives/time.ts'
import type { DevAccount } from './accounts.ts'
import { type AssembledNode, assembleNode } from './assembly.ts'
import type { Build } from './build.ts'
import { configError, type PartialConfig, resolveConfig } from './config.ts'
import { parseConfigFile } from './config-file.ts'
import { diskFiles, type Files } from './files.ts'
import type { GatewayUrls } from './gateways.ts'
import { homePaths } from './home-paths.ts'
import { createLog, type Log } from './log.ts'
import { createLogRecords, type LogRecords, type NodeLogs } from './log-records.ts'
import { createProvider, type OwnProvider, type Provider } from './provider.ts'

/** Settings by section, as in `config.toml` but in camel case. Absent settings have their defaults. */
export interface NodeConfig extends PartialConfig {
  /** Folder of the chain. Without it the chain is in memory, and lost when the node stops. */
  readonly home?: string
  /** False opens no port; `query` works without one. Otherwise the system chooses every port that is not set. */
  readonly ports?: boolean
}

/** Clock, randomness, log and files that replace those of the system. */
export interface World {
  /** Wall clock, Unix milliseconds. */
  readonly clock?: () => number
  readonly random?: (length: number) => Uint8Array
  /** Receives the log. Without it, warnings and errors go to standard error. */
  readonly log?: Log
  readonly files?: Files
  /** Modules and upgrades that replace those of this build. */
  readonly build?: Build
}

/** URLs of the open ports. */
type OpenUrls = GatewayUrls & Required<Omit<GatewayUrls, 'metrics' | 'ipc'>>
/** The URLs of a node without ports. */
type NoUrls = { readonly [Name in keyof GatewayUrls]?: never }

/** A running node. One that was started with `ports: false` has no URLs. */
export interface Node<Urls extends GatewayUrls = OpenUrls> extends AsyncDisposable {
  readonly urls: Urls
  /** Accounts at m/44'/60'/0'/0/n, then those at m/44'/118'/0'/0/n. */
  readonly accounts: readonly [DevAccount, DevAccount, ...DevAccount[]]
  readonly chainId: string
  readonly evmChainId: number
  readonly mnemonic: string
  /** Latest committed height. */
  readonly height: bigint
  /** Makes a block now. Resolves with its height after the commit. */
  nextBlock(): Promise<bigint>
  /**
   * Moves the clock forward and makes a block if an epoch is over, or more if 20,000 are. 0 catches up with a `World.clock` that
   * has moved. Resolves with the latest height.
   */
  advance(seconds: number): Promise<bigint>
  /**
   * Answers a REST path with its JSON, without a port: `/chain/evm/v1/params`. Rejects with the failure, a `ChainError`, which is
   * `unavailable` once the node has stopped.
   */
  query(path: string): Promise<Record<string, unknown>>
  /** EIP-1193 provider with the methods and subscriptions of JSON-RPC, without a port. */
  readonly provider: Provider
  /** Answers a JSON-RPC call: `rpc('eth_blockNumber')`. A bigint is sent as a quantity. Rejects with a `ProviderRpcError`. */
  rpc<Result = unknown>(method: string, ...params: readonly unknown[]): Promise<Result>
  /** Remembers the state, on a development chain. Resolves with the id for `revert`. */
  snapshot(): Promise<string>
  /**
   * Returns the chain to a snapshot, which then no longer exists, nor do later ones. Rejects with `notFound` for an id that does
   * not exist.
   */
  revert(id: string): Promise<void>
  /** The records of the log from `log.level` on. */
  readonly logs: NodeLogs
  stop(): Promise<void>
}

/**
 * Starts a node. By default it is in memory, makes blocks on arrival, and has no workers, no feeder, and ports that the system
 * chooses. Several nodes can run in one process.
 */
export async function startNode(config: NodeConfig & { readonly ports: false }, world?: World): Promise<Node<NoUrls>>
export async function startNode(config?: NodeConfig, world?: World): Promise<Node>
export async function startNode(config: NodeConfig = {}, world: World = {}): Promise<Node<GatewayUrls>> {
  requireObject('the configuration', config)
  requireObject('the world', world)
  const { home, ports = true, ...sections } = config
  for (const [name, value] of Object.entries(sections)) if (value !== undefined) requireObject(name, value)
  if (home !== undefined && typeof home !== 'string') throw configError(`home is ${shown(home)}: it must be a path`)
  if (typeof ports !== 'boolean') throw configError(`ports is ${shown(ports)}: it must be true or false`)
  const files = world.files ?? diskFiles
  const clock = world.clock ?? Date.now
  const text = home === undefined ? undefined : files.read(homePaths(home).config)
  const resolved = resolveConfig({
    caller: {
      ...sections,
      api: { workers: 0, ...sections.api },
      compute: { workers: 0, ...sections.compute },
      feeder: { enabled: false, ...sections.feeder },
    },
    ...(text !== undefined && { file: parseConfigFile(text) }),
  })
  const ownLog = createLog({ format: 'text', level: 'warn', write: (line) => process.stderr.write(line), now: clock })
  const write = world.log ? withoutFailures(world.log, ownLog) : ownLog
  const records = createLogRecords(resolved.config.log.level, clock)
  const log: Log = (level, message, fields) => {
    records.add(level, message, fields)
    write(level, message, fields)
  }
  const assembled = await assembleNode({
    resolved,
    home,
    freePorts: true,
    openPorts: ports,
    log,
    clock,
    files,
    ...(world.random && { random: world.random }),
    ...(world.build && { build: world.build }),
  })
  return nodeOf(assembled, records)
}

const shown = (value: unknown): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value))

/** Throws `invalidArgument` with the name unless a value is an object. */
function requireObject(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
  throw configError(`${name} is ${shown(value)}: it must be an object`)
}

/** Noon of the first day of 2024: the genesis time of a test chain. */
const TEST_TIME_MS = Date.UTC(2024, 0, 1, 12)

/** Starts a node whose clock is fixed and whose blocks only `nextBlock` makes: every run is the same. */
export async function testNode(config: NodeConfig & { readonly ports: true }, world?: World): Promise<Node>
export async function testNode(config?: NodeConfig, world?: World): Promise<Node<NoUrls>>
export async function testNode(config: NodeConfig = {}, world: World = {}): Promise<Node<GatewayUrls>> {
  requireObject('the configuration', config)
  return startNode(
    { ports: false, ...config, blocks: { time: 'manual', ...config.blocks } },
    { clock: () => TEST_TIME_MS, ...world },
  )
}

/** Returns a log whose failures do not reach the chain. The first one is reported to `fallback`. */
function withoutFailures(log: Log, fallback: Log): Log {
  let reported = false
  return (level, message, fields) => {
    try {
      log(level, message, fields)
    } catch (error) {
      if (!reported) fallback('error', 'the log of the caller fails', { error, record: message })
      reported = true
    }
  }
}

function developmentOf({ gateway }: AssembledNode): Development {
  const { development } = gateway.driver
  if (development) return development
  throw queryError('failedPrecondition', 'snapshots exist on a development chain only: node.dev without chain.genesis')
}

const STOPPED = 'the node has stopped'

/** Runs a call of the library. An error has the frames of its caller, since an expected failure records none where it happens. */
async function located<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ChainError && error.status !== 'internal') Error.captureStackTrace(error)
    throw error
  }
}

/** Returns seconds as nanoseconds. Throws 3 for what is not a number from 0. */
function stepNs(seconds: number): bigint {
  if (!(seconds >= 0 && seconds < Number.MAX_SAFE_INTEGER))
    throw queryError('invalidArgument', `advance: ${seconds} seconds: must be a number from 0`)
  return BigInt(Math.round(seconds * 1000)) * NS_PER_MS
}

function nodeOf(node: AssembledNode, records: LogRecords): Node<GatewayUrls> {
  let stopping: Promise<void> | undefined
  let own: OwnProvider | undefined
  const provider = () => {
    own ??= createProvider(node.gateway)
    if (stopping) own.disconnect(STOPPED)
    return own
  }
  const stop = () => {
    own?.disconnect(STOPPED)
    stopping ??= node.stop().finally(records.end)
    return stopping
  }
  const requireRunning = () => {
    if (stopping) throw queryError('unavailable', STOPPED)
  }
  const requireProduction = () => {
    requireRunning()
    if (!node.production) throw queryError('failedPrecondition', 'CometBFT decides when a block is made')
    return node.production
  }
  return {
    urls: node.urls,
    // `chain.accounts` is at least 1, for each of two paths.
    accounts: node.accounts as Node['accounts'],
    chainId: node.chainId,
    get evmChainId() {
      return Number(node.gateway.evmChainId)
    },
    mnemonic: node.config.chain.mnemonic,
    get height() {
      return node.height
    },
    nextBlock: () => located(() => requireProduction().nextBlock()),
    advance: (seconds) => located(() => requireProduction().advance(stepNs(seconds))),
    query: (path) =>
      located(async () => {
        requireRunning()
        const { createRestHandler } = await import('../api/rest/rest.ts')
        const answer = await createRestHandler(node.gateway)(path)
        if (answer.error) throw answer.error
        const body = JSON.parse(answer.body) as Record<string, unknown>
        if (answer.status >= 400) throw queryError('unknown', String(body['message'] ?? `status ${answer.status}`))
        return body
      }),
    get provider() {
      return provider()
    },
    async rpc<Result>(method: string, ...params: readonly unknown[]) {
      return (await provider().request({ method, params })) as Result
    },
    snapshot: () =>
      located(() => {
        requireRunning()
        return `0x${developmentOf(node).snapshot().toString(16)}`
      }),
    revert: (id) =>
      located(async () => {
        requireRunning()
        const number = /^0x[0-9a-f]{1,16}$/i.test(id) ? BigInt(id) : undefined
        if (number === undefined) throw queryError('invalidArgument', `snapshot "${id}": must be an id from snapshot()`)
        if (!(await developmentOf(node).revert(number))) throw queryError('notFound', `snapshot ${id} does not exist`)
      }),
    logs: records.logs,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
