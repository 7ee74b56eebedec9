/** Collections of the module in store `evm`, and Almanac's own in store `x` (docs/modules/evm.md#state, D29). */
import { FunTokenSchema, type Params, ParamsSchema } from '../../gen/chain/evm/v1/evm_pb.ts'
import { concat, encodeUint64 } from '../../primitives/bytes.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import {
  bytesValue,
  cacheLast,
  intTextValue,
  protoValue,
  stringValue,
  type ValueCodec,
} from '../../store/collections/codecs.ts'
import { item, keySet, map, type StateItem, type StateMap } from '../../store/collections/collections.ts'
import { evmAddressKey, hashKey, pairKey, stringKey } from '../../store/collections/key-codecs.ts'

export const EVM_STORE = 'evm'
/** First byte of the keys of `slots`. */
const SLOT_PREFIX = 0x02
const OWN_STORE = 'x'

/** Module account that mints and burns coins of mappings, and owns the ERC-20 contracts of coins. */
export const evmAccount = moduleAccount('evm', 'minter', 'burner')

/** Code by its Keccak-256 hash; never removed. */
export const codes: StateMap<Uint8Array, Uint8Array, never> = map(EVM_STORE, 0x01, hashKey, bytesValue)

/** Slots by address and number; a slot of value zero is absent. Values have 32 bytes. */
export const slots: StateMap<readonly [Uint8Array, Uint8Array], Uint8Array, Uint8Array> = map(
  EVM_STORE,
  SLOT_PREFIX,
  pairKey(evmAddressKey, hashKey),
  bytesValue,
)

/** Returns the key of a slot in `slots`. It bypasses the codec, since SLOAD is the most frequent read of all. */
export function slotKey(address: Uint8Array, slot: Uint8Array): Uint8Array {
  const key = new Uint8Array(53)
  key[0] = SLOT_PREFIX
  key.set(address, 1)
  key.set(slot, 21)
  return key
}

/** Returns the contract whose slot is stored under a key; undefined if the entry is not a slot. */
export function contractAt(store: string, key: Uint8Array): Uint8Array | undefined {
  return store === EVM_STORE && key[0] === SLOT_PREFIX ? key.subarray(1, 21) : undefined
}

export const params: StateItem<Params> = item(EVM_STORE, 0x03, cacheLast(protoValue(ParamsSchema)))

/** Mappings by id; two indexes find the ids by contract and by denom. */
export const funTokens = map(EVM_STORE, 0x05, hashKey, protoValue(FunTokenSchema))
export const funTokensByErc20 = keySet(EVM_STORE, 0x06, pairKey(evmAddressKey, hashKey))
export const funTokensByDenom = keySet(EVM_STORE, 0x07, pairKey(stringKey, hashKey))

/** Sum of the wei that blocks created or lost; absent while every block was balanced. */
export const netWeiDelta: StateItem<bigint> = item(EVM_STORE, 0x08, intTextValue)

/** The creating account of a contract, and the sender of the transaction. */
export interface Creation {
  readonly creator: Uint8Array
  readonly origin: Uint8Array
}

const creationValue: ValueCodec<Creation> = {
  encode: (_ctx, { creator, origin }) => concat(creator, origin),
  decode: (_ctx, encoded) => ({ creator: encoded.slice(0, 20), origin: encoded.slice(20, 40) }),
}

/** Creators by contract address (D12). */
export const creations: StateMap<Uint8Array, Creation, never> = map(OWN_STORE, 0x01, evmAddressKey, creationValue)

/** Name of the chain's fork, fixed at genesis. */
export const fork: StateItem<string> = item(OWN_STORE, 0x02, stringValue)

/** Transient store: values of one block, never committed. */
export const TRANSIENT_STORE = 'transient_evm'
const transientKey = (prefix: number): Uint8Array => concat(Uint8Array.of(prefix), encodeUint64(0n))
export const BLOOM_KEY: Uint8Array = transientKey(0x01)
export const TX_INDEX_KEY: Uint8Array = transientKey(0x02)
export const LOG_COUNT_KEY: Uint8Array = transientKey(0x03)
/** Gas used by the EVM transactions of the block so far. The reference has no such key. */
export const GAS_USED_KEY: Uint8Array = transientKey(0x40)
