/** `ots_`: the methods of the block explorer Otterscan, at level 8 of its interface. */
import * as evm from '../../../modules/evm/keeper.ts'
import { EMPTY, formatHex0x } from '../../../primitives/bytes.ts'
import { findStoredEvmTx, type StoredEvmTx } from '../../stored-evm-tx.ts'
import { serverError } from '../errors.ts'
import { blockOf, readAt } from '../eth/block-ref.ts'
import { headerByNumber } from '../eth/blocks.ts'
import { findBySenderAndNonce } from '../eth/by-nonce.ts'
import { anyMethod, blockMethod, type Methods, type RpcCall } from '../method.ts'
import { address, type BlockRef, block, blockNumber, blockOrLatest, decimalOrQuantity, hash } from '../params.ts'
import { streamMined } from '../views.ts'
import { blockDetails, blockPage, pageSize } from './blocks.ts'
import { contractCreator } from './contract-creator.ts'
import { searchTransactions } from './search.ts'

/** Level of the interface that Otterscan asks for. */
const API_LEVEL = 8

function storedTx({ node }: RpcCall, wanted: Uint8Array): StoredEvmTx {
  const found = findStoredEvmTx(node, wanted)
  if (!found) throw serverError(`transaction ${formatHex0x(wanted)} not found`)
  return found
}

/** Returns a method that streams a view of a transaction. */
const viewOf = (kind: 'entries' | 'operations') =>
  anyMethod([hash], (call, wanted) => {
    const { block: at, tx } = storedTx(call, wanted)
    return streamMined(call, at, tx.evmIndex, { kind }, true)
  })

const details = (call: RpcCall, ref: BlockRef) => {
  const found = blockOf(call.node, ref)
  return found ? blockDetails(call.node, found) : null
}

export const otsMethods: Methods = {
  ots_getApiLevel: anyMethod([], () => API_LEVEL),
  ots_hasCode: blockMethod([address, blockOrLatest], ({ node }, who, ref) =>
    readAt(node, ref, (ctx) => (evm.code(ctx, who) ?? EMPTY).length > 0),
  ),
  ots_getInternalOperations: viewOf('operations'),
  ots_traceTransaction: viewOf('entries'),
  ots_getTransactionError: anyMethod([hash], (call, wanted) => {
    const { block: at, tx } = storedTx(call, wanted)
    return tx.status === 1 ? '0x' : streamMined(call, at, tx.evmIndex, { kind: 'output' }, false)
  }),
  ots_getBlockDetails: anyMethod([block], details),
  ots_getBlockDetailsByHash: anyMethod([hash], (call, wanted) => details(call, { hash: wanted })),
  ots_getBlockTransactions: anyMethod([block, decimalOrQuantity, pageSize], ({ node }, ref, page, size) => {
    const found = blockOf(node, ref)
    return found ? blockPage(node, found, page, size) : null
  }),
  ots_searchTransactionsBefore: anyMethod([address, decimalOrQuantity, pageSize], (call, who, number, size) =>
    searchTransactions(call, who, { number, size, isBefore: true }),
  ),
  ots_searchTransactionsAfter: anyMethod([address, decimalOrQuantity, pageSize], (call, who, number, size) =>
    searchTransactions(call, who, { number, size, isBefore: false }),
  ),
  ots_getTransactionBySenderAndNonce: anyMethod([address, decimalOrQuantity], async (call, who, nonce) => {
    const found = await findBySenderAndNonce(call, who, nonce)
    return found ? formatHex0x(found.tx.hash) : null
  }),
  ots_getContractCreator: anyMethod([address], contractCreator),
}

/** The method of Erigon with which Otterscan begins. */
export const erigonMethods: Methods = {
  erigon_getHeaderByNumber: blockMethod([blockNumber], ({ node }, ref) => headerByNumber(node, ref)),
}
