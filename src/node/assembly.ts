/** The assembly of a node: storage, state machine, engine, compute pool, gateways. No other file depends on all of them. */
import type { GatewayNode } from '../api/gateway.ts'
import type { Methods } from '../api/jsonrpc/method.ts'
import type { CometNodeInfo } from '../api/node-info.ts'
import { ownPorts } from '../api/transport/ports.ts'
import { createJobs } from '../app/jobs.ts'
import { modules } from '../app/modules.ts'
import type { CheckResult } from '../app/types.ts'
import { unbuiltSections } from '../app/unbuilt-sections.ts'
import { ofSize } from '../consensus/admission.ts'
import type { BlockProduction, BlockTiming } from '../consensus/driver.ts'
import type { Executor } from '../consensus/execution.ts'
import { createOwnValidators } from '../consensus/validators.ts'
import { createIdentity, evmChainIdOf } from '../identity/identity.ts'
import type { Identity } from '../identity/types.ts'
import type { Amendment } from '../modules/evm/keeper.ts'
import { equal } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import type { Progress } from '../primitives/progress.ts'
import { NS_PER_MS } from '../primitives/time.ts'
import type { ReadContext } from '../sdk/context.ts'
import { readTip } from '../store/history/heights.ts'
import { type DevAccount, deriveAccounts } from './accounts.ts'
import { startApiWorkers, withoutWorkerGateways } from './assembly/api-workers.ts'
import { beginReplica } from './assembly/begin-replica.ts'
import { createEngineRunner, openSocket, settingsUnderEngine, withEngineGenesis } from './assembly/comet.ts'
import { createDevelopmentTools } from './assembly/development.ts'
import { startEngine } from './assembly/engine.ts'
import { settingsOfReplica, withNodeGenesis } from './assembly/follow.ts'
import { refuseSettings } from './assembly/refused-settings.ts'
import { openStateMachine } from './assembly/state-machine.ts'
import { receiveState } from './assembly/state-sync.ts'
import { openSnapshots, openStorage } from './assembly/storage.ts'
import type { Build } from './build.ts'
import { type OpenedChain, openChain } from './chain.ts'
import { logChain, observerOf } from './chain-log.ts'
import { parseBlockTime, parseMemory, type ResolvedConfig } from './config.ts'
import { warnOfFewDescriptors } from './descriptors.ts'
import { asDamage, requireReadableIfShort } from './doctor/readable.ts'
import { engineRpcOf } from './engine/http-rpc.ts'
import { fedValidators, startEmbeddedFeeder } from './feeder/embedded.ts'
import { watchVoters } from './few-voters.ts'
import { diskFiles, type Files, freeBytes } from './files.ts'
import { createGatewayNode, devKeysOf, isDevelopment } from './gateway-node.ts'
import { type GatewayUrls, openGateways } from './gateways.ts'
import type { HaltNotice } from './halts.ts'
import { networkTiming, readiness } from './health.ts'
import { homePaths } from './home-paths.ts'
import { keepLog } from './kept-log.ts'
import { requireSafeDocument, requireSafeKeys, warnOfReadableKeys } from './key-safety.ts'
import { createLog, type Log } from './log.ts'
import { logProgress } from './log-progress.ts'
import { hasDatabase, recordFirstBlock, requireChain } from './lost-chain.ts'
import { requireMnemonic } from './mnemonic.ts'
import { openCompute } from './open-compute.ts'
import { choosePorts, type PortFlags, requireDistinctPorts } from './ports.ts'
import { requireFitForPublic, settingsOfPublicNode, warnOfOneAddress, withPublicPrice } from './public-node.ts'
import { writeRunFile } from './run-file.ts'
import type { Config } from './settings.ts'
import { openSnapshotFolder } from './snapshots/folder.ts'
import { createStateReader } from './state-reader.ts'
import { logFailedPayouts } from './unpaid-shares.ts'
import { unwind } from './unwind.ts'
import type { ValidatorKey } from './validator-key.ts'
import type { NodeFacts } from './workers/messages.ts'
import { addStats, NO_STATS } from './workers/pool-stats.ts'

