/** `eth_`, method by method, wire names verbatim (evm.md §4). */
import * as evm from '../../../modules/evm/keeper.ts'
import { EMPTY, formatHex0x } from '../../../primitives/bytes.ts'
import { methodNotFound, serverError } from '../errors.ts'
import { formatBlock, formatHeader, formatLogs, formatMined, formatReceipt, quantity } from '../format.ts'
import { type Methods, method, type RpcCall, readArgument } from '../method.ts'
import {
  address,
  block,
  blockNumber,
  blockOrLatest,
  boolean,
  bytes,
  decimalOrQuantity,
  hash,
  json,
  logFilter,
  numbers,
  optional,
  quantity64,
  storageKey,
  storageRequests,
  text,
} from '../params.ts'
import * as account from './accounts.ts'
import { blockOf, stateHeight } from './block-ref.ts'
import { blockOverrides, callArgs, createAccessList, estimateGas, ethCall, stateOverrides } from './calls.ts'
import { capabilities, chainConfig, progress } from './facts.ts'
import { baseFee, feeHistory } from './fees.ts'
import { findLogs, rangeOf } from './logs.ts'
import { simulateArgs, simulateV1 } from './simulate.ts'
import { getProof, slotsToProve } from './state-proof.ts'
import * as transaction from './transactions.ts'
import { messageHash, typedDataHash } from './typed-data.ts'

const chain: Methods = {
  eth_blockNumber: method([], ({ node }) => quantity(node.blocks.latestHeight())),
  eth_accounts: method([], ({ node }) => account.accounts(node)),
  eth_chainId: method([], ({ node }) => quantity(node.evmChainId)),
  eth_protocolVersion: method([], () => '0x41'),
  eth_syncing: method([], ({ node }) => {
    return node.driver.status().catchingUp && progress(node)
  }),
  eth_gasPrice: method([], ({ node }) => quantity(baseFee(node))),
  eth_maxPriorityFeePerGas: method([], () => '0x0'),
  eth_capabilities: method([], ({ node }) => capabilities(node)),
  eth_config: method([], ({ node }) => chainConfig(node)),
  eth_blobBaseFee: method([], () => '0x1'),
  eth_baseFee: method([], ({ node }) => quantity(baseFee(node))),
  eth_feeHistory: method([decimalOrQuantity, blockNumber, optional(numbers, [])], feeHistory),
}

const blocks: Methods = {
  eth_getBlockByNumber: method([blockNumber, optional(boolean, false)], ({ node }, ref, whole) => {
    const found = blockOf(node, ref)
    return found ? formatBlock(found, whole) : null
  }),
  eth_getBlockByHash: method([hash, optional(boolean, false)], ({ node }, wanted, whole) => {
    const found = blockOf(node, { hash: wanted })
    return found ? formatBlock(found, whole) : null
  }),
  eth_getHeaderByNumber: method([blockNumber], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? formatHeader(found) : null
  }),
  eth_getHeaderByHash: method([hash], ({ node }, wanted) => {
    const found = blockOf(node, { hash: wanted })
    return found ? formatHeader(found) : null
  }),
  eth_getBlockTransactionCountByNumber: method([blockNumber], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? quantity(found.evmTxs.length) : null
  }),
  eth_getBlockTransactionCountByHash: method([hash], ({ node }, wanted) => {
    const found = blockOf(node, { hash: wanted })
    return found ? quantity(found.evmTxs.length) : null
  }),
  eth_getUncleCountByBlockNumber: method([blockNumber], ({ node }, ref) => (blockOf(node, ref) ? '0x0' : null)),
  eth_getUncleCountByBlockHash: method([hash], ({ node }, wanted) => (blockOf(node, { hash: wanted }) ? '0x0' : null)),
  eth_getUncleByBlockNumberAndIndex: method([blockNumber, quantity64], () => null),
  eth_getUncleByBlockHashAndIndex: method([hash, quantity64], () => null),
  eth_getBlockReceipts: method([block], ({ node }, ref) => {
    const found = blockOf(node, ref)
    return found ? found.evmTxs.map((tx) => formatReceipt(found, tx)) : null
  }),
}

