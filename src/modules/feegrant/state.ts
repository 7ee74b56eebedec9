/** Collections of store `feegrant` (docs/modules/feegrant.md#state). */
import { type Grant, GrantSchema } from '../../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { emptyValue, protoValue } from '../../store/collections/codecs.ts'
import { map } from '../../store/collections/collections.ts'
import { addressKey, pairKey, timeKey, tripleKey } from '../../store/collections/key-codecs.ts'

const STORE = 'feegrant'

/** Allowances by grantee and granter. */
export const grants = map<readonly [Uint8Array, Uint8Array], Grant, Uint8Array>(
  STORE,
  0x00,
  pairKey(addressKey, addressKey),
  protoValue(GrantSchema),
)

/** Expiring allowances by expiration, grantee and granter. */
export const queue = map<
  readonly [bigint, Uint8Array, Uint8Array],
  true,
  readonly [bigint] | readonly [bigint, Uint8Array]
>(STORE, 0x01, tripleKey(timeKey, addressKey, addressKey), emptyValue)
