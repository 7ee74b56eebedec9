/**
 * An API worker: it serves REST, gRPC and JSON-RPC from its own reads, and forwards transactions and heavy work to the main
 * process.
 */
import type { Compute } from '../../api/gateway.ts'
import { forwardedMethods } from '../../api/jsonrpc/forwarded.ts'
import type { NodeInfo } from '../../api/node-info.ts'
import { createApplication } from '../../app/application.ts'
import { createJobs } from '../../app/jobs.ts'
import type { CheckResult } from '../../app/types.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { openBackend } from '../backend.ts'
import type { Build } from '../build.ts'
import { ignoreClosedOutput } from '../closed-output.ts'
import { parseBlockTime } from '../config.ts'
import { createGatewayNode } from '../gateway-node.ts'
import { type GatewayUrls, openGateways } from '../gateways.ts'
import { readiness } from '../health.ts'
import { createAttempt } from '../light-compute.ts'
import { createLog } from '../log.ts'
import { openReader } from '../open-reader.ts'
import { joinMainProcess, type MainProcess } from './main-process.ts'
import type { ApiSetup } from './messages.ts'

/** Serves until the main process disconnects. `build` replaces the state machine of this build. */
export function runApiWorker(build?: Build): void {
  ignoreClosedOutput()
  joinMainProcess(async (setup, main) => ({ ...(await serve(setup, main, build)) }))
}

async function serve(
  { dataPath, config, profile, chainId, genesis, facts, ports }: ApiSetup,
  main: MainProcess,
  build: Build | undefined,
): Promise<GatewayUrls> {
  const log = createLog({ ...config.log, write: (line) => process.stderr.write(line), now: Date.now })
  const identity = createIdentity(profile)
  const backend = await openBackend({ path: dataPath, readOnly: true })
  const evmChainId = evmChainIdOf(identity, chainId)
  const app = createApplication({
    identity,
    chainId,
    evmChainId,
    settings: { minGasPrices: config.api.minGasPrice },
    onBug: (error) => log('error', 'a transaction failed unexpectedly', { error }),
    ...build,
  })
  const { blocks, withContext } = openReader(backend, identity, app)
  main.attachReader({
    dropCache: () => blocks.evictAbove(0n),
    block: (height) => blocks.block(height),
    onListenerFailure: (error) => log('error', 'a listener of the chain failed', { error }),
  })
  const jobs = createJobs(app)
  const compute: Compute = {
    attempt: createAttempt({ jobs, withContext, elapsed: () => performance.now() }),
    run: main.compute,
  }
  const nodeInfo: NodeInfo = {
    ...facts,
    genesis: () => genesis,
    simulate: async (tx, signal) =>
      (await compute.run('simulate', { tx }, { ...(signal && { signal }) })) as CheckResult,
  }
  const { driver } = main
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
    nodeInfo,
    minGasPrice: () => config.api.minGasPrice,
    devKeys: undefined,
    ...(config.metrics.enabled && { observe: main.count() }),
    log,
    now: Date.now,
  })
  const { urls } = await openGateways({
    node,
    config: { ...config, metrics: { ...config.metrics, enabled: false } },
    // Workers share the ports that the system chooses only if they open them in the same order.
    portOf: (section, name) => (name === 'wsPort' ? ports.ws : ports[section as 'rest' | 'grpc' | 'jsonrpc']),
    rpcMethods: forwardedMethods((method, params, signal) => main.ask({ kind: 'rpc', method, params }, signal)),
    ready: () => readiness(driver, parseBlockTime(config.blocks.time)!, Date.now()),
    renderMetrics: () => '',
  })
  return urls
}
