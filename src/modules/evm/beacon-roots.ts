/**
 * The contract of beacon roots (EIP-4788), on chains that have it: each block of Cancun or later records its time there, as the
 * system call of Ethereum does. No beacon chain stands behind a block, so that its root is the zero word of the block's header.
 */
import { encodeUint, equal, hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { Context } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import { chainRules } from './rules.ts'
import { EVM_STORE, slotKey } from './state.ts'

export const BEACON_ROOTS_ADDRESS: Uint8Array = hex('000f3df6d732807ef1319fb7b8bb8522d0beac02')
/** Code of the contract (EIP-4788): 32 bytes of a time in, the root out; it reverts for the time of no block. */
export const BEACON_ROOTS_CODE: Uint8Array = hex(
  '3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500',
)
const CODE_HASH = keccak256(BEACON_ROOTS_CODE)

const RING = 8191n

/** Records the time of the block in progress, if the chain has the contract. Code can read it in this block. */
export function recordBeaconRoot(ctx: Context): void {
  if (ctx.identity.behaviours.wholeHeadersInStaking) return
  const account = auth.getAccount(ctx, BEACON_ROOTS_ADDRESS)
  if (!account || !equal(account.codeHash, CODE_HASH) || !chainRules(ctx).eips.has(4788)) return
  const time = ctx.block.timeNs / NS_PER_SECOND
  ctx.store.set(EVM_STORE, slotKey(BEACON_ROOTS_ADDRESS, encodeUint(time % RING, 32)), encodeUint(time, 32))
}
