/** Legacy amino JSON: the text that hardware wallets show and sign (docs/transactions.md#signatures). */
import type { DescField, DescMessage, Message } from '@bufbuild/protobuf'
import { getOption } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import type { Any } from '@bufbuild/protobuf/wkt'
import { non_null, other_amino_name, Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { name as aminoNameOption, dont_omitempty, field_name } from '../gen/amino/amino_pb.ts'
import type { Identity } from '../identity/types.ts'
import { formatEip55, readEvm } from '../primitives/address.ts'
import { formatBase64 } from '../primitives/bytes.ts'
import * as decimal from '../primitives/decimal.ts'
import { htmlSafe } from '../primitives/html-safe.ts'
import { formatRfc3339Nano, fromTimestamp } from '../primitives/time.ts'
import type { AppFacts } from './context.ts'
import { decodeMessage } from './decode.ts'
import { errors } from './errors.ts'
import * as publicKey from './public-key.ts'
import { typesOf } from './tx.ts'

export type AminoValue = null | boolean | number | string | AminoValue[] | { [key: string]: AminoValue }

/** Names and facts that amino JSON depends on, besides the message. */
export interface AminoNames {
  readonly identity: Identity
  readonly app: AppFacts
  /** Translates a neutral amino name to the one that the signer used. */
  readonly toName: (neutral: string) => string
  /** Whether a message with a second amino name is written under it. */
  readonly byOtherName?: boolean
}

/** Returns JSON text without blanks, with keys sorted by bytes at every level, and HTML-safe. */
export function canonicalJson(value: AminoValue): string {
  return htmlSafe(write(value))
}

/** Writes a value. Bounded by: the message that it was made of. */
function write(value: AminoValue): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key]!)}`).join(',')}}`
}

/**
 * Returns a message as `{type, value}`. Throws sdk 37 if the message has no amino name. Bounded by: `MAX_LEVELS`, since a scan
 * preceded.
 */
export function aminoMessage(names: AminoNames, schema: DescMessage, message: Message): AminoValue {
  const name = (names.byOtherName && getOption(schema, other_amino_name)) || getOption(schema, aminoNameOption)
  if (!name) throw errors.notSupported(`amino JSON of ${schema.typeName}`)
  return { type: names.toName(name), value: aminoFields(names, reflect(schema, message)) }
}

/** Bounded by: `aminoMessage`. */
function aminoFields(names: AminoNames, reflected: ReflectMessage): AminoValue {
  const { desc } = reflected
  if (desc.typeName === 'google.protobuf.Timestamp') return formatRfc3339Nano(fromTimestamp(reflected.message as never))
  if (desc.typeName === 'google.protobuf.Duration') return fromTimestamp(reflected.message as never).toString()
  if (desc.typeName === 'google.protobuf.Any') return aminoAny(names, reflected.message as Any)
  const out: { [key: string]: AminoValue } = {}
  for (const field of desc.fields) {
    const always = !field.oneof && (getOption(field, dont_omitempty) || isValueField(field))
    if (!reflected.isSet(field) && !always) continue
    const value = fieldValue(names, reflected, field)
    if (value !== undefined) out[getOption(field, field_name) || names.identity.toProfileField(field.name)] = value
  }
  return out
}

/** Whether a field is an integer or decimal that is written even when it is zero. */
function isValueField(field: DescField): boolean {
  return field.fieldKind === 'scalar' && getOption(field, scalar) !== Scalar.UNSPECIFIED && getOption(field, non_null)
}

/** Bounded by: `aminoMessage`. */
function fieldValue(names: AminoNames, reflected: ReflectMessage, field: DescField): AminoValue | undefined {
  switch (field.fieldKind) {
    case 'message':
      return aminoFields(names, reflected.get(field))
    case 'enum':
      return reflected.get(field)
    case 'list':
      return [...reflected.get(field)].map((item) =>
        field.listKind === 'message' ? aminoFields(names, item as ReflectMessage) : scalarValue(field, item),
      )
    case 'map':
      throw errors.notSupported(`amino JSON of ${field.parent.typeName}.${field.name}`)
    default:
      return scalarValue(field, reflected.get(field))
  }
}

function scalarValue(field: DescField, value: unknown): AminoValue {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) {
    return getOption(field, scalar) === Scalar.EVM_ADDRESS ? formatEip55(readEvm(value)) : formatBase64(value)
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

/** Bounded by: `aminoMessage`. */
function aminoAny(names: AminoNames, any: Any): AminoValue {
  const typeName = names.identity.toNeutralName(any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1))
  if (typeName.includes('.crypto.')) {
    return publicKey.aminoJson(names.identity, publicKey.decodePublicKey(names.identity, any)) as AminoValue
  }
  const schema = names.app.message(typeName)
  if (!schema) throw errors.unpackAny(any.typeUrl)
  const { app, identity } = names
  return aminoMessage(
    names,
    schema,
    decodeMessage(schema, any.value, { typeOf: typesOf(app, identity), refuse: 'critical' }),
  )
}