export interface AssemblyOptions {
  readonly resolved: ResolvedConfig
  /** Folder of the chain; undefined for a chain that is deleted at its end. */
  readonly home: string | undefined
  /** Whether the system chooses every port that is not set; false uses the default ports. */
  readonly freePorts: boolean
  /** False opens no port. */
  readonly openPorts?: boolean
  readonly log: Log | undefined
  /** Writes a line of the log that is created if there is no `log`; on standard error by default. */
  readonly writeLog?: (line: string) => void
  /** Shows long work: the import of a genesis document, upgrades, and catching up. The log does by default. */
  readonly progress?: Progress
  /** Wall clock, Unix milliseconds. */
  readonly clock?: () => number
  readonly random?: (length: number) => Uint8Array
  readonly files?: Files
  /** Modules and upgrades that replace those of this build. */
  readonly build?: Build
  /** Returns changes to the genesis state of a new development chain. */
  readonly amendments?: (ctx: ReadContext) => readonly Amendment[]
  /** Prepares the chain before a port opens. If it rejects, so does the start. */
  readonly prepare?: (gateway: GatewayNode) => Promise<void>
  /** JSON-RPC methods that replace those of the same name, where this process serves the gateways. */
  readonly rpcMethods?: Methods
  readonly portFlags?: PortFlags
  /** Called when the chain has halted. Ending the node, if the halt demands it, is the caller's task. */
  readonly onHalt?: (notice: HaltNotice) => void
  /** Called if the process of CometBFT ends by itself. Ending the node is the caller's task. */
  readonly onEngineExit?: (reason: string) => void
  /** Called when the chain is open, before API workers and ports are. A process that ends from then on needs a clean stop. */
  readonly onOpen?: () => void
}

export interface AssembledNode {
  readonly config: Config
  readonly identity: Identity
  readonly chainId: string
  readonly evmChainId: bigint
  readonly genesisTime: string
  readonly accounts: readonly DevAccount[]
  readonly urls: GatewayUrls
  readonly height: bigint
  /** Block timing at the start; development tools can change it. */
  readonly timing: BlockTiming
  readonly gateway: GatewayNode
  readonly nodeInfo: CometNodeInfo
  readonly log: Log
  /** Absent if CometBFT decides the blocks. */
  readonly production: BlockProduction | undefined
  stop(): Promise<void>
}

/** Starts a node. Rejects with a `ChainError` that names cause and remedy; opened parts are closed. */
export async function assembleNode(options: AssemblyOptions): Promise<AssembledNode> {
  const undo: (() => unknown)[] = []
  try {
    return await assemble(options, undo)
  } catch (error) {
    // The cause of the failed start is more useful than a failure to close a part afterwards.
    await unwind(undo).catch(() => undefined)
    throw error
  }
}

