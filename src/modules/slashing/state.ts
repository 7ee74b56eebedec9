/** Collections of store `slashing` (docs/modules/slashing.md#state). */
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import {
  type Params,
  ParamsSchema,
  type ValidatorSigningInfo,
  ValidatorSigningInfoSchema,
} from '../../gen/sdk/slashing/v1beta1/slashing_pb.ts'
import { bytesValue, cacheLast, protoValue, wrappedBoolValue } from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { addressKey, pairKey, uint64LittleEndianKey } from '../../store/collections/key-codecs.ts'

const STORE = 'slashing'
/** The store of values that the original layout has no key for (D29). */
const OWN_STORE = 'x'

export const params = bareItem<Params>(STORE, 0x00, cacheLast(protoValue(ParamsSchema)))
/** Signing infos by consensus address. */
export const signingInfos = map<Uint8Array, ValidatorSigningInfo>(
  STORE,
  0x01,
  addressKey,
  protoValue(ValidatorSigningInfoSchema),
)
/** Whether a block of the window was missed, by consensus address and index in the window; absent means no. */
export const missed = map(STORE, 0x02, pairKey(addressKey, uint64LittleEndianKey), wrappedBoolValue)
/** Public keys by consensus address. */
export const publicKeys = map<Uint8Array, Any>(STORE, 0x03, addressKey, protoValue(AnySchema))
/** Operators of removed validators by the consensus address of a key that signed. */
export const retiredKeys = map(OWN_STORE, 0x31, addressKey, bytesValue)
