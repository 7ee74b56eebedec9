/** Store `evidence` (state-layout.md §2.11). */
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { protoValue } from '../../store/collections/codecs.ts'
import { map } from '../../store/collections/collections.ts'
import { hashKey } from '../../store/collections/key-codecs.ts'

/** sha256 of what was done to the record of it. */
export const records = map<Uint8Array, Any>('evidence', 0x00, hashKey, protoValue(AnySchema))
