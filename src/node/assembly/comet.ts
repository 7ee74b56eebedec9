/** CometBFT as the engine of a node: its sockets, its process if this node runs it, and the driver. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { answerAbciQuery } from '../../api/abci-query.ts'
import type { NodeEnvironment } from '../../api/node-info.ts'
import { APPLICATION_NAME } from '../../api/software.ts'
import { startComet } from '../../consensus/cometbft/comet.ts'
import { NO_JOURNAL } from '../../consensus/cometbft/kept-txs.ts'
import type { ServedSnapshots } from '../../consensus/cometbft/serve-state.ts'
import { type EngineSocket, openEngineSocket } from '../../consensus/cometbft/waiting.ts'
import type { Driver } from '../../consensus/driver.ts'
import type { Executor } from '../../consensus/execution.ts'
import type { MempoolLimits } from '../../consensus/solo/mempool.ts'
import type { RequestQuery } from '../../gen/tendermint/abci/types_pb.ts'
import { createIdentity } from '../../identity/identity.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Progress } from '../../primitives/progress.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import type { OpenedChain } from '../chain.ts'
import { configError, parseMilliseconds, type ResolvedConfig } from '../config.ts'
import { prepareEngineHome, whyNotSigning } from '../engine/engine-home.ts'
import { findEngine, startEngineProcess } from '../engine/engine-process.ts'
import { requireSafeVersion, versionOf } from '../engine/engine-version.ts'
import { endFormerEngine } from '../engine/former-engine.ts'
import { createHttpRpc } from '../engine/http-rpc.ts'
import { openTxJournal } from '../engine/tx-journal.ts'
import { diskFiles, type Files } from '../files.ts'
import { type Log, moduleLog } from '../log.ts'
import { parseLogLevels } from '../log-levels.ts'
import { movedPort } from '../ports.ts'
import type { Config } from '../settings.ts'
import { VERSION } from '../version.ts'
import { showCatchUp } from './catch-up.ts'

/** Value of `consensus.program` for an engine of another supervisor. */
const ELSEWHERE = 'none'

/** Returns the settings of a node under CometBFT, whose chain has no embedded feeder. Throws for settings of solo. */
export function settingsUnderEngine(resolved: ResolvedConfig): ResolvedConfig {
  const { config, origins } = resolved
  if (config.consensus.engine !== 'cometbft') return resolved
  if (config.feeder.enabled && origins.get('feeder.enabled') !== 'default')
    throw configError('feeder.enabled (--feeder) needs consensus solo: run `almanac feeder` beside the node')
  if (!/^http:\/\/(\[[0-9a-fA-F:]+\]|[^/:@]+):\d{1,5}\/?$/.test(config.consensus.rpc)) {
    throw configError(
      `consensus.rpc (--engine-rpc) is "${config.consensus.rpc}": it must be http://HOST:PORT, such as http://127.0.0.1:26667`,
    )
  }
  const consensus = config.consensus.program === ELSEWHERE ? config.consensus : movedPorts(config)
  return { ...resolved, config: { ...config, consensus, feeder: { ...config.feeder, enabled: false } } }
}

/** Returns the settings of an engine that this node runs, with its ports moved as those of the gateways. */
function movedPorts({ consensus, node: { portOffset } }: Config): Config['consensus'] {
  if (portOffset === 0) return consensus
  const moved = (name: 'rpc' | 'p2p'): string => {
    const [, start, port, end] = /^(.*:)(\d+)(\/?)$/.exec(consensus[name]) ?? []
    if (start === undefined) return consensus[name]
    return `${start}${movedPort(Number(port), portOffset, `consensus.${name}`)}${end}`
  }
  return { ...consensus, rpc: moved('rpc'), p2p: moved('p2p') }
}

/** Opens the sockets for CometBFT, before the chain: its document can come from the engine. Undefined for a solo node. */
export async function openSocket(
  { config }: ResolvedConfig,
  home: string | undefined,
  isNew: boolean,
  all: Log,
  undo: (() => unknown)[],
): Promise<EngineSocket | undefined> {
  const log = moduleLog(all, 'engine')
  const { engine, program, abci } = config.consensus
  if (engine !== 'cometbft') return undefined
  let address = abci
  if (address === '') {
    const folder = home ?? mkdtempSync(join(tmpdir(), 'almanac-engine-'))
    if (home === undefined) undo.push(() => rmSync(folder, { recursive: true, force: true }))
    else mkdirSync(folder, { recursive: true })
    address = `unix://${join(folder, 'abci.sock')}`
  }
  const begins = isNew && program === ELSEWHERE && config.chain.genesis === ''
  const socket = await openEngineSocket({
    address,
    begins: begins ? { data: APPLICATION_NAME, version: VERSION } : undefined,
    onFailure: (error) => log('error', 'a request of the engine failed, so that it stops', { error }),
    onBadClient: (error) => log('warn', 'a client of the ABCI address was disconnected', { error }),
  })
  undo.push(() => socket.close())
  if (program === ELSEWHERE) log('info', 'waiting for the engine', { abci: socket.address })
  return socket
}