const transactions: Methods = {
  eth_getTransactionByHash: method([hash], ({ node }, wanted) => transaction.transactionByHash(node, wanted)),
  eth_getTransactionByBlockHashAndIndex: method([hash, quantity64], ({ node }, wanted, index) => {
    const found = blockOf(node, { hash: wanted })
    const tx = found?.evmTxs[Number(index)]
    return found && tx ? formatMined(found, tx) : null
  }),
  eth_getTransactionByBlockNumberAndIndex: method([blockNumber, quantity64], ({ node }, ref, index) => {
    const found = blockOf(node, ref)
    const tx = found?.evmTxs[Number(index)]
    return found && tx ? formatMined(found, tx) : null
  }),
  eth_getRawTransactionByHash: method([hash], ({ node }, wanted) => transaction.rawTransaction(node, wanted)),
  eth_getTransactionReceipt: method([hash], ({ node }, wanted) => {
    const mined = transaction.findMined(node, wanted)
    return mined ? formatReceipt(mined.block, mined.tx) : null
  }),
  eth_getTransactionLogs: method([hash], ({ node }, wanted) => {
    const mined = transaction.findMined(node, wanted)
    return mined ? formatLogs(mined.block, mined.tx) : null
  }),
  eth_getTransactionCount: method([address, blockOrLatest], ({ node }, who, ref) =>
    quantity(transaction.transactionCount(node, who, ref)),
  ),
  eth_pendingTransactions: method([], ({ node }) => transaction.pendingTransactions(node)),
  eth_getPendingTransactions: method([], ({ node }) => transaction.pendingTransactions(node)),
  eth_sendRawTransaction: method([bytes], ({ node }, raw) => transaction.sendRaw(node, raw)),
  eth_fillTransaction: method([callArgs], account.fillTransaction),
}

const state: Methods = {
  eth_getBalance: method([address, blockOrLatest], ({ node }, who, ref) =>
    node.withContext(stateHeight(node, ref), (ctx) => quantity(evm.balanceWei(ctx, who))),
  ),
  eth_getStorageAt: method([address, storageKey, blockOrLatest], ({ node }, who, slot, ref) =>
    node.withContext(stateHeight(node, ref), (ctx) => formatHex0x(evm.storage(ctx, who, slot))),
  ),
  eth_getCode: method([address, blockOrLatest], ({ node }, who, ref) =>
    node.withContext(stateHeight(node, ref), (ctx) => formatHex0x(evm.code(ctx, who) ?? EMPTY)),
  ),
  eth_getStorageValues: method([storageRequests, blockOrLatest], ({ node }, requests, ref) =>
    node.withContext(stateHeight(node, ref), (ctx) =>
      Object.fromEntries(
        requests.map(({ text, address: at, slots }) => [
          text,
          slots.map((slot) => formatHex0x(evm.storage(ctx, at, slot))),
        ]),
      ),
    ),
  ),
  eth_getProof: method([address, slotsToProve, blockOrLatest], getProof),
  eth_call: method([callArgs, blockOrLatest, stateOverrides, blockOverrides], ethCall),
  eth_estimateGas: method([callArgs, blockOrLatest, stateOverrides, blockOverrides], async (call, ...args) =>
    quantity(await estimateGas(call, ...args)),
  ),
  eth_createAccessList: method([callArgs, blockOrLatest, stateOverrides], createAccessList),
  eth_simulateV1: method([simulateArgs, blockOrLatest], simulateV1),
}

const filters: Methods = {
  eth_newFilter: method([logFilter], (call, filter) => call.filters.newLogs(filter)),
  eth_newBlockFilter: method([], (call) => call.filters.newBlocks()),
  eth_newPendingTransactionFilter: method([optional(boolean, false)], (call) => call.filters.newPending()),
  eth_getFilterChanges: method([text], (call, id) => call.filters.changes(id, call.signal())),
  eth_getFilterLogs: method([text], (call, id) => call.filters.logs(id, call.signal())),
  eth_uninstallFilter: method([text], (call, id) => call.filters.remove(id)),
  eth_getLogs: method([logFilter], ({ node, signal }, filter) =>
    findLogs(node, filter, rangeOf(node, filter), signal()),
  ),
}

function subscribe({ subscriptions }: RpcCall, kind: string, options: unknown): string {
  if (!subscriptions) throw methodNotFound('eth_subscribe')
  const filter = kind === 'logs' && options !== undefined ? readArgument(logFilter, options, 1) : undefined
  return subscriptions.subscribe(kind, filter, options === true)
}

const pushed: Methods = {
  eth_subscribe: method([text, optional(json, undefined)], subscribe),
  eth_unsubscribe: method([text], ({ subscriptions }, id) => {
    if (!subscriptions) throw methodNotFound('eth_unsubscribe')
    if (!subscriptions.unsubscribe(id)) throw serverError('subscription not found')
    return true
  }),
}

/** Present where the node holds keys. */
export const signingMethods: Methods = {
  eth_sendTransaction: method([callArgs], account.sendTransaction),
  eth_signTransaction: method([callArgs], account.signTransactionArgs),
  eth_sign: method([address, bytes], ({ node }, who, message) =>
    account.signHash(node, who, messageHash(message), 'eth_sign'),
  ),
  eth_signTypedData_v4: method([address, json], ({ node }, who, data) =>
    account.signHash(node, who, typedDataHash(data), 'eth_signTypedData_v4'),
  ),
  personal_sign: method([bytes, address, optional(json, undefined)], ({ node }, message, who) =>
    account.signHash(node, who, messageHash(message), 'personal_sign'),
  ),
}

export const ethMethods: Methods = {
  ...chain,
  ...blocks,
  ...transactions,
  ...state,
  ...filters,
  ...pushed,
}
