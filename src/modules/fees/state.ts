/** The parameters of fees, in the store of our own records (docs/modules/fees.md#state). */
import { type Params, ParamsSchema } from '../../gen/chain/fees/v1/fees_pb.ts'
import { cacheLast, protoValue } from '../../store/collections/codecs.ts'
import { item } from '../../store/collections/collections.ts'

/** The store of values that the original layout has no key for (D29). */
const OWN_STORE = 'x'

/** Absent until they differ from the default. */
export const params = item<Params>(OWN_STORE, 0x30, cacheLast(protoValue(ParamsSchema)))
