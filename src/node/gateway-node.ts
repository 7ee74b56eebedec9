/** The node that gateways use, in the main process or in an API worker. */

import { createDispatch, type DispatchParts } from '../api/dispatch.ts'
import type { GatewayNode } from '../api/gateway.ts'
import type { NodeInfo } from '../api/node-info.ts'
import { readOnlyDriver } from '../api/read-only.ts'
import { createServices } from '../api/services/table.ts'
import { answerTrace } from '../api/traces.ts'
import { createClientAddress } from '../api/transport/client-address.ts'
import { createConnections } from '../api/transport/connections.ts'
import { createOutgoing } from '../api/transport/outgoing.ts'
import { createRateLimit } from '../api/transport/rate-limit.ts'
import { turns } from '../api/transport/turns.ts'
import { type ProvenKeys, proveKeys } from '../app/proofs.ts'
import { WEI_PER_NATIVE } from '../modules/bank/keeper.ts'
import type { DevAccount } from './accounts.ts'
import { parseMemory, parseMilliseconds } from './config.ts'
import { connectionLimit } from './descriptors.ts'
import { moduleLog } from './log.ts'
import type { Config } from './settings.ts'
import { VERSION } from './version.ts'

/** Time without a taken byte of an answer. Beyond: the client is disconnected. */
const STALL_MS = 10_000
/** The same for a client whose next connection another process serves. */
const LEAVE_STALL_MS = 1000

/**
 * Time that counts for an address when a connection of it is ended: the answers that it did not take were made for nothing, and
 * took memory from others.
 */
const UNREAD_MS = 200
/** The same for a byte that waits for a millisecond: two and a half megabytes that wait for a second count 0.3 s. */
const WAITING_MS = 120e-9
const DISPLACED_MS = 1

/** Seconds whose requests an address can send at once, unless the settings say otherwise. */
const BURST_SECONDS = 4

export interface GatewayParts
  extends Pick<
      GatewayNode,
      | 'identity'
      | 'chainId'
      | 'evmChainId'
      | 'compute'
      | 'blocks'
      | 'driver'
      | 'withContext'
      | 'observe'
      | 'ports'
      | 'print'
      | 'recentLog'
      | 'log'
      | 'now'
    >,
    Pick<DispatchParts, 'queries'> {
  readonly config: Config
  /** Names of the jobs that `compute` runs. */
  readonly jobs: readonly string[]
  readonly nodeInfo: NodeInfo
  /** Returns the lowest gas price that the node admits, which a development chain can change. */
  readonly minGasPrice: () => string
  readonly devKeys: GatewayNode['settings']['devKeys']
}

export function createGatewayNode(parts: GatewayParts): GatewayNode {
  const { config, nodeInfo, queries, jobs, devKeys, minGasPrice, ...given } = parts
  const log = moduleLog(given.log, 'api')
  const shared = { ...given, log, ...(config.api.readOnly && { driver: readOnlyDriver(given.driver) }) }
  const { rateLimit, rateBurst } = config.api
  const dispatch = createDispatch({
    queries,
    services: new Map(Object.entries(createServices(() => ({ node, nodeInfo })))),
    withContext: shared.withContext,
    compute: shared.compute,
    jobs: new Set(jobs),
    gasCap: config.evm.gasCap,
    trace: (call) => answerTrace(node, call),
    log,
  })
  const node: GatewayNode = {
    ...shared,
    dispatch,
    async prove(asked, keys) {
      const { height, proven } = shared.withContext(asked, (ctx) => ({
        height: ctx.block.height,
        proven: ctx.store.proofs?.isReady() ? proveKeys(ctx, keys) : undefined,
      }))
      return proven ?? ((await shared.compute.run('prove', { keys }, { height })) as ProvenKeys)
    },
    outgoing: createOutgoing(
      {
        bytes: parseMemory(config.api.unsent)!,
        stallMs: (address) => (given.ports.leaves(address) ? LEAVE_STALL_MS : STALL_MS),
        onWaiting: (address, bytes, ms) => turns.charge(address, bytes * ms * WAITING_MS),
        onDisconnect(address, reason) {
          turns.charge(address, UNREAD_MS)
          log('warn', 'a client was disconnected', { address, reason })
        },
      },
      () => performance.now(),
    ),
    connections: createConnections(
      connectionLimit(config),
      () => performance.now(),
      (address) => {
        turns.charge(address, DISPLACED_MS)
        log('warn', 'a connection was closed, since api.connections are open', { address })
      },
    ),
    clientAddress: createClientAddress(config.api.trustedProxies),
    rates: createRateLimit(
      { perSecond: rateLimit, burst: rateBurst === 0 ? rateLimit * BURST_SECONDS : rateBurst },
      () => performance.now(),
    ),
    settings: {
      get minGasPrice() {
        return minGasPrice()
      },
      gasCap: config.evm.gasCap,
      evmTimeoutMs: parseMilliseconds(config.evm.timeout)!,
      txFeeCapWei: config.evm.txFeeCap * WEI_PER_NATIVE,
      logsBlockRange: config.rpc.logsBlockRange,
      corsOrigins: config.api.cors,
      bodyLimitBytes: config.api.bodyLimit,
      syncTimeoutMs: parseMilliseconds(config.rpc.syncTimeout)!,
      batchLimit: config.rpc.batchLimit,
      slotsInAnEpoch: config.rpc.slotsInAnEpoch,
      txOrder: config.mempool.order,
      filterLimit: config.rpc.filters,
      txServiceEnabled: config.api.tx,
      keepHeights: config.store.keep,
      devKeys,
      insecureKeys: config.node.insecureKeys,
      isDevelopment: isDevelopment(config),
      isReadOnly: config.api.readOnly,
      unsafeEngineRpc: config.comet.unsafe,
      version: VERSION,
    },
  }
  return node
}

/**
 * Returns the keys that JSON-RPC signs with, those of Ethereum's path; undefined without `node.dev_keys` or a development
 * chain.
 */
export function devKeysOf(config: Config, accounts: () => readonly DevAccount[]): GatewayNode['settings']['devKeys'] {
  if (!config.node.devKeys || !isDevelopment(config)) return undefined
  return () => accounts().flatMap(({ kind, privateKeyBytes }) => (kind === 'eth' ? [privateKeyBytes] : []))
}

/** Whether this is a development chain: a localnet that this node created and alone decides, unless `node.dev` is off. */
export function isDevelopment({ node, chain, consensus, api }: Config): boolean {
  return node.dev && !api.readOnly && chain.genesis === '' && consensus.engine === 'solo'
}
