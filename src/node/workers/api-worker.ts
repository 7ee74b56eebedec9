/**
 * An API worker: it serves the gateways from its own reads and with its own compute threads, and forwards transactions to the
 * main process.
 */
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { forwardedMethods } from '../../api/jsonrpc/forwarded.ts'
import type { CometNodeInfo } from '../../api/node-info.ts'
import { turns as requestTurns } from '../../api/transport/turns.ts'
import { createApplication } from '../../app/application.ts'
import { createJobs } from '../../app/jobs.ts'
import type { CheckResult } from '../../app/types.ts'
import { ofSize } from '../../consensus/admission.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { openBackend } from '../backend.ts'
import { bugLog } from '../bug-log.ts'
import type { Build } from '../build.ts'
import { observerOf } from '../chain-log.ts'
import { ignoreClosedOutput } from '../closed-output.ts'
import { parseMemory } from '../config.ts'
import { engineRpcOf } from '../engine/http-rpc.ts'
import { createGatewayNode, isDevelopment } from '../gateway-node.ts'
import { type OpenGateways, openGateways } from '../gateways.ts'
import { readiness, timingOf } from '../health.ts'
import { createLog, type Log } from '../log.ts'
import { openCompute } from '../open-compute.ts'
import { openReader } from '../open-reader.ts'
import type { Config } from '../settings.ts'
import { openSnapshotFolder } from '../snapshots/folder.ts'
import { createTurns } from '../turns.ts'
import { joinMainProcess, type MainProcess } from './main-process.ts'
import type { ApiSetup } from './messages.ts'
import { createNoisyClients, type NoisyClients } from './noisy-clients.ts'
import { createProcessorShare } from './processor-share.ts'
import { createReceivedPorts, type ReceivedPorts } from './received-ports.ts'

/** Priority of the process of noisy clients, of 20 that a process can have below the usual one. */
const NOISY_PRIORITY = 10

/**
 * Time of its thread that a noisy client uses while it stays noisy, a fiftieth: many of them share that thread, which gets little of a busy
 * machine.
 */
const STILL_NOISY_MS = 30
/** Interval between two messages about the process of noisy clients, milliseconds. */
const STATE_MS = 1000

/** Serves until the main process disconnects. `build` replaces the state machine of this build. */
export function runApiWorker(build?: Build): void {
  ignoreClosedOutput()
  joinMainProcess((setup, main) => serve(setup, main, build))
}

async function serve(
  { dataPath, snapshots, config, profile, chainId, genesis, facts, ports, portFlags, isForNoisy }: ApiSetup,
  main: MainProcess,
  build: Build | undefined,
): Promise<OpenGateways> {
  if (isForNoisy) yieldProcessor()
  const log = createLog({ ...config.log, write: (line) => process.stderr.write(line), now: Date.now })
  const identity = createIdentity(profile)
  const turns = createTurns()
  const backend = await openBackend({ path: dataPath, readOnly: true, turns })
  const evmChainId = evmChainIdOf(identity, chainId)
  const app = createApplication({
    identity,
    chainId,
    evmChainId,
    settings: { minGasPrices: config.api.minGasPrice },
    onBug: bugLog(log),
    ...build,
  })
  const { blocks, withContext } = openReader(backend, identity, app)
  main.attachReader({
    dropCache: () => blocks.evictAbove(0n),
    block: (height) => blocks.block(height),
    onListenerFailure: (error) => log('error', 'a listener of the chain failed', { error }),
  })
  const jobs = createJobs(app)
  const elapsed = () => performance.now()
  const compute = openCompute({ config, dataPath, turns, profile, chainId, withContext, jobs, log, elapsed, build })
  const nodeInfo: CometNodeInfo = {
    ...facts,
    engine: engineRpcOf(config),
    ...(snapshots !== undefined && { snapshots: openSnapshotFolder(snapshots) }),
    genesis: () => genesis,
    check: ofSize(
      parseMemory(config.mempool.maxTxBytes)!,
      async (tx) => (await main.ask({ kind: 'check', tx })) as CheckResult,
    ),
    simulate: async (tx, signal) => (await compute.run('simulate', { tx }, { signal })) as CheckResult,
  }
  const { driver } = main
  const clients = isForNoisy ? receivedPortsOf(main) : noisyClientsOf(main, config, log)
  const node = createGatewayNode({
    ports: clients,
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
    nodeInfo,
    minGasPrice: main.minGasPrice,
    devKeys: undefined,
    ...(isDevelopment(config) && { print: main.print }),
    observe: observerOf(
      config.metrics.enabled ? main.count(compute.stats) : undefined,
      config.log.requests ? log : undefined,
    ),
    log,
    now: Date.now,
  })
  if ('watch' in clients) clients.watch(node.connections)
  const gateways = await openGateways({
    node,
    comet: { nodeInfo, ask: (method, params) => main.ask({ kind: 'comet', method, params }) as Promise<string> },
    config: { ...config, metrics: { ...config.metrics, enabled: false } },
    // Workers share the ports that the system chooses only if they open them in the same order.
    portOf: (section, name) => (name === 'wsPort' ? ports.ws : ports[section as 'rest' | 'grpc' | 'jsonrpc' | 'comet']),
    portFlags,
    rpcMethods: forwardedMethods(
      (method, params, signal, client) => main.ask({ kind: 'rpc', method, params, client }, signal) as Promise<string>,
      isDevelopment(config),
    ),
    ready: () => readiness(driver, timingOf(config), Date.now()),
    renderMetrics: async () => '',
  })
  if (!('drain' in clients)) return gateways
  return {
    urls: gateways.urls,
    async close() {
      await gateways.close()
      await clients.drain()
    },
  }
}

function noisyClientsOf(main: MainProcess, config: Config, log: Log): NoisyClients {
  const noisy = createNoisyClients({
    turns: requestTurns,
    processorShare: createProcessorShare(),
    trustedProxies: config.api.trustedProxies,
    ask: main.askForNoisy,
    send: main.handOver,
    onNoisy: (address) => log('info', 'an address asks for so much that others wait', { address }),
    elapsed: () => performance.now(),
  })
  main.onNoisyOpen(noisy.setOpen)
  main.onStillNoisy(noisy.keep)
  return noisy
}

function receivedPortsOf(main: MainProcess): ReceivedPorts {
  const ports = createReceivedPorts(main.tellIdle)
  main.onConnection(ports.receive)
  setInterval(() => main.tellNoisyState(filledBytes(), requestTurns.busy(STILL_NOISY_MS)), STATE_MS).unref()
  return ports
}

/** Returns the heap and the buffers of this thread, which clients fill. Compute threads have limits of their own. */
function filledBytes(): number {
  const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics()
  return heap + buffers
}

/** Lets other processes come first on a busy machine. Threads that start later inherit the priority. */
function yieldProcessor(): void {
  const tasks = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [0]
  for (const task of tasks) {
    try {
      setPriority(task, NOISY_PRIORITY)
    } catch {
      // A thread that has just ended needs none.
    }
  }
}
