/** Collections of store `epochs` (docs/modules/epochs.md#state). */
import { type EpochInfo, EpochInfoSchema } from '../../gen/chain/epochs/v1beta1/epochs_pb.ts'
import { protoValue } from '../../store/collections/codecs.ts'
import { map } from '../../store/collections/collections.ts'
import { stringKey } from '../../store/collections/key-codecs.ts'

/** Records by identifier. */
export const records = map<string, EpochInfo>('epochs', 0x01, stringKey, protoValue(EpochInfoSchema))