/** Returns the settings with the document of the engine's InitChain, if a new chain begins with it. */
export async function withEngineGenesis(
  resolved: ResolvedConfig,
  socket: EngineSocket | undefined,
  isNew: boolean,
  undo: (() => unknown)[],
): Promise<ResolvedConfig> {
  const { config, origins } = resolved
  if (!socket || !isNew || config.consensus.program !== ELSEWHERE || config.chain.genesis !== '') return resolved
  const genesis = await socket.genesis
  const folder = mkdtempSync(join(tmpdir(), 'almanac-init-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'genesis.json')
  diskFiles.write(path, JSON.stringify(genesis))
  return {
    ...resolved,
    config: { ...config, chain: { ...config.chain, genesis: path } },
    origins: new Map([...origins, ['chain.genesis', 'flag']]),
  }
}

/** Whether this node does not run the engine itself. */
export const runsElsewhere = ({ program }: OpenedChain['config']['consensus']): boolean => program === ELSEWHERE

/** The engine of a node, which runs from its first `start` on. For one that runs elsewhere it does nothing. */
export interface EngineRunner {
  start(): Promise<void>
  /** Rejects if the process ends by itself. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

/** Creates the runner. `onExit` is called if the engine ends by itself. */
export function createEngineRunner(
  chain: OpenedChain,
  { address }: EngineSocket,
  files: Files,
  log: Log,
  onExit: (reason: string) => void,
  undo: (() => unknown)[],
): EngineRunner {
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => undefined)
  let stopEngine: (() => Promise<void>) | undefined
  let started: Promise<void> | undefined

  async function run(): Promise<void> {
    stopEngine = await runEngine(chain, address, files, log, undo, (reason) => {
      fail(queryError('unavailable', reason))
      onExit(reason)
    })
  }

  const stop = async (): Promise<void> => stopEngine?.()
  undo.push(stop)
  return {
    start() {
      if (!runsElsewhere(chain.config.consensus)) started ??= run()
      return started ?? Promise.resolve()
    },
    failed,
    stop,
  }
}

interface Parts {
  readonly chain: OpenedChain
  readonly socket: EngineSocket
  readonly engine: EngineRunner
  readonly snapshots: ServedSnapshots | undefined
  readonly executor: Executor
  readonly limits: MempoolLimits
  readonly isLocal: (sender: string) => boolean
  readonly clock: () => number
  readonly elapsed: () => number
  readonly log: Log
  /** Draws bars on a terminal; absent where the log shows the work. */
  readonly bar: Progress | undefined
}

/** Serves CometBFT, and runs it unless another supervisor does. Resolves once the chain has a block. */
export async function startCometEngine(
  { chain, socket, engine, snapshots, executor, limits, isLocal, clock, elapsed, log: all, bar }: Parts,
  undo: (() => unknown)[],
): Promise<{ readonly driver: Driver; readonly serveQueries: (node: () => NodeEnvironment) => void }> {
  const log = moduleLog(all, 'engine')
  const { consensus, store } = chain.config
  let environment: (() => NodeEnvironment) | undefined

  async function query({ path, data, height, prove }: RequestQuery) {
    if (!environment) throw queryError('unavailable', 'the node is starting')
    const { proofOps, ...answer } = await answerAbciQuery(environment(), { path, data, height, prove })
    return { ...answer, ...(proofOps && { proofOps }) }
  }

  const comet = startComet({
    executor,
    genesis: chain.genesis,
    socket,
    rpc: createHttpRpc(consensus.rpc),
    name: APPLICATION_NAME,
    version: VERSION,
    keepHeights: store.keep,
    hasWholeHeaders: createIdentity(chain.profile).behaviours.wholeHeadersInStaking,
    journal: chain.home ? openTxJournal(join(chain.home.paths.data, 'waiting.txs')) : NO_JOURNAL,
    snapshots,
    limits,
    isLocal,
    query,
    onOffer: () =>
      log('error', 'the engine has no blocks and this node has: it cannot restore a snapshot', {
        remedy:
          'stop the node, and delete of its home the folder data and all in engine/data but priv_validator_state.json to begin again',
      }),
    onInfo: ({ version, abciVersion }) =>
      log('info', 'the engine has connected', { version, abci_version: abciVersion }),
    now: clock,
    elapsed,
    onFailure: (what, error) => log('warn', what, { error }),
  })
  undo.push(() => comet.stop())
  const onBlock = showCatchUp({ status: comet.status, elapsed, log, bar })
  executor.onBlock(({ header }) => onBlock(header.height, clock() - Number(header.timeNs / NS_PER_MS)))
  // Stops before the parts that it uses, also if it runs already.
  undo.push(engine.stop)
  await engine.start()
  await Promise.race([comet.firstBlock, engine.failed])
  return {
    driver: comet,
    serveQueries(node) {
      environment = node
    },
  }
}

/** Starts the engine of this node, and returns the function that stops it. */
async function runEngine(
  { config, home, genesis, validatorKeys }: OpenedChain,
  abci: string,
  files: Files,
  all: Log,
  undo: (() => unknown)[],
  onExit: (reason: string) => void,
): Promise<() => Promise<void>> {
  const log = moduleLog(all, 'engine')
  const { program, rpc, p2p, peers } = config.consensus
  const path = findEngine(program)
  const version = versionOf(path)
  requireSafeVersion(version)
  const root = home ? resolve(home.paths.engine) : mkdtempSync(join(tmpdir(), 'almanac-engine-'))
  if (!home) undo.push(() => rmSync(root, { recursive: true, force: true }))
  await endFormerEngine(root, files, log)
  prepareEngineHome(path, root, genesis, validatorKeys[0]!, files)
  const notSigning = whyNotSigning(root, genesis, files)
  if (notSigning) log('warn', notSigning)
  const engine = startEngineProcess({
    path,
    home: root,
    abci,
    rpc: `tcp://${new URL(rpc).host}`,
    unsafeRpc: config.comet.unsafe,
    moniker: config.node.moniker,
    p2p,
    peers,
    intervalMs: parseMilliseconds(config.blocks.time),
    stateSync: config.statesync.enabled ? config.statesync : undefined,
    files,
    log,
    logsDebug: parseLogLevels(config.log.level)!.allows('debug', 'engine'),
    onExit,
  })
  log('info', 'the engine runs', { program: path, version, p2p })
  return engine.stop
}
