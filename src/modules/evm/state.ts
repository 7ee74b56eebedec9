/** What the module keeps (state-layout.md §2.1), and what is ours alone in store `x` (D29). */
import { FunTokenSchema, type Params, ParamsSchema } from '../../gen/chain/evm/v1/evm_pb.ts'
import { concat, encodeUint64 } from '../../primitives/bytes.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import {
  bytesValue,
  intTextValue,
  protoValue,
  remembered,
  stringValue,
  type ValueCodec,
} from '../../store/collections/codecs.ts'
import { item, keySet, map, type StateItem, type StateMap } from '../../store/collections/collections.ts'
import { evmAddressKey, hashKey, pairKey, stringKey } from '../../store/collections/key-codecs.ts'

export const EVM_STORE = 'evm'
const OWN_STORE = 'x'

/** Mints and burns for mappings, and owns the contracts made from coins. */
export const evmAccount = moduleAccount('evm', 'minter', 'burner')

/** Code by its Keccak-256 hash; never removed. */
export const codes: StateMap<Uint8Array, Uint8Array, never> = map(EVM_STORE, 0x01, hashKey, bytesValue)

/** Slots by address and number; a slot of value zero is absent. Values have 32 bytes. */
export const slots: StateMap<readonly [Uint8Array, Uint8Array], Uint8Array, Uint8Array> = map(
  EVM_STORE,
  0x02,
  pairKey(evmAddressKey, hashKey),
  bytesValue,
)

/** Key of a slot as `slots` has it, without its codec's detours: the hottest read there is. */
export function slotKey(address: Uint8Array, slot: Uint8Array): Uint8Array {
  const key = new Uint8Array(53)
  key[0] = 0x02
  key.set(address, 1)
  key.set(slot, 21)
  return key
}

export const params: StateItem<Params> = item(EVM_STORE, 0x03, remembered(protoValue(ParamsSchema)))

/** Mappings by id, and their ids by contract and by denom. */
export const funTokens = map(EVM_STORE, 0x05, hashKey, protoValue(FunTokenSchema))
export const funTokensByErc20 = keySet(EVM_STORE, 0x06, pairKey(evmAddressKey, hashKey))
export const funTokensByDenom = keySet(EVM_STORE, 0x07, pairKey(stringKey, hashKey))

/** Sum of the wei that blocks did not balance to; absent while every block did. */
export const netWeiDelta: StateItem<bigint> = item(EVM_STORE, 0x08, intTextValue)

/** Who made a contract: the account that created it, and the sender of the transaction it happened in. */
export interface Creation {
  readonly creator: Uint8Array
  readonly origin: Uint8Array
}

const creationValue: ValueCodec<Creation> = {
  encode: (_ctx, { creator, origin }) => concat(creator, origin),
  decode: (_ctx, encoded) => ({ creator: encoded.slice(0, 20), origin: encoded.slice(20, 40) }),
}

/** By contract address (D12). */
export const creations: StateMap<Uint8Array, Creation, never> = map(OWN_STORE, 0x01, evmAddressKey, creationValue)

/** Name of the fork whose rules the chain runs under, fixed at genesis. */
export const fork: StateItem<string> = item(OWN_STORE, 0x02, stringValue)

/** Values of one block, in the transient store. */
export const TRANSIENT_STORE = 'transient_evm'
const transientKey = (prefix: number): Uint8Array => concat(Uint8Array.of(prefix), encodeUint64(0n))
export const BLOOM_KEY: Uint8Array = transientKey(0x01)
export const TX_INDEX_KEY: Uint8Array = transientKey(0x02)
export const LOG_COUNT_KEY: Uint8Array = transientKey(0x03)
/** Ours: gas used by the EVM transactions of the block so far. */
export const GAS_USED_KEY: Uint8Array = transientKey(0x40)
