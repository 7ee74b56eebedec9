/** The processes that serve the gateways in place of the main process. */
import type { GatewayNode } from '../../api/gateway.ts'
import type { CometNodeInfo } from '../../api/node-info.ts'
import type { Build } from '../build.ts'
import type { OpenedChain } from '../chain.ts'
import { parseMemory } from '../config.ts'
import type { Metrics } from '../metrics.ts'
import type { PortFlags, PortOf } from '../ports.ts'
import { workerEntry } from '../worker-programs.ts'
import type { ApiPool } from '../workers/api-pool.ts'
import type { NodeFacts } from '../workers/messages.ts'

/** Starts the API workers, and adds the steps that end them to `undo`. Rejects if one of them cannot listen. */
export async function startApiWorkers(
  parts: {
    readonly chain: OpenedChain
    readonly dataPath: string
    readonly facts: NodeFacts
    readonly gateway: GatewayNode
    readonly nodeInfo: CometNodeInfo
    readonly portOf: PortOf
    readonly portFlags: PortFlags | undefined
    readonly build: Build | undefined
    readonly metrics: Metrics | undefined
  },
  undo: (() => unknown)[],
): Promise<ApiPool> {
  const { chain, dataPath, facts, gateway, nodeInfo, portOf, portFlags, build, metrics } = parts
  const { config, profile, genesis } = chain
  const { openApiPool } = await import('../workers/api-pool.ts')
  const { createJsonRpcServer } = await import('../../api/jsonrpc/server.ts')
  const { runPoolMethod } = await import('../../api/cometbft/server.ts')
  const rpc = createJsonRpcServer(gateway)
  undo.push(() => rpc.close())
  const pool = await openApiPool({
    workers: config.api.workers,
    memoryBytes: parseMemory(config.api.memory)!,
    entry: workerEntry('api', build),
    setup: {
      dataPath,
      snapshots: chain.home?.paths.snapshots,
      config,
      profile,
      chainId: gateway.chainId,
      genesis,
      facts,
      ports: {
        rest: portOf('rest', 'port'),
        grpc: portOf('grpc', 'port'),
        jsonrpc: portOf('jsonrpc', 'port'),
        ws: portOf('jsonrpc', 'wsPort'),
        comet: portOf('comet', 'port'),
      },
      portFlags,
    },
    driver: gateway.driver,
    minGasPrice: () => gateway.settings.minGasPrice,
    rpc: rpc.answer,
    comet: (method, params) => runPoolMethod({ node: gateway, nodeInfo }, method, params),
    check: nodeInfo.check,
    print: (line) => gateway.print?.(line),
    count: metrics?.requests,
    log: gateway.log,
  })
  undo.push(() => pool.close())
  return pool
}

/** Turns off the gateways that API workers serve. */
export function withoutWorkerGateways(config: OpenedChain['config']): OpenedChain['config'] {
  return {
    ...config,
    rest: { ...config.rest, enabled: false },
    grpc: { ...config.grpc, enabled: false },
    jsonrpc: { ...config.jsonrpc, enabled: false },
    comet: { ...config.comet, enabled: false },
  }
}
