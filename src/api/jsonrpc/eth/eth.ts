/** `eth_` methods by wire name (docs/json-rpc.md#methods). */
import * as evm from '../../../modules/evm/keeper.ts'
import { EMPTY, formatHex0x } from '../../../primitives/bytes.ts'
import { findStoredEvmTx } from '../../stored-evm-tx.ts'
import { methodNotFound, serverError } from '../errors.ts'
import { formatBlock, formatHeader, formatMined, quantity } from '../format.ts'
import {
  anyMethod,
  blockMethod,
  committedMethod,
  type Method,
  type Methods,
  mainMethod,
  type RpcCall,
  readArgument,
} from '../method.ts'
import {
  address,
  bigQuantity,
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
import { pendingTransactions } from '../txpool.ts'
import { account as accountFields, accountInfo } from './account-fields.ts'
import * as account from './accounts.ts'
import { blockOf, readAt } from './block-ref.ts'
import { blockByNumber, headerByNumber, showBlock, transactionOf } from './blocks.ts'
import { transactionByNonce } from './by-nonce.ts'
import { blockOverrides, callArgs, createAccessList, estimateGas, ethCall, stateOverrides } from './calls.ts'
import { capabilities, chainConfig, progress } from './capabilities.ts'
import { baseFee, feeHistory, suggestedPrice, suggestedTip } from './fees.ts'
import { findLogs, rangeOf } from './logs.ts'
import { blockReceipts, inPieces, receipt, transactionLogs } from './receipts.ts'
import { sendRawSync } from './send-sync.ts'
import { simulateArgs, simulateV1 } from './simulate.ts'
import { getProof, slotsToProve } from './state-proof.ts'
import { receiptFilter } from './subscriptions.ts'
import * as transaction from './transactions.ts'
import { messageHash, typedDataHash, typedDataHashV1, typedDataHashV3 } from './typed-data.ts'

/** A time that the method reads itself, since an invalid one is no error. */
const timeout = optional(json, undefined)

const chain: Methods = {
  eth_blockNumber: anyMethod([], ({ node }) => quantity(node.blocks.latestHeight())),
  eth_accounts: mainMethod([], ({ node }) => account.accounts(node)),
  eth_requestAccounts: mainMethod([], ({ node }) => account.accounts(node)),
  eth_networkId: anyMethod([], ({ node }) => node.evmChainId.toString()),
  eth_chainId: anyMethod([], ({ node }) => quantity(node.evmChainId)),
  eth_protocolVersion: anyMethod([], () => '0x41'),
  eth_syncing: anyMethod([], ({ node }) => {
    return node.driver.status().catchingUp && progress(node)
  }),
  eth_gasPrice: anyMethod([], ({ node }) => quantity(suggestedPrice(node))),
  eth_maxPriorityFeePerGas: anyMethod([], ({ node }) => quantity(suggestedTip(node))),
  eth_capabilities: anyMethod([], ({ node }) => capabilities(node)),
  eth_config: anyMethod([], ({ node }) => chainConfig(node)),
  eth_blobBaseFee: anyMethod([], () => '0x1'),
  eth_baseFee: anyMethod([], ({ node }) => quantity(baseFee(node))),
  eth_feeHistory: anyMethod([decimalOrQuantity, blockNumber, optional(numbers, [])], feeHistory),
}

const blocks: Methods = {
  eth_getBlockByNumber: blockMethod([blockNumber, optional(boolean, false)], ({ node }, ref, whole) =>
    blockByNumber(node, ref, whole),
  ),
  eth_getBlockByHash: anyMethod([hash, optional(boolean, false)], ({ node }, wanted, whole) => {
    const found = blockOf(node, { hash: wanted })
    return found ? formatBlock(node, found, whole) : null
  }),
  eth_getHeaderByNumber: blockMethod([blockNumber], ({ node }, ref) => headerByNumber(node, ref)),
  eth_getHeaderByHash: anyMethod([hash], ({ node }, wanted) => {
    const found = blockOf(node, { hash: wanted })
    return found ? formatHeader(node, found) : null
  }),
  eth_getBlockTransactionCountByNumber: blockMethod([blockNumber], ({ node }, ref) =>
    showBlock(node, ref, (found) => quantity(found.block.evmTxs.length)),
  ),
  eth_getBlockTransactionCountByHash: anyMethod([hash], ({ node }, wanted) => {
    const found = blockOf(node, { hash: wanted })
    return found ? quantity(found.evmTxs.length) : null
  }),
  eth_getUncleCountByBlockNumber: anyMethod([blockNumber], ({ node }, ref) => (blockOf(node, ref) ? '0x0' : null)),
  eth_getUncleCountByBlockHash: anyMethod([hash], ({ node }, wanted) =>
    blockOf(node, { hash: wanted }) ? '0x0' : null,
  ),
  eth_getUncleByBlockNumberAndIndex: anyMethod([blockNumber, quantity64], () => null),
  eth_getUncleByBlockHashAndIndex: anyMethod([hash, quantity64], () => null),
  eth_getBlockReceipts: anyMethod([block], (call, ref) => {
    const found = blockOf(call.node, ref)
    return found ? blockReceipts(call, found) : null
  }),
}

/** Whether no block contains the transaction that was asked for: the pool can. */
const isUnknown = (result: unknown): boolean => result === null

const transactions: Methods = {
  eth_getTransactionByHash: committedMethod([hash], isUnknown, ({ node }, wanted) =>
    transaction.transactionByHash(node, wanted),
  ),
  eth_getTransactionByBlockHashAndIndex: anyMethod([hash, quantity64], ({ node }, wanted, index) => {
    const found = blockOf(node, { hash: wanted })
    const tx = found?.evmTxs[Number(index)]
    return found && tx ? formatMined(found, tx) : null
  }),
  eth_getTransactionByBlockNumberAndIndex: blockMethod([blockNumber, quantity64], ({ node }, ref, index) =>
    showBlock(node, ref, (found) => transactionOf(found, Number(index))),
  ),
  eth_getRawTransactionByBlockHashAndIndex: anyMethod([hash, quantity64], ({ node }, wanted, index) => {
    const tx = blockOf(node, { hash: wanted })?.evmTxs[Number(index)]
    return tx ? formatHex0x(tx.raw) : null
  }),
  eth_getRawTransactionByBlockNumberAndIndex: blockMethod([blockNumber, quantity64], ({ node }, ref, index) =>
    showBlock(node, ref, ({ block: { evmTxs } }) => {
      const tx = evmTxs[Number(index)]
      return tx ? formatHex0x(tx.raw) : null
    }),
  ),
  eth_getTransactionBySenderAndNonce: committedMethod([address, quantity64], isUnknown, transactionByNonce),
  eth_getRawTransactionByHash: committedMethod([hash], isUnknown, ({ node }, wanted) =>
    transaction.rawTransaction(node, wanted),
  ),
  eth_getTransactionReceipt: anyMethod([hash], (call, wanted) => {
    const mined = findStoredEvmTx(call.node, wanted)
    return mined ? receipt(call, mined.block, mined.tx) : null
  }),
  eth_getTransactionLogs: anyMethod([hash], (call, wanted) => {
    const mined = findStoredEvmTx(call.node, wanted)
    return mined ? transactionLogs(call, mined.block, mined.tx) : null
  }),
  eth_getTransactionCount: blockMethod([address, blockOrLatest], ({ node }, who, ref) =>
    quantity(transaction.transactionCount(node, who, ref)),
  ),
  eth_pendingTransactions: mainMethod([], ({ node }) => pendingTransactions(node)),
  eth_getPendingTransactions: mainMethod([], ({ node }) => pendingTransactions(node)),
  eth_sendRawTransaction: anyMethod([bytes], ({ node, client }, raw) => transaction.sendRaw(node, raw, client)),
  eth_sendRawTransactionSync: anyMethod([bytes, timeout], sendRawSync),
  eth_fillTransaction: mainMethod([callArgs], account.fillTransaction),
}

const state: Methods = {
  eth_getBalance: blockMethod([address, blockOrLatest], ({ node }, who, ref) =>
    readAt(node, ref, (ctx) => quantity(evm.balanceWei(ctx, who))),
  ),
  eth_getStorageAt: blockMethod([address, storageKey, blockOrLatest], ({ node }, who, slot, ref) =>
    readAt(node, ref, (ctx) => formatHex0x(evm.storage(ctx, who, slot))),
  ),
  eth_getCode: blockMethod([address, blockOrLatest], ({ node }, who, ref) =>
    readAt(node, ref, (ctx) => formatHex0x(evm.code(ctx, who) ?? EMPTY)),
  ),
  eth_getAccountInfo: blockMethod([address, blockOrLatest], accountInfo),
  eth_getAccount: anyMethod([address, blockOrLatest], accountFields),
  eth_getStorageValues: blockMethod([storageRequests, blockOrLatest], ({ node }, requests, ref) =>
    readAt(node, ref, (ctx) =>
      Object.fromEntries(
        requests.map(({ text, address: at, slots }) => [
          text,
          slots.map((slot) => formatHex0x(evm.storage(ctx, at, slot))),
        ]),
      ),
    ),
  ),
  eth_getProof: anyMethod([address, slotsToProve, blockOrLatest], getProof),
  eth_call: blockMethod([callArgs, blockOrLatest, stateOverrides, blockOverrides], ethCall),
  eth_estimateGas: blockMethod([callArgs, blockOrLatest, stateOverrides, blockOverrides], async (call, ...args) =>
    quantity(await estimateGas(call, ...args)),
  ),
  eth_createAccessList: blockMethod([callArgs, blockOrLatest, stateOverrides], createAccessList),
  eth_simulateV1: anyMethod([simulateArgs, blockOrLatest], simulateV1),
}

/** Number of logs from which they are written in pieces. */
const LOGS_IN_PIECES = 500

const filters: Methods = {
  eth_newFilter: mainMethod([logFilter], (call, filter) => call.filters.newLogs(call.client, filter)),
  eth_newBlockFilter: mainMethod([], (call) => call.filters.newBlocks(call.client)),
  eth_newPendingTransactionFilter: mainMethod([optional(boolean, false)], (call) =>
    call.filters.newPending(call.client),
  ),
  eth_getFilterChanges: mainMethod([text], (call, id) => call.filters.changes(id, call.signal())),
  eth_getFilterLogs: mainMethod([text], (call, id) => call.filters.logs(id, call.signal())),
  eth_uninstallFilter: mainMethod([text], (call, id) => call.filters.remove(id)),
  eth_getLogs: anyMethod([logFilter], async (call, filter) => {
    const found = await findLogs(call.node, filter, rangeOf(call.node, filter), call.signal())
    return found.length > LOGS_IN_PIECES ? inPieces(call, found) : found
  }),
}

function subscribe({ subscriptions }: RpcCall, kind: string, options: unknown): string {
  if (!subscriptions) throw methodNotFound('eth_subscribe')
  const given = options !== undefined
  return subscriptions.subscribe(kind, {
    filter: given && kind === 'logs' ? readArgument(logFilter, options, 1) : undefined,
    hashes: given && kind === 'transactionReceipts' ? readArgument(receiptFilter, options, 1) : undefined,
    whole: options === true,
  })
}

const pushed: Methods = {
  eth_subscribe: anyMethod([text, optional(json, undefined)], subscribe),
  eth_unsubscribe: anyMethod([text], ({ subscriptions }, id) => {
    if (!subscriptions) throw methodNotFound('eth_unsubscribe')
    if (!subscriptions.unsubscribe(id)) throw serverError('subscription not found')
    return true
  }),
}

const signTypedData = (name: string, hashOf: (data: unknown) => Uint8Array): Method =>
  mainMethod([address, json], ({ node }, who, data) => account.signHash(node, who, hashOf(data), name))

/** Methods of a node with keys. */
export const signingMethods: Methods = {
  eth_sendTransaction: mainMethod([callArgs], account.sendTransaction),
  eth_sendTransactionSync: mainMethod([callArgs, timeout], account.sendTransactionSync),
  eth_resend: mainMethod([callArgs, optional(bigQuantity, undefined), optional(quantity64, undefined)], account.resend),
  eth_signTransaction: mainMethod([callArgs], account.signTransactionArgs),
  eth_sign: mainMethod([address, bytes], ({ node }, who, message) =>
    account.signHash(node, who, messageHash(message), 'eth_sign'),
  ),
  eth_signTypedData: signTypedData('eth_signTypedData', typedDataHashV1),
  eth_signTypedData_v3: signTypedData('eth_signTypedData_v3', typedDataHashV3),
  eth_signTypedData_v4: signTypedData('eth_signTypedData_v4', typedDataHash),
  personal_sign: mainMethod([bytes, address, optional(json, undefined)], ({ node }, message, who) =>
    account.signHash(node, who, messageHash(message), 'personal_sign'),
  ),
  personal_ecRecover: mainMethod([bytes, bytes], (_, message, signature) =>
    account.recoverSigner(messageHash(message), signature),
  ),
  personal_listAccounts: mainMethod([], ({ node }) => account.accounts(node)),
}

export const ethMethods: Methods = {
  ...chain,
  ...blocks,
  ...transactions,
  ...state,
  ...filters,
  ...pushed,
}
