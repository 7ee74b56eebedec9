/** A node put together: store, state machine, engine, compute, gateways. The one place that knows them all. */

import type { GatewayNode } from '../api/gateway.ts'
import type { Engine } from '../api/node-info.ts'
import { createApplication } from '../app/application.ts'
import { carriedSections } from '../app/carried.ts'
import { createJobs } from '../app/jobs.ts'
import { modules } from '../app/modules.ts'
import type { CheckResult } from '../app/types.ts'
import { type BlockTiming, type Solo, startSolo } from '../consensus/solo.ts'
import { createOwnValidators } from '../consensus/validators.ts'
import { createIdentity, evmChainIdOf } from '../identity/identity.ts'
import type { Identity } from '../identity/types.ts'
import { equal } from '../primitives/bytes.ts'
import * as decimal from '../primitives/decimal.ts'
import { queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'
import type { Backend } from '../store/backend/backend.ts'
import { openMemory } from '../store/backend/memory.ts'
import { openVersionedStore } from '../store/versioned.ts'
import { type DevAccount, deriveAccounts } from './accounts.ts'
import type { Build } from './build.ts'
import { requireFittingBuild } from './build-check.ts'
import { type Begun, dataFolder, openChain } from './chain.ts'
import { configError, parseBlockTime, parseMemory, type ResolvedConfig } from './config.ts'
import { fedValidators, startEmbeddedFeeder } from './feeder/embedded.ts'
import { watchVoters } from './few-voters.ts'
import { diskFiles, type Files } from './files.ts'
import { createGatewayNode, devKeysOf, isDevelopment } from './gateway-node.ts'
import { type GatewayUrls, openGateways } from './gateways.ts'
import { createHaltDuty, type HaltNotice } from './halts.ts'
import { readiness } from './health.ts'
import { homePaths } from './home.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import { requireMnemonic } from './mnemonic.ts'
import { openCompute } from './open-compute.ts'
import { storeOptionsOf } from './profile.ts'
import { ALL_SETTINGS, type Config } from './settings.ts'
import { createStateReader } from './state-reader.ts'
import { createTreeHelper } from './trees/tree-helper.ts'
import { watchPayouts } from './unpaid-shares.ts'
import { unwind } from './unwind.ts'
import { checkUpgradeFile } from './upgrade-file-check.ts'
import type { ValidatorKey } from './validator-key.ts'
import { requireWorkerPrograms, workerEntry } from './worker-programs.ts'
import type { ApiPool } from './workers/api-pool.ts'

const MOST_PORT = 65_535

/** A price of one wei, in base units at 18 places. */
const RAW_PER_WEI = 10n ** 6n

export interface AssemblyOptions {
  readonly resolved: ResolvedConfig
  /** Folder of the chain; undefined leaves nothing behind. */
  readonly home: string | undefined
  /** Whether the system chooses every port that nobody named; false takes the documented ones. */
  readonly freePorts: boolean
  /** False opens no port at all. */
  readonly openPorts?: boolean
  readonly log: Log | undefined
  /** Wall clock, Unix milliseconds. */
  readonly clock?: () => number
  readonly random?: (length: number) => Uint8Array
  readonly files?: Files
  /** What the state machine is made of, in place of what this build has. */
  readonly build?: Build
  /** Told when the chain has halted; a node that is to end because of it is for its owner to stop. */
  readonly onHalt?: (notice: HaltNotice) => void
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
  /** When blocks are made, as long as nobody changes it. */
  readonly timing: BlockTiming
  readonly gateway: GatewayNode
  readonly engine: Engine
  readonly log: Log
  /** As `Solo.advance`. */
  advance(byNs: bigint): Promise<bigint>
  stop(): Promise<void>
}

/** Starts everything. Throws a `ChainError` that says what is wrong and what to do; then nothing keeps running. */
export async function assembleNode(options: AssemblyOptions): Promise<AssembledNode> {
  const clock = options.clock ?? Date.now
  const files = options.files ?? diskFiles
  const undo: (() => unknown)[] = []
  try {
    return await assemble()
  } catch (error) {
    // Why it did not start says more than what could not be closed because of it.
    await unwind(undo).catch(() => undefined)
    throw error
  }

  async function assemble(): Promise<AssembledNode> {
    if (beginsWithWords(options, files)) await requireMnemonic(options.resolved.config.chain.mnemonic)
    const begun = openChain(options, files, clock, undo)
    const { config, profile, genesis, validatorKeys } = begun
    requireWorkerPrograms(options.build, config)
    const [validatorKey] = validatorKeys as [ValidatorKey]
    const ownValidators = createOwnValidators(validatorKeys)
    const identity = createIdentity(profile)
    const log = options.log ?? createLog({ ...config.log, write: (line) => process.stderr.write(line), now: clock })
    const chainId = genesis.chain_id
    const evmChainId = evmChainIdOf(identity, chainId)
    const dataPath = dataFolder(begun, config, undo)
    const backend = await openBackend(dataPath, begun.home === undefined, log)
    const store = openVersionedStore(backend, {
      ...storeOptionsOf(identity),
      createTreeHelper,
      ...(config.store.keep > 0 && { keepHeights: config.store.keep }),
    })
    undo.push(() => store.close())
    const printing = { on: true }
    const print = (line: string) => {
      if (printing.on) log('info', 'console.log', { line })
    }
    const skip = config.upgrade.skip.map(BigInt)
    const admission = { minGasPrices: config.api.minGasPrice }
    const app = createApplication({
      identity,
      chainId,
      evmChainId,
      settings: admission,
      onBug: (error) => log('error', 'a transaction failed unexpectedly', { error }),
      onPrint: isDevelopment(config) ? print : undefined,
      onUpgrade: (line) => log('info', line),
      skipUpgrades: skip,
      ...options.build,
    })
    requireFittingBuild(store, app)
    if (begun.home) checkUpgradeFile({ data: begun.home.paths.data, files, store, app, skip, log })
    const fed = !config.feeder.enabled
      ? []
      : fedValidators(genesis, config.chain.mnemonic, identity).map((validator, i) => ({
          ...validator,
          behaviour() {
            const behaviour = ownValidators.behaviour(i)
            return behaviour === 'stopped' ? 'silent' : behaviour
          },
        }))
    const isPaceChosen = options.resolved.origins.get('blocks.time') !== 'default'
    const timing: BlockTiming =
      fed.length > 0 && !isPaceChosen ? { mode: 'arrival', everyMs: 1000 } : parseBlockTime(config.blocks.time)!
    const elapsed = () => performance.now()

    const metrics = config.metrics.enabled
      ? createMetrics({
          height: () => store.latestHeight(),
          isHalted: () => solo.status().halted !== undefined,
          mempool: () => solo.pendingCount(),
          compute: () => compute.stats(),
          databaseBytes: () => (dataPath === undefined ? undefined : backend.sizeBytes()),
        })
      : undefined

    let ends = false
    let lastCommit: number | undefined
    const solo: Solo = await startSolo({
      app,
      store,
      genesis,
      signers: ownValidators.signers,
      timing,
      limits: {
        maxTxs: config.mempool.maxTxs,
        maxBytes: parseMemory(config.mempool.maxBytes)!,
        maxTxBytes: parseMemory(config.mempool.maxTxBytes)!,
        slotsPerSender: config.mempool.slots,
      },
      now: () => BigInt(clock()) * 1_000_000n,
      elapsed,
      ...(isDevelopment(config) && {
        development: {
          setMinGasPrice(wei) {
            admission.minGasPrices = `${decimal.format(decimal.fromRaw(wei * RAW_PER_WEI))}${identity.baseDenom}`
          },
          print,
          setValidator: ownValidators.setBehaviour,
          setLogging(on) {
            printing.on = on
          },
        },
      }),
      onHalt: createHaltDuty({
        config,
        data: begun.home?.paths.data,
        files,
        log,
        tell(notice) {
          ends = !notice.serves
          options.onHalt?.(notice)
        },
      }),
      onListenerFailure: (error) => log('error', 'what follows the chain failed', { error }),
      onTiming({ executeMs, commitMs }) {
        const now = elapsed()
        metrics?.block({ intervalMs: lastCommit === undefined ? undefined : now - lastCommit, executeMs, commitMs })
        lastCommit = now
      },
    })
    undo.push(() => solo.stop())
    // Whoever is told of a halt ends the process: no port opens before.
    if (ends && options.onHalt) throw queryError('failedPrecondition', solo.status().halted!.reason)
    warnOf(begun, solo, log)
    const withContext = createStateReader(store, solo.blocks, app)
    const jobs = createJobs(app)
    let apiPool: ApiPool | undefined
    const { build } = options
    const compute = openCompute({ config, dataPath, profile, chainId, withContext, jobs, log, elapsed, build })
    undo.push(() => compute.stop())
    let derived: readonly DevAccount[] | undefined
    const accounts = () => {
      derived ??= deriveAccounts(config.chain.mnemonic, config.chain.accounts, identity)
      return derived
    }
    const engineFacts = {
      nodeId: sha256(validatorKey.publicKey).slice(0, 20),
      moniker: config.node.moniker,
      listenAddress: 'tcp://127.0.0.1:26656',
      rpcAddress: `tcp://${config.comet.host}:${config.comet.port + config.node.portOffset}`,
      validatorKey: validatorKey.publicKey,
    }
    const engine: Engine = {
      ...engineFacts,
      genesis: () => genesis,
      check: (tx) => solo.checkOnly(tx),
      simulate: async (tx, signal) => (await compute.run('simulate', { tx }, { signal })) as CheckResult,
    }
    const gateway = createGatewayNode({
      config,
      identity,
      chainId,
      evmChainId,
      queries: app.queries,
      jobs: Object.keys(jobs),
      compute,
      blocks: solo.blocks,
      driver: solo,
      withContext,
      engine,
      devKeys: devKeysOf(config, accounts),
      observe: metrics?.request,
      log,
      now: clock,
    })
    undo.push(watchVoters(gateway, log), watchPayouts(gateway, log))
    if (fed.length > 0) {
      const { seed } = config.feeder
      undo.push(startEmbeddedFeeder({ gateway, follow: solo.follow, validators: fed, seed, log }))
    }
    const ports = portChooser(options, config)
    const { workers } = config.api
    if (workers > 0 && options.openPorts !== false) {
      const { openApiPool } = await import('./workers/api-pool.ts')
      const { createJsonRpcServer } = await import('../api/jsonrpc/server.ts')
      const rpc = createJsonRpcServer(gateway)
      undo.push(() => rpc.close())
      apiPool = await openApiPool({
        workers,
        entry: workerEntry('api', build),
        setup: {
          dataPath: dataPath!,
          config,
          profile,
          chainId,
          genesis,
          facts: engineFacts,
          ports: {
            rest: ports('rest', 'port'),
            grpc: ports('grpc', 'port'),
            jsonrpc: ports('jsonrpc', 'port'),
            ws: ports('jsonrpc', 'wsPort'),
          },
        },
        driver: solo,
        compute,
        rpc: rpc.answer,
        observe: metrics?.request,
        log,
      })
      undo.push(() => apiPool?.close())
    }
    const gateways =
      options.openPorts === false
        ? undefined
        : await openGateways({
            node: gateway,
            engine,
            config: apiPool
              ? {
                  ...config,
                  rest: { ...config.rest, enabled: false },
                  grpc: { ...config.grpc, enabled: false },
                  jsonrpc: { ...config.jsonrpc, enabled: false },
                }
              : config,
            portOf: ports,
            ready: () => readiness(solo, solo.timing(), clock()),
            renderMetrics: () => metrics?.render() ?? '',
          })
    if (gateways) undo.push(() => gateways.close())
    return {
      config,
      identity,
      chainId,
      evmChainId,
      genesisTime: genesis.genesis_time,
      get accounts() {
        return accounts()
      },
      urls: { ...apiPool?.urls, ...gateways?.urls },
      get height() {
        return solo.status().latestHeight
      },
      timing,
      gateway,
      engine,
      log,
      advance: (byNs) => solo.advance(byNs),
      stop: () => unwind(undo),
    }
  }
}

/** Whether a chain begins, with words for its accounts that somebody has chosen. */
function beginsWithWords({ resolved, home }: AssemblyOptions, files: Files): boolean {
  if (resolved.origins.get('chain.mnemonic') === 'default') return false
  return home === undefined || !files.exists(homePaths(home).record)
}

/** What an operator should know of a chain that began with a document from elsewhere. */
function warnOf({ genesis, validatorKeys }: Begun, { blocks, status }: Solo, log: Log): void {
  const carried = Object.keys(carriedSections(genesis, modules))
  if (carried.length > 0) {
    log('warn', 'genesis has sections of modules that this build has not: kept for exports, without effect', {
      modules: carried.join(', '),
    })
  }
  const validators = blocks.validators(status().latestHeight + 1n) ?? []
  if (!validators.some(({ address }) => validatorKeys.some((key) => equal(address, key.address)))) {
    log('warn', 'the key of this node belongs to no validator of the chain: its blocks carry no signature')
  }
}

async function openBackend(dataPath: string | undefined, ephemeral: boolean, log: Log): Promise<Backend> {
  if (dataPath === undefined) return openMemory()
  const { openLmdb } = await import('./lmdb.ts')
  return openLmdb(dataPath, {
    noSync: ephemeral,
    onNewFormat: (before, now) =>
      log('info', 'the database has another format from now on: older builds refuse it', { before, now }),
  })
}

/** Ports by configuration and offset; with free ports, 0 wherever nobody said which. */
function portChooser({ freePorts, resolved }: AssemblyOptions, config: Config) {
  return (section: 'rest' | 'grpc' | 'jsonrpc' | 'comet' | 'metrics', name: 'port' | 'wsPort'): number => {
    const { setting } = ALL_SETTINGS.find((one) => one.setting.section === section && one.name === name)!
    const origin = resolved.origins.get(`${section}.${setting.key}`)
    if (freePorts && origin === 'default') return 0
    const port = (config[section] as Record<string, unknown>)[name] as number
    const moved = port === 0 ? 0 : port + config.node.portOffset
    if (moved <= MOST_PORT) return moved
    throw configError(
      `node.port_offset (--port-offset) ${config.node.portOffset} moves ${section}.${setting.key} from ${port} to ${moved}, and ports end at ${MOST_PORT}`,
    )
  }
}
