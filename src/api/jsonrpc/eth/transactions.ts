/** Transactions on their way in, and found again. */
import { wrapEthereumTx } from '../../../app/evm/envelope.ts'
import { impersonatedSender } from '../../../app/evm/impersonation.ts'
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import { decodeTransaction } from '../../../evm/transaction/decode.ts'
import { refuse } from '../../../evm/transaction/errors.ts'
import { recoverSender } from '../../../evm/transaction/sender.ts'
import { feeCapOf, type Transaction } from '../../../evm/transaction/types.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { equal, formatHex0x } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import type { GatewayNode } from '../../gateway.ts'
import { serverError } from '../errors.ts'
import { formatMined, formatPending, type JsonObject } from '../format.ts'
import type { BlockRef } from '../params.ts'
import { stateHeight } from './block-ref.ts'

export interface Mined {
  readonly block: StoredBlock
  readonly tx: EvmTx
}

/** A transaction of a kept block. */
export function findMined(node: GatewayNode, hash: Uint8Array): Mined | undefined {
  const place = node.blocks.evmTx(hash)
  const block = place && node.blocks.block(place.height)
  const tx = place && block?.evmTxs[place.evmIndex]
  return block && tx ? { block, tx } : undefined
}

function findPending(node: GatewayNode, hash: Uint8Array) {
  return node.driver.pending().find(({ evm }) => evm && equal(evm.hash, hash))?.evm
}

/** `eth_getTransactionByHash`: mined or waiting; null if unknown. */
export function transactionByHash(node: GatewayNode, hash: Uint8Array): JsonObject | null {
  const mined = findMined(node, hash)
  if (mined) return formatMined(mined.block, mined.tx)
  const pending = findPending(node, hash)
  return pending ? formatPending(pending.raw, pending.hash, pending.from) : null
}

/** The bytes of a transaction, mined or waiting. */
export function rawTransaction(node: GatewayNode, hash: Uint8Array): string | null {
  const raw = findMined(node, hash)?.tx.raw ?? findPending(node, hash)?.raw
  return raw ? formatHex0x(raw) : null
}

/** Every EVM transaction that waits. */
export function pendingTransactions(node: GatewayNode): readonly JsonObject[] {
  const found: JsonObject[] = []
  for (const { evm } of node.driver.pending()) if (evm) found.push(formatPending(evm.raw, evm.hash, evm.from))
  return found
}

/** Nonce of an account; at `pending` the one behind its waiting transactions that follow without a gap. */
export function transactionCount(node: GatewayNode, address: Uint8Array, block: BlockRef): bigint {
  let nonce = node.withContext(stateHeight(node, block), (ctx) => evm.nonce(ctx, address))
  if (!('tag' in block) || block.tag !== 'pending') return nonce
  const waiting = new Set<bigint>()
  for (const { evm } of node.driver.pending()) if (evm && equal(evm.from, address)) waiting.add(evm.nonce)
  while (waiting.has(nonce)) nonce++
  return nonce
}

const ETHER = 1e18
/** Code of the pool's refusal of bytes that it holds (codespace `sdk`). */
const IN_MEMPOOL = 19

function checkFeeCap(node: GatewayNode, tx: Transaction): void {
  const { txFeeCapWei } = node.settings
  const fee = feeCapOf(tx) * tx.gasLimit
  if (txFeeCapWei === 0n || fee <= txFeeCapWei) return
  const ether = (wei: bigint): string => (Number(wei) / ETHER).toFixed(2)
  throw serverError(`tx fee (${ether(fee)} ether) exceeds the configured cap (${ether(txFeeCapWei)} ether)`)
}

/** A transaction from its bytes, refused as geth's RPC refuses it before the pool sees it. */
function readRaw(node: GatewayNode, raw: Uint8Array): Transaction {
  if (raw[0] === 3) throw refuse('typeNotSupported', 'this chain has no blob transactions')
  const tx = decodeTransaction(raw)
  if (tx.type === 0 && tx.chainId === undefined) {
    throw serverError('only replay-protected (EIP-155) transactions allowed over RPC')
  }
  checkFeeCap(node, tx)
  return tx
}

/** Whether another transaction waits with this one's sender and nonce, and pays too much to be replaced. */
function isTaken(node: GatewayNode, tx: Transaction, hash: Uint8Array): boolean {
  const from = impersonatedSender(tx) ?? recoverSender(tx)
  return node.driver
    .pending()
    .some(({ evm }) => evm && evm.nonce === tx.nonce && equal(evm.from, from) && !equal(evm.hash, hash))
}

/**
 * Hands a signed transaction to the driver; resolves with its hash, by the driver's rules after the commit of its block
 * or after admission. Throws -32000 with geth's text when refused.
 */
export async function sendRaw(node: GatewayNode, raw: Uint8Array): Promise<string> {
  const tx = readRaw(node, raw)
  const hash = keccak256(raw)
  const { code, codespace, error, log } = await node.driver.submit(wrapEthereumTx(node.identity, tx, hash))
  if (codespace === 'sdk' && code === IN_MEMPOOL)
    throw serverError(isTaken(node, tx, hash) ? 'replacement transaction underpriced' : 'already known')
  if (code !== 0) throw serverError(error?.message ?? log)
  return formatHex0x(hash)
}
