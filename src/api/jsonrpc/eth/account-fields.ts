/** Several fields of an account in one answer, from one state: `eth_getAccount` and `eth_getAccountInfo`. */
import * as evm from '../../../modules/evm/keeper.ts'
import { EMPTY, equal, formatHex0x } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/hash.ts'
import { type JsonObject, quantity } from '../format.ts'
import type { RpcCall } from '../method.ts'
import type { BlockRef } from '../params.ts'
import { readAt, stateHeight } from './block-ref.ts'

/** `eth_getAccountInfo`: balance, nonce and code. */
export const accountInfo = ({ node }: RpcCall, address: Uint8Array, ref: BlockRef): JsonObject | Promise<JsonObject> =>
  readAt(node, ref, (ctx) => ({
    balance: quantity(evm.balanceWei(ctx, address)),
    nonce: quantity(evm.nonce(ctx, address)),
    code: formatHex0x(evm.code(ctx, address) ?? EMPTY),
  }))

/** `eth_getAccount`: balance, nonce, hash of the code, and root of the storage; null for an account without the first three. */
export async function account(
  { node, signal }: RpcCall,
  address: Uint8Array,
  ref: BlockRef,
): Promise<JsonObject | null> {
  const found = node.withContext(stateHeight(node, ref), (ctx) => ({
    height: ctx.block.height,
    balanceWei: evm.balanceWei(ctx, address),
    nonce: evm.nonce(ctx, address),
    codeHash: evm.codeHash(ctx, address),
  }))
  const { height, balanceWei, nonce, codeHash } = found
  if (balanceWei === 0n && nonce === 0n && equal(codeHash, EMPTY_CODE_HASH)) return null
  const { evmTimeoutMs: timeoutMs } = node.settings
  const root = await node.compute.run('storageRoot', { address }, { height, signal: signal(), timeoutMs })
  return {
    balance: quantity(balanceWei),
    nonce: quantity(nonce),
    codeHash: formatHex0x(codeHash),
    storageRoot: formatHex0x(root as Uint8Array),
  }
}
