/** `anvil_`, `hardhat_` and `evm_`: block production, the clock, rollbacks and the pool of a development chain. */

import type { Development } from '../../../consensus/driver.ts'
import { VALIDATOR_BEHAVIOURS, type ValidatorBehaviour } from '../../../consensus/validators.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { equal, formatHex0x } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { NS_PER_SECOND } from '../../../primitives/time.ts'
import type { GatewayNode } from '../../gateway.ts'
import { pendingByHash, pendingTxs } from '../../pending-txs.ts'
import { createPause } from '../../transport/slices.ts'
import { serverError } from '../errors.ts'
import { sendUnsigned } from '../eth/accounts.ts'
import { blockOf } from '../eth/block-ref.ts'
import { callArgs } from '../eth/calls.ts'
import { baseFee } from '../eth/fees.ts'
import { type JsonObject, quantity } from '../format.ts'
import { type Method, type Methods, mainMethod, type RpcCall } from '../method.ts'
import { address, boolean, hash, json, optional, type Param, text } from '../params.ts'
import { clientVersion } from '../web3.ts'
import { accountVerbs } from './development-state.ts'
import { mineOne, mineVerbs } from './mined-blocks.ts'
import { nodeLogMethods } from './node-log.ts'
import { refusedVerbs } from './refused.ts'
import { reorgVerb } from './reorg.ts'
import { tokenVerbs } from './tokens.ts'
import { count, developmentOf, underPrefixes } from './verbs.ts'

const MS_PER_SECOND = 1000n
/** Minimum interval of `evm_setIntervalMining` that counts as milliseconds, as in Hardhat; a smaller one is seconds. */
const MIN_MILLISECONDS = 1000n

/** Maximum interval of a timer. */
const MAX_MILLISECONDS = 2n ** 31n - 1n

/** Transactions that are dropped without a look at the time. */
const DROPPED_AT_ONCE = 50

const forkless = (): Error => serverError('forking is not supported')

const verb = (run: (development: Development, call: RpcCall) => unknown): Method =>
  mainMethod([], (call) => run(developmentOf(call.node), call))

/**
 * Returns a method that makes blocks, one step of seconds apart; a step of 0 means none. In anvil a step also precedes the
 * first block, in Hardhat not.
 */
const mineBlocks = (fallbackStep: bigint, stepsFirst: boolean) =>
  mainMethod([optional(count, 1n), optional(count, fallbackStep)], ({ node }, blocks, seconds) =>
    developmentOf(node).mine(blocks, seconds === 0n ? undefined : { seconds, stepsFirst }),
  )

/**
 * Returns a method that makes a block in each interval. As in anvil an interval in seconds replaces blocks on arrival, and as in
 * Hardhat one in milliseconds is in addition to them.
 */
const setIntervalMining = (isSeconds: (interval: bigint) => boolean) =>
  mainMethod([json], ({ node }, interval) => {
    const development = developmentOf(node)
    const value = count.read(Array.isArray(interval) ? interval[0] : interval)
    const intervalMs = isSeconds(value) ? value * MS_PER_SECOND : value
    if (intervalMs > MAX_MILLISECONDS) {
      throw queryError('invalidArgument', `interval of ${intervalMs} ms is above the limit of ${MAX_MILLISECONDS} ms`)
    }
    const automine = development.mining().automine && !isSeconds(value)
    development.setMining({ automine, intervalMs: Number(intervalMs), everyMs: 0 })
  })

const setTimestampInterval = (perSecond: bigint) =>
  mainMethod([count], ({ node }, interval) => developmentOf(node).setTimeInterval(interval / perSecond))

const setAutomine = (node: GatewayNode, automine: boolean): void => {
  const development = developmentOf(node)
  development.setMining({ ...development.mining(), automine })
}

async function reset({ node }: RpcCall, options: unknown): Promise<void> {
  const { forking } = (options ?? {}) as { forking?: { jsonRpcUrl?: unknown } | null }
  if (forking?.jsonRpcUrl) throw forkless()
  await developmentOf(node).reset()
}

