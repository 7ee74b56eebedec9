/** Transactions by sender and nonce. The nonces of a sender in the stored states lead to the block; no index is needed. */
import type { StoredBlock } from '../../../app/records.ts'
import { decodeTransaction } from '../../../evm/transaction/decode.ts'
import * as evm from '../../../modules/evm/keeper.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { equal } from '../../../primitives/bytes.ts'
import { DISCONNECTED } from '../../disconnected.ts'
import type { GatewayNode } from '../../gateway.ts'
import type { StoredEvmTx } from '../../stored-evm-tx.ts'
import { createSignalPause } from '../../transport/slices.ts'
import { limitExceeded } from '../errors.ts'
import { formatMined, formatPending, type JsonObject } from '../format.ts'
import type { RpcCall } from '../method.ts'
import { firstStateHeight } from './block-ref.ts'

/** Returns the lowest height from `first` on at which a fact holds that holds at all later ones, too; undefined for none. */
export function firstHeightWhere(first: bigint, last: bigint, holds: (height: bigint) => boolean): bigint | undefined {
  let [low, high] = [first, last]
  if (low > high || !holds(high)) return undefined
  while (low < high) {
    const middle = (low + high) / 2n
    if (holds(middle)) high = middle
    else low = middle + 1n
  }
  return low
}

function inBlock(block: StoredBlock | undefined, sender: Uint8Array, nonce: bigint): StoredEvmTx | undefined {
  const tx = block?.evmTxs.find(({ from, raw }) => equal(from, sender) && decodeTransaction(raw).nonce === nonce)
  return block && tx && { block, tx }
}

/** Searches the blocks before the first stored state by the index of events, newest first, in slices. */
async function inOldBlocks(
  { node, signal }: Pick<RpcCall, 'node' | 'signal'>,
  sender: Uint8Array,
  nonce: bigint,
  to: bigint,
): Promise<StoredEvmTx | undefined> {
  const pause = createSignalPause(signal())
  const deadline = node.now() + node.settings.evmTimeoutMs
  for (const { height } of node.blocks.txsByEvent('message.sender', formatEip55(sender), { to, reverse: true })) {
    const found = inBlock(node.blocks.block(height), sender, nonce)
    if (found) return found
    const rest = pause()
    if (!rest) continue
    await rest
    if (signal().aborted) throw DISCONNECTED
    if (node.now() > deadline) throw limitExceeded(`query timed out at block ${height}, after searching the later ones`)
  }
  return undefined
}

/** Finds the transaction of a sender with a nonce in the stored blocks. Rejects with -32005 if that takes too long. */
export async function findBySenderAndNonce(
  call: Pick<RpcCall, 'node' | 'signal'>,
  sender: Uint8Array,
  nonce: bigint,
): Promise<StoredEvmTx | undefined> {
  const { node } = call
  const used = (height: bigint): boolean => node.withContext(height, (ctx) => evm.nonce(ctx, sender) > nonce)
  const first = firstStateHeight(node)
  const height = firstHeightWhere(first, node.blocks.latestHeight(), used)
  if (height === undefined) return undefined
  const found = inBlock(node.blocks.block(height), sender, nonce)
  return found ?? (height === first ? await inOldBlocks(call, sender, nonce, first) : undefined)
}

const waitingWith = ({ driver }: GatewayNode, sender: Uint8Array, nonce: bigint) =>
  driver.pool?.ofSender(sender).txs.find(({ evm: tx }) => tx?.nonce === nonce)?.evm

/** `eth_getTransactionBySenderAndNonce`: finds a mined or waiting transaction; null if there is no such one. */
export async function transactionByNonce(call: RpcCall, sender: Uint8Array, nonce: bigint): Promise<JsonObject | null> {
  const mined = await findBySenderAndNonce(call, sender, nonce)
  if (mined) return formatMined(mined.block, mined.tx)
  const waiting = waitingWith(call.node, sender, nonce)
  return waiting ? formatPending(waiting.raw, waiting.hash, waiting.from) : null
}
