/** Collections of store `epochs` (docs/modules/epochs.md#state). */
import { type EpochInfo, EpochInfoSchema } from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { bytesValue, cacheRecent, protoValue } from '../../store/collections/codecs.ts'
import { item, map } from '../../store/collections/collections.ts'
import { stringKey } from '../../store/collections/key-codecs.ts'

/** Records whose decoded form is cached: every block reads all of them, and few blocks change one. */
const CACHED_RECORDS = 64

/** Records by identifier. */
export const records = map<string, EpochInfo>(
  'epochs',
  0x01,
  stringKey,
  cacheRecent(protoValue(EpochInfoSchema), CACHED_RECORDS),
)

/** Present, without bytes, if development verbs move the clock of the chain (D56). Store `x`; other chains do not have it. */
export const movedClock = item<Uint8Array>('x', 0x32, bytesValue)