function dropTransaction(node: GatewayNode, wanted: Uint8Array): boolean {
  const tx = pendingByHash(node, wanted)
  return tx !== undefined && developmentOf(node).drop([tx.hash]) > 0
}

/** Drops transactions in time slices, the newest first, so that none stays behind that builds on a dropped one. */
async function dropWhere(node: GatewayNode, matches: (from: Uint8Array | undefined) => boolean): Promise<void> {
  const development = developmentOf(node)
  const hashes = pendingTxs(node).flatMap(({ hash: found, evm: one }) => (matches(one?.from) ? [found] : []))
  const pause = createPause()
  for (let end = hashes.length; end > 0; end -= DROPPED_AT_ONCE) {
    development.drop(hashes.slice(Math.max(0, end - DROPPED_AT_ONCE), end).reverse())
    await pause()
  }
}

/** The name of a validator behaviour. */
const behaviour: Param<ValidatorBehaviour> = {
  required: true,
  read(value) {
    const found = VALIDATOR_BEHAVIOURS.find((name) => name === value)
    if (!found) {
      throw queryError(
        'invalidArgument',
        `behaviour ${JSON.stringify(value)} is not one of ${VALIDATOR_BEHAVIOURS.join(', ')}`,
      )
    }
    return found
  },
}

function newest(node: GatewayNode) {
  return node.blocks.block(node.blocks.latestHeight())!
}

/** Returns the time of block 0, or of the first block if the chain began later. */
function genesisTimeNs(node: GatewayNode): bigint {
  const { header } = blockOf(node, { tag: 'earliest' }) ?? newest(node)
  return header.timeNs
}

function nodeInfo(node: GatewayNode): JsonObject {
  const block = newest(node)
  return {
    currentBlockNumber: quantity(block.header.height),
    currentBlockTimestamp: Number(block.header.timeNs / NS_PER_SECOND),
    currentBlockHash: formatHex0x(block.hash),
    hardFork: node.withContext(undefined, (ctx) => evm.chainRules(ctx).fork),
    transactionOrder: node.settings.txOrder,
    environment: {
      baseFee: quantity(baseFee(node)),
      chainId: Number(node.evmChainId),
      gasLimit: quantity(block.gasLimit),
      gasPrice: quantity(baseFee(node)),
    },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
  }
}

function metadata(node: GatewayNode): JsonObject {
  const { blocks } = node
  const block = newest(node)
  return {
    clientVersion: clientVersion(node),
    chainId: Number(node.evmChainId),
    instanceId: formatHex0x(blocks.header(blocks.earliestHeight())!.hash),
    latestBlockNumber: Number(block.header.height),
    latestBlockHash: formatHex0x(block.hash),
    snapshots: {},
  }
}

/** Returns the seconds that the clock is ahead of the system's; 0 if it is behind, since a quantity has no sign. */
const ahead = (seconds: bigint): string => quantity(seconds < 0n ? 0n : seconds)

