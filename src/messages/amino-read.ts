/** Amino JSON read back to messages: the inverse of `sdk/amino-fields.ts`. */
import { create, type DescField, type DescMessage, getOption, type Message, ScalarType } from '@bufbuild/protobuf'
import { type Any, DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { base64 } from '@scure/base'
import { Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { field_name } from '../gen/amino/amino_pb.ts'
import * as decimal from '../primitives/decimal.ts'
import { readEvm } from '../primitives/evm-address.ts'
import { parseRfc3339, toDuration, toTimestamp } from '../primitives/time.ts'

/** The forms that depend on a profile. */
export interface AminoReading {
  /** Translates a neutral field name. */
  readonly fieldName: (neutral: string) => string
  readonly any: (value: unknown, where: string) => Any
}

const LONG: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function unreadable(where: string, expected: string, value: unknown): TypeError {
  return new TypeError(`amino JSON: ${where} is ${JSON.stringify(value)}: must be ${expected}`)
}

/**
 * Returns the message that an amino value shows. Throws a `TypeError` that names the field with the wrong value. Bounded by: the
 * levels of the value.
 */
export function readAmino(
  reading: AminoReading,
  schema: DescMessage,
  value: unknown,
  where: string = schema.typeName,
): Message {
  if (schema.typeName === 'google.protobuf.Timestamp') {
    const timeNs = typeof value === 'string' ? parseRfc3339(value) : undefined
    if (timeNs === undefined) throw unreadable(where, 'a time in RFC 3339', value)
    return create(TimestampSchema, toTimestamp(timeNs))
  }
  if (schema.typeName === 'google.protobuf.Duration') {
    return create(DurationSchema, toDuration(readInteger(value, `${where}, in nanoseconds`)))
  }
  if (schema.typeName === 'google.protobuf.Any') return reading.any(value, where)
  if (!isObject(value)) throw unreadable(where, 'an object', value)
  const fields = new Map(
    schema.fields.map((field) => [getOption(field, field_name) || reading.fieldName(field.name), field]),
  )
  const out: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(value)) {
    const field = fields.get(name)
    if (!field) throw new TypeError(`amino JSON: ${where} has no field ${name}`)
    const read = readField(reading, field, given, `${where}.${name}`)
    if (field.oneof) out[field.oneof.localName] = { case: field.localName, value: read }
    else out[field.localName] = read
  }
  return create(schema, out)
}

/** Bounded by: `readAmino`. */
function readField(reading: AminoReading, field: DescField, value: unknown, where: string): unknown {
  switch (field.fieldKind) {
    case 'message':
      return readAmino(reading, field.message, value, where)
    case 'enum':
      if (typeof value !== 'number') throw unreadable(where, 'a number', value)
      return value
    case 'list':
      if (!Array.isArray(value)) throw unreadable(where, 'a list', value)
      return value.map((item, i) => {
        const at = `${where}[${i}]`
        if (field.listKind === 'message') return readAmino(reading, field.message, item, at)
        if (field.listKind === 'scalar') return readScalar(field, field.scalar, item, at)
        if (typeof item !== 'number') throw unreadable(at, 'a number', item)
        return item
      })
    case 'map':
      throw new TypeError(`amino JSON: ${where}: maps have no amino form`)
    case 'scalar':
      return readScalar(field, field.scalar, value, where)
  }
}

function readScalar(field: DescField, type: ScalarType, value: unknown, where: string): unknown {
  if (LONG.has(type)) return readInteger(value, where)
  if (type === ScalarType.BYTES) return readBytes(value, getOption(field, scalar) === Scalar.EVM_ADDRESS, where)
  if (type === ScalarType.BOOL) {
    if (typeof value !== 'boolean') throw unreadable(where, 'true or false', value)
    return value
  }
  if (type !== ScalarType.STRING) {
    if (typeof value !== 'number') throw unreadable(where, 'a number', value)
    return value
  }
  if (typeof value !== 'string') throw unreadable(where, 'a text', value)
  if (getOption(field, scalar) !== Scalar.DECIMAL) return value
  const parsed = decimal.parse(value)
  if (parsed === undefined) throw unreadable(where, 'a decimal such as "0.5"', value)
  return decimal.encode(parsed)
}

function readInteger(value: unknown, where: string): bigint {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) throw unreadable(where, 'a text of digits', value)
  return BigInt(value)
}

function readBytes(value: unknown, isAddress: boolean, where: string): Uint8Array {
  if (isAddress) {
    if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) throw unreadable(where, 'a 0x address', value)
    return readEvm(new TextEncoder().encode(value))
  }
  try {
    return base64.decode(value as string)
  } catch {
    throw unreadable(where, 'bytes in Base64', value)
  }
}