/** Opens the parts of a node, each after those it depends on, and adds the steps that close them to `undo`. */
async function assemble(options: AssemblyOptions, undo: (() => unknown)[]): Promise<AssembledNode> {
  const { build, onHalt, openPorts = true, clock = Date.now, files = diskFiles } = options
  const { writeLog = (line: string) => process.stderr.write(line) } = options
  const elapsed = () => performance.now()

  const isNew = isFirstStart(options, files)
  await refuseSettings(options.resolved, build, isNew)
  if (isNew) {
    const { config, origins } = options.resolved
    requireFitForPublic(
      settingsOfPublicNode(options.resolved).config,
      options.home === undefined ? undefined : homePaths(options.home),
      files,
    )
    requireSafeKeys(config)
    if (origins.get('chain.mnemonic') !== 'default') await requireMnemonic(config.chain.mnemonic)
  }
  const asked = settingsOfPublicNode(settingsOfReplica(settingsUnderEngine(options.resolved)))
  if (openPorts) requireDistinctPorts(asked.config, choosePorts(asked.config, asked, options))
  const plain = options.log ?? createLog({ ...asked.config.log, write: writeLog, now: clock })
  const progress = options.progress ?? logProgress(plain, elapsed)
  const socket = await openSocket(asked, options.home, isNew, plain, undo)
  const begun = await withEngineGenesis(asked, socket, isNew, undo)
  const resolved = await withNodeGenesis(begun, isNew, plain, undo)
  const chain = withPublicPrice(openChain({ ...options, resolved, progress }, files, clock, undo), resolved)
  const { config, profile, genesis, validatorKeys } = chain
  requireFitForPublic(config, chain.home?.paths, files)
  const kept = isDevelopment(config) ? keepLog(plain, config.log.level, clock) : undefined
  const log = kept?.log ?? plain
  const warning = requireSafeKeys(config)
  if (warning) log('warn', warning)
  if (chain.home) warnOfReadableKeys(chain.home.paths, files, log)
  const identity = createIdentity(profile)
  const found = requireSafeDocument(config, genesis, identity)
  if (found) log('warn', found)
  warnOfFewDescriptors(config, log)
  warnOfOneAddress(config, log)
  const chainId = genesis.chain_id
  const evmChainId = evmChainIdOf(identity, chainId)
  const validators = createOwnValidators(validatorKeys)

  const onEngineExit = options.onEngineExit ?? (() => undefined)
  const engine = socket && createEngineRunner(chain, socket, files, log, onEngineExit, undo)
  await receiveState({ chain, socket, engine, build, log }, undo)
  await beginReplica(chain, build, log)

  if (chain.home) {
    // Before it is opened, which would create it.
    requireChain(chain, hasDatabase(chain.home.paths), files)
    await requireReadableIfShort(chain.home.paths)
  }
  const { dataPath, backend, store } = await openStorage(chain, identity, log, undo).catch((error: unknown) => {
    throw chain.home ? asDamage(error) : error
  })
  requireChain(chain, readTip(backend).height > 0, files)
  const snapshots = openSnapshots(chain, identity, store, log)

  const admission = { minGasPrices: config.api.minGasPrice }
  const development = isDevelopment(config)
    ? createDevelopmentTools({ admission, baseDenom: identity.baseDenom, validators, log })
    : undefined
  const app = openStateMachine({
    chain,
    identity,
    chainId,
    evmChainId,
    admission,
    print: development?.print,
    build,
    store,
    files,
    log,
    progress,
  })

  const metrics = config.metrics.enabled ? (await import('./metrics.ts')).createMetrics() : undefined
  const fed = config.feeder.enabled ? fedValidators(genesis, config.chain.mnemonic, identity, validators) : []
  const timing = initialTiming(resolved, config, fed.length > 0)
  const { executor, driver, production, serveQueries } = await startEngine(
    {
      chain,
      app,
      store,
      validators,
      timing,
      development,
      metrics,
      files,
      clock,
      elapsed,
      log,
      onHalt,
      socket,
      engine,
      snapshots,
      progress,
      bar: options.progress,
      amendments: options.amendments,
    },
    undo,
  )
  recordFirstBlock(chain, files, executor.committedHeight(), driver.onBlock)
  warnOf(chain, executor, log)
  if (!isDevelopment(config)) warnOfClock(executor.tip().timeNs, clock(), log)

  const withContext = createStateReader(store, executor.blocks, app)
  const jobs = createJobs(app)
  const idle = config.api.workers > 0 && openPorts
  const compute = openCompute({ config, dataPath, profile, chainId, withContext, jobs, log, elapsed, build, idle })
  undo.push(() => compute.stop())

  const facts = factsOf(config, validatorKeys[0]!)
  const nodeInfo: CometNodeInfo = {
    ...facts,
    engine: engineRpcOf(config),
    ...(chain.home && { snapshots: openSnapshotFolder(chain.home.paths.snapshots) }),
    genesis: () => genesis,
    check: ofSize(parseMemory(config.mempool.maxTxBytes)!, executor.checkState.probe),
    simulate: async (tx, signal) => (await compute.run('simulate', { tx }, { signal })) as CheckResult,
  }
  let derived: readonly DevAccount[] | undefined
  const accounts = () => {
    derived ??= deriveAccounts(config.chain.mnemonic, config.chain.accounts, identity, config.chain.derivationPath)
    return derived
  }
  const gateway = createGatewayNode({
    ports: ownPorts,
    config,
    identity,
    chainId,
    evmChainId,
    queries: app.queries,
    jobs: Object.keys(jobs),
    compute,
    blocks: executor.blocks,
    driver,
    withContext,
    nodeInfo,
    minGasPrice: () => admission.minGasPrices,
    devKeys: devKeysOf(config, accounts),
    observe: observerOf(metrics?.request, config.log.requests ? log : undefined),
    print: development?.print,
    recentLog: kept?.recentLog,
    log,
    now: clock,
  })
  serveQueries(() => ({ node: gateway, nodeInfo }))
  // The parameters of a chain that is followed are not the operator's.
  if (config.consensus.engine !== 'follow') undo.push(watchVoters(gateway, log))
  undo.push(logFailedPayouts(gateway, log))
  if (config.log.chain) undo.push(logChain(gateway, log))
  if (fed.length > 0 && production) {
    const { seed } = config.feeder
    undo.push(startEmbeddedFeeder({ gateway, beforeBlock: production.beforeBlock, validators: fed, seed, log }))
  }

  await options.prepare?.(gateway)
  options.onOpen?.()
  const portOf = choosePorts(config, resolved, options)
  const apiPool =
    config.api.workers > 0 && openPorts
      ? await startApiWorkers(
          {
            chain,
            dataPath: dataPath!,
            facts,
            gateway,
            nodeInfo,
            portOf,
            portFlags: options.portFlags,
            build,
            metrics,
          },
          undo,
        )
      : undefined
  const gateways = openPorts
    ? await openGateways({
        node: gateway,
        comet: { nodeInfo },
        config: apiPool ? withoutWorkerGateways(config) : config,
        portOf,
        portFlags: options.portFlags,
        ...(options.rpcMethods && { rpcMethods: options.rpcMethods }),
        ready: () => readiness(driver, driver.production?.timing() ?? networkTiming(config), clock()),
        renderMetrics: async () => {
          const { halted, catchingUp, follow, latestTimeNs } = driver.status()
          const rendered = await metrics?.render({
            chainId,
            height: store.latestHeight(),
            earliestHeight: store.earliestHeight(),
            tipTimeSeconds: Number(latestTimeNs / NS_PER_MS) / 1000,
            isHalted: halted !== undefined,
            isCatchingUp: catchingUp,
            follow,
            mempool: driver.pool?.pendingCount() ?? { count: 0, sizeBytes: 0 },
            compute: addStats(compute.stats(), apiPool?.computeStats() ?? NO_STATS),
            workers: apiPool?.usages() ?? [],
            databaseBytes: dataPath === undefined ? undefined : backend.sizeBytes(),
            diskFreeBytes: dataPath === undefined ? undefined : freeBytes(dataPath),
          })
          return rendered ?? ''
        },
      })
    : undefined
  if (gateways) undo.push(() => gateways.close())
  const { ipc } = config.jsonrpc
  if (openPorts && ipc !== '') {
    const { openIpc } = await import('../api/jsonrpc/ipc.ts')
    const server = await openIpc(gateway, ipc, options.rpcMethods)
    undo.push(() => server.close())
  }
  const urls = { ...apiPool?.urls, ...gateways?.urls, ...(openPorts && ipc !== '' && { ipc }) }
  if (options.home !== undefined) undo.push(writeRunFile(options.home, urls, files))
  undo.push(async () => {
    await driver.drain()
    // The clients that waited are answered while the gateways are open.
    await new Promise((resolve) => setImmediate(resolve))
  })

  return {
    config,
    identity,
    chainId,
    evmChainId,
    genesisTime: genesis.genesis_time,
    get accounts() {
      return accounts()
    },
    urls,
    get height() {
      return driver.status().latestHeight
    },
    timing,
    gateway,
    nodeInfo,
    log,
    production,
    stop: () => unwind(undo),
  }
}

