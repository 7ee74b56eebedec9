/** Collections of store `bank` (docs/modules/bank.md#state). */
import { type Metadata, MetadataSchema, type Params, ParamsSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import {
  bytesValue,
  cacheLast,
  intTextValue,
  protoValue,
  uint256Value,
  wrappedBoolValue,
} from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { accountTextKey, addressKey, bareStringKey, pairKey, stringKey } from '../../store/collections/key-codecs.ts'

export const STORE = 'bank'
/** First bytes of the keys of `balances` and `remainders`. */
export const BALANCE_PREFIX = 0x02
export const REMAINDER_PREFIX = 0x0f

/** Supplies by denom; absent at 0. */
export const supplies = map(STORE, 0x00, bareStringKey, intTextValue)
export const metadatas = map<string, Metadata>(STORE, 0x01, bareStringKey, protoValue(MetadataSchema))
/** Balances by holder and denom; absent at 0. */
export const balances = map(STORE, BALANCE_PREFIX, pairKey(addressKey, bareStringKey), intTextValue)
/** Index of owners by denom and holder, with one zero byte as value. */
export const owners = map(STORE, 0x03, pairKey(stringKey, addressKey), bytesValue)
export const sendEnabled = map(STORE, 0x04, bareStringKey, wrappedBoolValue)
export const params = bareItem<Params>(STORE, 0x05, cacheLast(protoValue(ParamsSchema)))
/** Remainders below one base unit by holder: 1 to 10^12 - 1 wei; absent at 0. */
export const remainders = map(STORE, REMAINDER_PREFIX, accountTextKey, uint256Value)

/** Transient key of the sum of the block's changes to wei balances, as signed text. */
export const WEI_DELTA_KEY = Uint8Array.of(0x10, 0, 0, 0, 0, 0, 0, 0, 0)
