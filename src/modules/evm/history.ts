/**
 * Hashes of past blocks, in the storage of the history contract as EIP-2935 lays it out: slot = number mod 8191. BLOCKHASH
 * reads them there too, so that every state knows its own past.
 */
import { encodeUint, hex } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import * as staking from '../staking/keeper.ts'
import { EVM_STORE, slotKey } from './state.ts'

export const HISTORY_ADDRESS: Uint8Array = hex('0000f90827f1c53a10cb7a02335b175320002935')
/** Code of the history contract (EIP-2935): 32 bytes of a number in, the hash out. */
export const HISTORY_CODE: Uint8Array = hex(
  '3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
)

/** What code of a block has asked for so far: it may ask for a few gas, and the past does not change meanwhile. */
const asked = new WeakMap<object, { readonly height: bigint; readonly hashes: Map<bigint, Uint8Array> }>()

const RING = 8191n
/** How far BLOCKHASH looks back. */
const WINDOW = 256n
const ZERO = new Uint8Array(32)

const key = (height: bigint): Uint8Array => slotKey(HISTORY_ADDRESS, encodeUint(height % RING, 32))

/** Records the hash of the block in progress; its own code cannot see it, the next block's can. */
export function recordBlockHash(ctx: Context): void {
  if (ctx.identity.behaviours.wholeHeadersInStaking) return
  if (ctx.block.hash.length === 32) ctx.store.set(EVM_STORE, key(ctx.block.height), ctx.block.hash)
}

/** Hash of one of the 256 blocks before the context's, zeros for any other, as BLOCKHASH has it. */
export function blockHash(ctx: ReadContext, number: bigint): Uint8Array {
  const { height, hash } = ctx.block
  if (number === height && hash.length === 32) return hash
  if (number < 0n || number >= height || number < height - WINDOW) return ZERO
  let known = asked.get(ctx.block)
  if (known?.height !== height) {
    known = { height, hashes: new Map() }
    asked.set(ctx.block, known)
  }
  let found = known.hashes.get(number)
  if (!found) {
    found = readHash(ctx, number)
    known.hashes.set(number, found)
  }
  return found
}

function readHash(ctx: ReadContext, number: bigint): Uint8Array {
  if (ctx.identity.behaviours.wholeHeadersInStaking) return staking.keptBlockHash(ctx, number) ?? ZERO
  return ctx.store.get(EVM_STORE, key(number)) ?? ZERO
}
