/** What a development chain pretends, in store `x` (D29): absent on every other chain. */
import { concat, decodeUint, decodeUint64, EMPTY, encodeUint, encodeUint64 } from '../../../primitives/bytes.ts'
import { bytesValue, type ValueCodec } from '../../../store/collections/codecs.ts'
import { item, keySet, type StateItem, type StateKeySet } from '../../../store/collections/collections.ts'
import { evmAddressKey } from '../../../store/collections/key-codecs.ts'

const STORE = 'x'
const WORD = 32

/** A base fee that was set, and the first block it holds for. Unit: wei. */
export interface SetBaseFee {
  readonly wei: bigint
  readonly since: bigint
  /** What held before. */
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
/** Who gets COINBASE, 20 bytes. */
export const coinbase: StateItem<Uint8Array> = item(STORE, 0x04, bytesValue)
/** PREVRANDAO of the next block that is not administrative, 32 bytes. */
export const prevRandao: StateItem<Uint8Array> = item(STORE, 0x05, bytesValue)
/** Accounts that send without a signature. */
export const impersonated: StateKeySet<Uint8Array, never> = keySet(STORE, 0x06, evmAddressKey)
/** Present, with no bytes, if every account does. */
export const impersonatesAll: StateItem<Uint8Array> = item(STORE, 0x07, bytesValue)
export const PRESENT: Uint8Array = EMPTY
