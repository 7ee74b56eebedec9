/** Sending and finding transactions. */
import { wrapEthereumTx } from '../../../app/evm/envelope.ts'
import { isUnderpriced } from '../../../consensus/admission.ts'
import { decodeTransaction } from '../../../evm/transaction/decode.ts'
import { refuse } from '../../../evm/transaction/errors.ts'
import { feeCapOf, type Transaction } from '../../../evm/transaction/types.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { isAlreadyPending } from '../../admission.ts'
import type { GatewayNode } from '../../gateway.ts'
import { pendingByHash, readyOf } from '../../pending-txs.ts'
import { findStoredEvmTx } from '../../stored-evm-tx.ts'
import { serverError } from '../errors.ts'
import { formatMined, formatPending, type JsonObject } from '../format.ts'
import { type BlockRef, isPending } from '../params.ts'
import { stateHeight } from './block-ref.ts'

/** `eth_getTransactionByHash`: finds a mined or pending transaction; null if it is unknown. */
export function transactionByHash(node: GatewayNode, hash: Uint8Array): JsonObject | null {
  const mined = findStoredEvmTx(node, hash)
  if (mined) return formatMined(mined.block, mined.tx)
  const pending = pendingByHash(node, hash)?.evm
  return pending ? formatPending(pending.raw, pending.hash, pending.from) : null
}

/** Returns the bytes of a mined or pending transaction; null if it is unknown. */
export function rawTransaction(node: GatewayNode, hash: Uint8Array): string | null {
  const raw = findStoredEvmTx(node, hash)?.tx.raw ?? pendingByHash(node, hash)?.evm?.raw
  return raw ? formatHex0x(raw) : null
}

/** Returns the nonce of an account; at `pending`, the one after its pending transactions without a gap. */
export function transactionCount(node: GatewayNode, address: Uint8Array, block: BlockRef): bigint {
  const nonce = node.withContext(stateHeight(node, block), (ctx) => evm.nonce(ctx, address))
  return isPending(block) ? nonce + BigInt(readyOf(node, address)) : nonce
}

const ETHER = 1e18

function checkFeeCap(node: GatewayNode, tx: Transaction): void {
  const { txFeeCapWei } = node.settings
  const fee = feeCapOf(tx) * tx.gasLimit
  if (txFeeCapWei === 0n || fee <= txFeeCapWei) return
  const ether = (wei: bigint): string => (Number(wei) / ETHER).toFixed(2)
  throw serverError(`tx fee (${ether(fee)} ether) exceeds the configured cap (${ether(txFeeCapWei)} ether)`)
}

/** Decodes a transaction. Throws the errors of geth's RPC for a transaction that does not reach its pool. */
function readRaw(node: GatewayNode, raw: Uint8Array): Transaction {
  if (raw[0] === 3) throw refuse('typeNotSupported', 'this chain has no blob transactions')
  const tx = decodeTransaction(raw)
  checkFeeCap(node, tx)
  return tx
}

/**
 * Submits a signed transaction to the driver. Resolves with its hash after the commit of its block or after admission, by
 * the rules of the driver. Rejects with -32000 and the text of geth if it is refused.
 */
export async function sendRaw(node: GatewayNode, raw: Uint8Array, client?: string): Promise<string> {
  return formatHex0x((await submitRaw(node, raw, client)).hash)
}

/** The Ethereum hash of an admitted transaction, and whether it waits behind a missing nonce. */
export interface Submitted {
  readonly hash: Uint8Array
  readonly nonce: bigint
  readonly isQueued: boolean
}

/** Submits a signed transaction as `sendRaw`. */
export async function submitRaw(node: GatewayNode, raw: Uint8Array, client?: string): Promise<Submitted> {
  const tx = readRaw(node, raw)
  const hash = keccak256(raw)
  const admission = await node.driver.submit(wrapEthereumTx(node.identity, tx, hash), client)
  const { code, error, log, isQueued = false } = admission
  if (isAlreadyPending(admission)) {
    throw serverError(isUnderpriced(admission) ? 'replacement transaction underpriced' : 'already known')
  }
  if (code !== 0) throw serverError(error?.message ?? log)
  return { hash, nonce: tx.nonce, isQueued }
}
