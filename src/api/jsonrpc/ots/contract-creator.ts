/** `ots_getContractCreator`: the transaction that created a contract, and its direct creator. */
import * as evm from '../../../modules/evm/keeper.ts'
import { equal, formatHex0x } from '../../../primitives/bytes.ts'
import { serverError } from '../errors.ts'
import { firstStateHeight } from '../eth/block-ref.ts'
import { firstHeightWhere } from '../eth/by-nonce.ts'
import type { RpcCall } from '../method.ts'
import { viewValues } from '../views.ts'

/** Size of the creations of one contract in a block. Beyond: an error. */
const MOST_BYTES = 1 << 20

/**
 * Returns hash and creator; null for an address without a recorded creation, and for a contract of genesis. The stored states
 * tell the block, which is then executed again unless one of its transactions is the creation. Rejects with -32000 if the
 * contract is older than the first stored state.
 */
export async function contractCreator(call: RpcCall, contract: Uint8Array): Promise<unknown> {
  const { node } = call
  const exists = (height: bigint): boolean =>
    node.withContext(height, (ctx) => evm.creation(ctx, contract) !== undefined)
  const first = firstStateHeight(node)
  const height = firstHeightWhere(first, node.blocks.latestHeight(), exists)
  const block = height === undefined ? undefined : node.blocks.block(height)
  if (!block) return null
  const own = block.evmTxs.find(({ contractAddress }) => contractAddress && equal(contractAddress, contract))
  if (own) return { hash: formatHex0x(own.hash), creator: formatHex0x(own.from) }
  if (height === first) {
    if (first <= 1n) return null
    throw serverError(`the contract was created before block ${first}, the first one whose state is stored`)
  }
  const limits = { timeoutMs: node.settings.evmTimeoutMs, mostBytes: MOST_BYTES }
  const values = await viewValues(call, block, undefined, { kind: 'creator', contract }, limits)
  const last = values.at(-1)
  return last === undefined ? null : JSON.parse(last)
}