/** Methods with the same meaning under every prefix. */
const verbs: Methods = {
  ...accountVerbs,
  ...tokenVerbs,
  ...mineVerbs,
  ...refusedVerbs,
  reorg: reorgVerb,
  snapshot: verb((development) => quantity(development.snapshot())),
  revert: mainMethod([count], ({ node }, id) => developmentOf(node).revert(id)),
  rollback: mainMethod([optional(count, 1n)], ({ node }, depth) => developmentOf(node).rollback(depth)),
  reset: mainMethod([optional(json, undefined)], reset),
  increaseTime: mainMethod([count], async ({ node }, by) => ahead(await developmentOf(node).increaseTime(by))),
  setTime: mainMethod([count], async ({ node }, to) => ahead(await developmentOf(node).setTime(to))),
  setNextBlockTimestamp: mainMethod([count], ({ node }, seconds) => developmentOf(node).setNextTime(seconds)),
  removeBlockTimestampInterval: verb((development) => {
    development.setTimeInterval(undefined)
    return true
  }),
  getAutomine: verb((development) => development.mining().automine),
  setAutomine: mainMethod([boolean], ({ node }, on) => setAutomine(node, on)),
  getIntervalMining: verb((development) => {
    const { automine, intervalMs, everyMs } = development.mining()
    const ms = intervalMs || (automine ? everyMs : 0)
    return ms === 0 ? null : ms / 1000
  }),
  dropAllTransactions: mainMethod([], ({ node }) => dropWhere(node, () => true)),
  removePoolTransactions: mainMethod([address], ({ node }, who) =>
    dropWhere(node, (from) => from !== undefined && equal(from, who)),
  ),
  setMinGasPrice: mainMethod([count], ({ node }, wei) => developmentOf(node).setMinGasPrice(wei)),
  setLoggingEnabled: mainMethod([boolean], ({ node }, on) => developmentOf(node).setLogging(on)),
  setRpcUrl: mainMethod([text], () => {
    throw forkless()
  }),
  setChainId: mainMethod([count], ({ node }, id) => {
    if (id !== node.evmChainId) throw serverError(`the chain id is fixed by genesis: ${node.evmChainId}`)
  }),
  getGenesisTime: mainMethod([], ({ node }) => Number(genesisTimeNs(node) / NS_PER_SECOND)),
  nodeInfo: mainMethod([], ({ node }) => nodeInfo(node)),
  metadata: mainMethod([], ({ node }) => metadata(node)),
}

/** Methods whose meaning depends on the prefix, or that have a single name. */
const named: Methods = {
  anvil_mine: mineBlocks(0n, true),
  hardhat_mine: mineBlocks(1n, false),
  evm_mine: mineOne,
  anvil_setIntervalMining: setIntervalMining(() => true),
  hardhat_setIntervalMining: setIntervalMining(() => false),
  evm_setIntervalMining: setIntervalMining((value) => value > 0n && value < MIN_MILLISECONDS),
  anvil_setBlockTimestampInterval: setTimestampInterval(1n),
  hardhat_setBlockTimestampInterval: setTimestampInterval(MS_PER_SECOND),
  evm_setBlockTimestampInterval: setTimestampInterval(1n),
  anvil_dropTransaction: mainMethod([hash], ({ node }, wanted) =>
    dropTransaction(node, wanted) ? formatHex0x(wanted) : null,
  ),
  hardhat_dropTransaction: mainMethod([hash], ({ node }, wanted) => dropTransaction(node, wanted)),
  evm_dropTransaction: mainMethod([hash], ({ node }, wanted) => dropTransaction(node, wanted)),
  eth_sendUnsignedTransaction: mainMethod([callArgs], sendUnsigned),
  eth_mining: verb((development) => development.mining().automine || development.mining().intervalMs > 0),
  eth_coinbase: mainMethod([], ({ node }) =>
    node.withContext(undefined, (ctx) => formatHex0x(evm.blockEnv(ctx).coinbase)),
  ),
  eth_hashrate: mainMethod([], () => '0x0'),
  tenderly_setBalance: accountVerbs['setBalance']!,
  tenderly_addBalance: accountVerbs['addBalance']!,
  ...nodeLogMethods,
  almanac_setValidator: mainMethod([count, behaviour], ({ node }, index, name) => {
    developmentOf(node).setValidator(Number(index), name)
    return true
  }),
  miner_start: mainMethod([optional(json, undefined)], ({ node }) => setAutomine(node, true)),
  miner_stop: mainMethod([], ({ node }) => setAutomine(node, false)),
  debug_setHead: mainMethod([count], ({ node }, height) => {
    const latest = node.blocks.latestHeight()
    if (height > latest) throw queryError('invalidArgument', `block ${height} does not exist yet`)
    return developmentOf(node).rollback(latest - height)
  }),
}

/** Every method of a development chain, by wire name. */
export const developmentMethods: Methods = { ...underPrefixes(verbs), ...named }
