/** An API worker: REST, gRPC and JSON-RPC over its own reads; transactions and heavy work go to the main process. */

import type { Compute } from '../../api/gateway.ts'
import { forwardedMethods } from '../../api/jsonrpc/forwarded.ts'
import type { Engine } from '../../api/node-info.ts'
import { createApplication } from '../../app/application.ts'
import { createJobs } from '../../app/jobs.ts'
import type { CheckResult } from '../../app/types.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { openBlockIndex } from '../../indexer/block-index.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import type { Build } from '../build.ts'
import { outliveReaders } from '../closed-output.ts'
import { parseBlockTime } from '../config.ts'
import { createGatewayNode } from '../gateway-node.ts'
import { type GatewayUrls, openGateways } from '../gateways.ts'
import { readiness } from '../health.ts'
import { createAttempt } from '../light-compute.ts'
import { openLmdb } from '../lmdb.ts'
import { createLog } from '../log.ts'
import { storeOptionsOf } from '../profile.ts'
import { createStateReader } from '../state-reader.ts'
import { elsewhere, joinMainProcess, type MainProcess } from './main-process.ts'
import type { ApiSetup } from './messages.ts'

/** Serves until the main process lets it go. `build`: the state machine, where not that of this build. */
export function runApiWorker(build?: Build): void {
  outliveReaders()
  joinMainProcess(async (setup, main) => ({ ...(await serve(setup, main, build)) }))
}

async function serve(
  { dataPath, config, profile, chainId, genesis, facts, ports }: ApiSetup,
  main: MainProcess,
  build: Build | undefined,
): Promise<GatewayUrls> {
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
    ...build,
  })
  const blocks = openBlockIndex(backend, () => store.latestHeight())
  main.follow({
    forget: () => blocks.forgetAbove(0n),
    block: (height) => blocks.block(height),
    onListenerFailure: (error) => log('error', 'what follows the chain failed', { error }),
  })
  const withContext = createStateReader(store, blocks, app)
  const jobs = createJobs(app)
  const compute: Compute = {
    attempt: createAttempt({ jobs, withContext, elapsed: () => performance.now() }),
    run: main.compute,
  }
  const engine: Engine = {
    ...facts,
    genesis: () => genesis,
    check: elsewhere('checking a transaction'),
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
    engine,
    devKeys: undefined,
    ...(config.metrics.enabled && { observe: main.count() }),
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
    // Workers that share ports chosen by the system must ask for them in the same order.
    portOf: (section, name) => (name === 'wsPort' ? ports.ws : ports[section as 'rest' | 'grpc' | 'jsonrpc']),
    rpcMethods: forwardedMethods((method, params, signal) => main.ask({ kind: 'rpc', method, params }, signal)),
    ready: () => readiness(driver, parseBlockTime(config.blocks.time)!, Date.now()),
    renderMetrics: () => '',
  })
  return urls
}
