/** Collections of store `authz` (docs/modules/authz.md#state). */
import {
  type Grant,
  type GrantQueueItem,
  GrantQueueItemSchema,
  GrantSchema,
} from '../../gen/sdk/authz/v1beta1/authz_pb.ts'
import { protoValue } from '../../store/collections/codecs.ts'
import { map } from '../../store/collections/collections.ts'
import { addressKey, bareStringKey, timeKey, tripleKey } from '../../store/collections/key-codecs.ts'

const STORE = 'authz'

/** Grants by granter, grantee and type URL of the message. */
export const grants = map<
  readonly [Uint8Array, Uint8Array, string],
  Grant,
  readonly [Uint8Array] | readonly [Uint8Array, Uint8Array]
>(STORE, 0x01, tripleKey(addressKey, addressKey, bareStringKey), protoValue(GrantSchema))

/** Type URLs of expiring grants by expiration, granter and grantee. */
export const queue = map<
  readonly [bigint, Uint8Array, Uint8Array],
  GrantQueueItem,
  readonly [bigint] | readonly [bigint, Uint8Array]
>(STORE, 0x02, tripleKey(timeKey, addressKey, addressKey), protoValue(GrantQueueItemSchema))
