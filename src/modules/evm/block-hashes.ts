/**
 * Hashes of past blocks, in the storage of the history contract as EIP-2935 defines it: slot = number mod 8191. BLOCKHASH
 * reads the same slots, so that it gives the same answer at every height.
 */
import type { Identity } from '../../identity/types.ts'
import { encodeUint, hex, ZERO_WORD } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import type { Amendment } from './development/amendments.ts'
import { EVM_STORE, slotKey } from './state.ts'

export const HISTORY_ADDRESS: Uint8Array = hex('0000f90827f1c53a10cb7a02335b175320002935')
/** Code of the history contract (EIP-2935): 32 bytes of a number in, the hash out. */
export const HISTORY_CODE: Uint8Array = hex(
  '3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
)

/** Hashes that the code of a block has read. BLOCKHASH costs 20 gas, too little to pay for a read of the store each time. */
const cache = new WeakMap<object, { readonly height: bigint; readonly hashes: Map<bigint, Uint8Array> }>()

const RING = 8191n
/** Number of past blocks that BLOCKHASH can read. */
const WINDOW = 256n

const key = (height: bigint): Uint8Array => slotKey(HISTORY_ADDRESS, encodeUint(height % RING, 32))

/** Stores the hash of the block in progress. Code can read it from the next block on. */
export function recordBlockHash(ctx: Context): void {
  if (ctx.identity.behaviours.wholeHeadersInStaking) return
  if (ctx.block.hash.length === 32) ctx.store.set(EVM_STORE, key(ctx.block.height), ctx.block.hash)
}

/** Returns the changes by which BLOCKHASH knows a block that was not executed. */
export function blockHashAmendments(
  { behaviours }: Identity,
  { height, hash }: { readonly height: bigint; readonly hash: Uint8Array },
): readonly Amendment[] {
  if (behaviours.wholeHeadersInStaking) return []
  return [{ kind: 'storage', address: HISTORY_ADDRESS, slot: encodeUint(height % RING, 32), value: hash }]
}

/** Returns the answer of BLOCKHASH: the hash of one of the previous 256 blocks, or of the context's own; zeros for any other. */
export function blockHash(ctx: ReadContext, number: bigint): Uint8Array {
  const { height, hash } = ctx.block
  if (number === height && hash.length === 32) return hash
  if (number < 0n || number >= height || number < height - WINDOW) return ZERO_WORD
  let known = cache.get(ctx.block)
  if (known?.height !== height) {
    known = { height, hashes: new Map() }
    cache.set(ctx.block, known)
  }
  let found = known.hashes.get(number)
  if (!found) {
    found = readHash(ctx, number)
    known.hashes.set(number, found)
  }
  return found
}

function readHash(ctx: ReadContext, number: bigint): Uint8Array {
  if (ctx.identity.behaviours.wholeHeadersInStaking) return staking.recordedBlockHash(ctx, number) ?? ZERO_WORD
  return ctx.store.get(EVM_STORE, key(number)) ?? ZERO_WORD
}