/** Whether this start creates a chain. */
function isFirstStart({ home }: AssemblyOptions, files: Files): boolean {
  return home === undefined || !files.exists(homePaths(home).record)
}

/** Returns the configured timing. Without one, a chain with a feeder makes blocks on arrival and each second. */
function initialTiming({ origins }: ResolvedConfig, config: Config, isFed: boolean): BlockTiming {
  if (isFed && origins.get('blocks.time') === 'default') return { mode: 'arrival', everyMs: 1000 }
  return parseBlockTime(config.blocks.time)!
}

function factsOf({ node, comet }: Config, { publicKey }: ValidatorKey): NodeFacts {
  return {
    nodeId: sha256(publicKey).slice(0, 20),
    moniker: node.moniker,
    listenAddress: 'tcp://127.0.0.1:26656',
    rpcAddress: `tcp://${comet.host}:${comet.port + node.portOffset}`,
    validatorKey: publicKey,
  }
}

/** Warns about sections of the genesis document without a module, and about a node that is no validator. */
/** A clock that is corrected by less than this is usual. */
const MOST_CORRECTION_MS = 60_000

/** Warns of a latest block that is later than the clock: the next blocks have its time. */
function warnOfClock(tipNs: bigint, nowMs: number, log: Log): void {
  const aheadMs = Number(tipNs / NS_PER_MS) - nowMs
  if (aheadMs < MOST_CORRECTION_MS) return
  const ahead = `${Math.round(aheadMs / 1000)} s`
  log(
    'warn',
    `the latest block is ${ahead} later than the clock of this machine: until the clock passes it, each block has a time just after the one before`,
  )
}

function warnOf({ config, genesis, validatorKeys }: OpenedChain, { blocks, tip }: Executor, log: Log): void {
  const carried = Object.keys(unbuiltSections(genesis, modules))
  if (carried.length > 0) {
    log('warn', 'genesis has sections of modules that this build does not have: kept for exports, without effect', {
      modules: carried.join(', '),
    })
  }
  // Under an engine most nodes are no validators, and the engine signs.
  if (config.consensus.engine !== 'solo') return
  const validators = blocks.validators(tip().height + 1n) ?? []
  if (!validators.some(({ address }) => validatorKeys.some((key) => equal(address, key.address)))) {
    log('warn', 'the key of this node belongs to no validator of the chain: its blocks carry no signature')
  }
}
