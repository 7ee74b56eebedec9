/** Store `evidence` (docs/modules/evidence.md#state). */
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { protoValue } from '../../store/collections/codecs.ts'
import { map } from '../../store/collections/collections.ts'
import { hashKey } from '../../store/collections/key-codecs.ts'

/** Recorded infractions by sha256 of their bytes. */
export const records = map<Uint8Array, Any>('evidence', 0x00, hashKey, protoValue(AnySchema))
