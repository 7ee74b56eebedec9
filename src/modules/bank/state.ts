/** Collections of store `bank` (state-layout.md §2.3). */
import { type Metadata, MetadataSchema, type Params, ParamsSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import {
  bytesValue,
  intTextValue,
  protoValue,
  remembered,
  uint256Value,
  wrappedBoolValue,
} from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { accountTextKey, addressKey, bareStringKey, pairKey, stringKey } from '../../store/collections/key-codecs.ts'

export const STORE = 'bank'
/** First bytes of the keys of `balances` and `remainders`. */
export const BALANCE_PREFIX = 0x02
export const REMAINDER_PREFIX = 0x0f

/** Denom to its supply; none at 0. */
export const supplies = map(STORE, 0x00, bareStringKey, intTextValue)
export const metadatas = map<string, Metadata>(STORE, 0x01, bareStringKey, protoValue(MetadataSchema))
/** Holder and denom to a balance; none at 0. */
export const balances = map(STORE, BALANCE_PREFIX, pairKey(addressKey, bareStringKey), intTextValue)
/** Denom and holder to one zero byte. */
export const owners = map(STORE, 0x03, pairKey(stringKey, addressKey), bytesValue)
export const sendEnabled = map(STORE, 0x04, bareStringKey, wrappedBoolValue)
export const params = bareItem<Params>(STORE, 0x05, remembered(protoValue(ParamsSchema)))
/** What a holder has below one base unit: 1 to 10^12 - 1 wei; none at 0. */
export const remainders = map(STORE, REMAINDER_PREFIX, accountTextKey, uint256Value)

/** Transient: the sum of the block's changes of wei balances, signed text. */
export const WEI_DELTA_KEY = Uint8Array.of(0x10, 0, 0, 0, 0, 0, 0, 0, 0)
