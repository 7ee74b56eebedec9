/** Messages as legacy amino JSON by their descriptors, without anything of Node.js: wallets in browsers run this code, too. */
import type { DescField } from '@bufbuild/protobuf'
import { getOption } from '@bufbuild/protobuf'
import type { ReflectMessage } from '@bufbuild/protobuf/reflect'
import type { Any } from '@bufbuild/protobuf/wkt'
import { base64 } from '@scure/base'
import { non_null, Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { dont_omitempty, field_name } from '../gen/amino/amino_pb.ts'
import * as decimal from '../primitives/decimal.ts'
import { readEvm } from '../primitives/evm-address.ts'
import { formatRfc3339Nano, fromTimestamp, ZERO_TIME_NS } from '../primitives/time.ts'
import { errors } from './errors.ts'

export type AminoValue = null | boolean | number | string | AminoValue[] | { [key: string]: AminoValue }

/** An absent time, which Go reads as its zero time. */
const ZERO_TIME = formatRfc3339Nano(ZERO_TIME_NS)

/** The forms that depend on a profile or on the surroundings. */
export interface AminoForms {
  /** Translates a neutral field name. */
  readonly fieldName: (neutral: string) => string
  /** Formats 20 bytes as a checksummed address (EIP-55). */
  readonly evmAddress: (bytes: Uint8Array) => string
  readonly any: (any: Any) => AminoValue
}

/** Returns a message by its fields. Bounded by: the levels of the message. */
export function aminoFields(forms: AminoForms, reflected: ReflectMessage): AminoValue {
  const { desc } = reflected
  if (desc.typeName === 'google.protobuf.Timestamp') return formatRfc3339Nano(fromTimestamp(reflected.message as never))
  if (desc.typeName === 'google.protobuf.Duration') return fromTimestamp(reflected.message as never).toString()
  if (desc.typeName === 'google.protobuf.Any') return forms.any(reflected.message as Any)
  const out: { [key: string]: AminoValue } = {}
  for (const field of desc.fields) {
    const always = !field.oneof && (getOption(field, dont_omitempty) || isValueField(field))
    if (!reflected.isSet(field) && !always) continue
    const value = fieldValue(forms, reflected, field)
    if (value !== undefined) out[getOption(field, field_name) || forms.fieldName(field.name)] = value
  }
  return out
}

/** Whether a field is an integer or decimal that is written even when it is zero. */
function isValueField(field: DescField): boolean {
  return field.fieldKind === 'scalar' && getOption(field, scalar) !== Scalar.UNSPECIFIED && getOption(field, non_null)
}

/** Bounded by: `aminoFields`. */
function fieldValue(forms: AminoForms, reflected: ReflectMessage, field: DescField): AminoValue | undefined {
  switch (field.fieldKind) {
    case 'message':
      if (!reflected.isSet(field) && field.message.typeName === 'google.protobuf.Timestamp') return ZERO_TIME
      return aminoFields(forms, reflected.get(field))
    case 'enum':
      return reflected.get(field)
    case 'list':
      return [...reflected.get(field)].map((item) =>
        field.listKind === 'message' ? aminoFields(forms, item as ReflectMessage) : scalarValue(forms, field, item),
      )
    case 'map':
      throw errors.notSupported(`amino JSON of ${field.parent.typeName}.${field.name}`)
    default:
      return scalarValue(forms, field, reflected.get(field))
  }
}

function scalarValue(forms: AminoForms, field: DescField, value: unknown): AminoValue {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) {
    return getOption(field, scalar) === Scalar.EVM_ADDRESS ? forms.evmAddress(readEvm(value)) : base64.encode(value)
  }
  if (typeof value === 'string') {
    switch (getOption(field, scalar)) {
      case Scalar.DECIMAL:
        return decimal.format(decimal.decode(value) ?? decimal.zero)
      case Scalar.INTEGER:
        return value === '' ? '0' : value
      default:
        return value
    }
  }
  return value as boolean | number
}
