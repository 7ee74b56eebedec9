/** Collections of store `acc` (docs/modules/auth.md#state). */
import { type Params, ParamsSchema } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import { moduleAccount } from '../../sdk/module-account.ts'
import { bytesValue, cacheLast, protoValue, wrappedUint64Value } from '../../store/collections/codecs.ts'
import { bareItem, map } from '../../store/collections/collections.ts'
import { uint64Key } from '../../store/collections/key-codecs.ts'

export const STORE = 'acc'

/** First byte of account keys; the rest is the raw address. */
export const ACCOUNT_PREFIX = 0x01

export const params = bareItem<Params>(STORE, 0x00, cacheLast(protoValue(ParamsSchema)))
/** Raw addresses by account number. */
export const addressOfNumber = map(STORE, 'accountNumber', uint64Key, bytesValue)
/** The next account number. */
export const nextNumber = bareItem(STORE, 'globalAccountNumber', wrappedUint64Value)

/** The account that collects fees until distribution. */
export const feeCollector = moduleAccount('fee_collector')
