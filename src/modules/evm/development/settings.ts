/** Block values and impersonations that a development chain sets, in store `x` (D29). Other chains do not have these records. */
import { concat, decodeUint, decodeUint64, EMPTY, encodeUint, encodeUint64 } from '../../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../../sdk/context.ts'
import { bytesValue, type ValueCodec } from '../../../store/collections/codecs.ts'
import {
  item,
  keySet,
  map,
  type ReadState,
  type StateItem,
  type StateKeySet,
  type StateMap,
} from '../../../store/collections/collections.ts'
import { bytesKey, evmAddressKey } from '../../../store/collections/key-codecs.ts'
import { BASE_FEE_WEI } from '../wei.ts'

const STORE = 'x'
const WORD = 32

/** A base fee that was set, and the first block that uses it. Unit: wei. */
export interface SetBaseFee {
  readonly wei: bigint
  readonly since: bigint
  /** The base fee of the blocks before `since`. */
  readonly beforeWei: bigint
}

const baseFeeValue: ValueCodec<SetBaseFee> = {
  encode: (_ctx, { wei, since, beforeWei }) =>
    concat(encodeUint64(since), encodeUint(wei, WORD), encodeUint(beforeWei, WORD)),
  decode: (_ctx, bytes) => ({
    since: decodeUint64(bytes.subarray(0, 8)),
    wei: decodeUint(bytes.subarray(8, 8 + WORD)),
    beforeWei: decodeUint(bytes.subarray(8 + WORD)),
  }),
}

export const baseFee: StateItem<SetBaseFee> = item(STORE, 0x03, baseFeeValue)
/** COINBASE of every block, 20 bytes. */
export const coinbase: StateItem<Uint8Array> = item(STORE, 0x04, bytesValue)
/** PREVRANDAO of the next block, 32 bytes. */
export const prevRandao: StateItem<Uint8Array> = item(STORE, 0x05, bytesValue)
/** Accounts whose transactions need no signature. */
export const impersonated: StateKeySet<Uint8Array, never> = keySet(STORE, 0x06, evmAddressKey)
/** Present, without bytes, if transactions of no account need a signature. */
export const impersonatesAll: StateItem<Uint8Array> = item(STORE, 0x07, bytesValue)
/** Accounts that ECRECOVER returns for signatures: r, s and 27 or 28. */
export const signatures: StateMap<Uint8Array, Uint8Array, never> = map(STORE, 0x08, bytesKey, bytesValue)
/** Present, without bytes, if there are such signatures: calls read one key. */
export const hasSignatures: StateItem<Uint8Array> = item(STORE, 0x09, bytesValue)
export const PRESENT: Uint8Array = EMPTY

/** Returns the state without its gas meter: settings of a development chain cost no transaction gas. */
function free(ctx: ReadContext | Context): ReadState {
  return 'branchStore' in ctx ? { store: ctx.branchStore, identity: ctx.identity } : ctx
}

/** Returns the base fee of the block in progress; on a committed state, of the block after it. Unit: wei. */
export function baseFeeWei(ctx: ReadContext): bigint {
  return baseFee.get(free(ctx))?.wei ?? BASE_FEE_WEI
}

/** Returns the base fee that the previous block recorded (D40). Unit: wei. */
export function parentBaseFeeWei(ctx: ReadContext): bigint {
  const set = baseFee.get(free(ctx))
  if (!set) return BASE_FEE_WEI
  return ctx.block.height > set.since ? set.wei : set.beforeWei
}

/** Whether transactions of the account need no signature. */
export function isImpersonated(ctx: ReadContext, address: Uint8Array): boolean {
  return impersonated.has(free(ctx), address) || impersonatesAll.has(free(ctx))
}

/** Whether ECRECOVER returns another account than that of the key for any signature. */
export function impersonatesSignatures(ctx: ReadContext): boolean {
  return hasSignatures.has(free(ctx))
}

/** Returns the account that was set for a signature of 65 bytes; undefined if the key determines it. */
export function impersonatedSigner(ctx: ReadContext, signature: Uint8Array): Uint8Array | undefined {
  return signatures.get(free(ctx), signature)
}

/** Returns the COINBASE that was set; undefined if the proposer determines it. */
export function coinbaseOverride(ctx: ReadContext): Uint8Array | undefined {
  return coinbase.get(free(ctx))
}

/** Returns the PREVRANDAO that was set for the next block; undefined if it follows from the block. */
export function prevRandaoOverride(ctx: ReadContext): Uint8Array | undefined {
  return prevRandao.get(free(ctx))
}

/** Clears the settings for a single block. Call it at the end of each block. */
export function endOfBlock(ctx: Context): void {
  if (prevRandao.has(ctx)) prevRandao.delete(ctx)
}
