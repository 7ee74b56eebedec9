/** The ranges of the integer types of protobuf. */
import { ScalarType } from '@bufbuild/protobuf'
import { MAX_INT64 } from '../primitives/integers.ts'

export interface IntegerRange {
  readonly min: bigint
  readonly max: bigint
  /** Whether messages store it as a `bigint`, not as a `number`. */
  readonly big: boolean
}

const INT32: IntegerRange = { min: -(2n ** 31n), max: 2n ** 31n - 1n, big: false }
const UINT32: IntegerRange = { min: 0n, max: 2n ** 32n - 1n, big: false }
const INT64: IntegerRange = { min: -MAX_INT64 - 1n, max: MAX_INT64, big: true }
const UINT64: IntegerRange = { min: 0n, max: 2n ** 64n - 1n, big: true }

export function integerRange(type: ScalarType): IntegerRange {
  switch (type) {
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return UINT64
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return INT64
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return UINT32
    default:
      return INT32
  }
}
