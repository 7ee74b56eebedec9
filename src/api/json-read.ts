/** Reads JSON bodies into messages. Keys can be original, camel-case or profile names; unknown keys are ignored. */
import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  type Message,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { fieldOption } from '../identity/options.ts'
import { messageType } from '../identity/registry.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { parseEvm } from '../primitives/address.ts'
import { parseBase64, utf8 } from '../primitives/bytes.ts'
import * as decimal from '../primitives/decimal.ts'
import { MAX_LEVELS } from '../primitives/nesting.ts'
import { parseDuration, parseRfc3339, toDuration, toTimestamp } from '../primitives/time.ts'
import { violation } from './errors.ts'
import { integerRange } from './integers.ts'

/** Reads a body. An empty text and `null` are an empty message. Throws `invalidArgument` naming the field. */
export function readJson(identity: Identity, schema: DescMessage, text: string): Message {
  const json = parseFirst(text)
  if (json === undefined || json === null) return create(schema)
  return readMessage(identity, schema, json, '', 0)
}

/** Parses the first JSON value of a text and ignores the rest. */
function parseFirst(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch (error) {
    const end = endOfFirstObject(text)
    if (end === undefined) throw violation('body', (error as Error).message)
    try {
      return JSON.parse(text.slice(0, end))
    } catch (inner) {
      throw violation('body', (inner as Error).message)
    }
  }
}

function endOfFirstObject(text: string): number | undefined {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '"') {
      i++
      while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
    } else if (character === '{' || character === '[') {
      depth++
    } else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return i + 1
    }
  }
  return undefined
}

const fieldsByName = new Map<DescMessage, ReadonlyMap<string, DescField>>()

function fieldsOf(schema: DescMessage): ReadonlyMap<string, DescField> {
  let fields = fieldsByName.get(schema)
  if (!fields) {
    fields = new Map(
      schema.fields.flatMap((field) => [field.name, field.jsonName].map((name) => [name, field] as const)),
    )
    fieldsByName.set(schema, fields)
  }
  return fields
}

function readMessage(identity: Identity, schema: DescMessage, json: unknown, path: string, depth: number): Message {
  if (depth > MAX_LEVELS) throw violation(path, 'nested too deeply')
  if (schema.typeName === 'google.protobuf.Timestamp') {
    const timeNs = typeof json === 'string' ? parseRfc3339(json) : undefined
    if (timeNs === undefined) throw violation(path, 'not an RFC 3339 time')
    return create(schema, toTimestamp(timeNs) as never)
  }
  if (schema.typeName === 'google.protobuf.Duration') {
    const durationNs = typeof json === 'string' ? parseDuration(json) : undefined
    if (durationNs === undefined) throw violation(path, 'not a duration such as 1.5s')
    return create(schema, toDuration(durationNs) as never)
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json))
    throw violation(path || 'body', 'not a JSON object')
  if (schema.typeName === AnySchema.typeName) return readAny(identity, json, path, depth)
  const fields = fieldsOf(schema)
  const message = create(schema)
  const slots = message as unknown as Record<string, unknown>
  for (const [key, value] of Object.entries(json)) {
    const field = fields.get(key) ?? fields.get(identity.toNeutralField(key))
    if (!field || value === null) continue
    const read = readField(identity, field, value, path === '' ? key : `${path}.${key}`, depth)
    if (field.oneof) slots[field.oneof.localName] = { case: field.localName, value: read }
    else slots[field.localName] = read
  }
  return message
}

function readAny(identity: Identity, json: object, path: string, depth: number): Message {
  const { '@type': type, ...content } = json as Record<string, unknown>
  if (type === undefined && Object.keys(content).length === 0) return create(AnySchema)
  if (typeof type !== 'string') throw violation(path, '@type is missing')
  const schema = messageType(neutralTypeName(identity, type))
  if (!schema) throw violation(path, `unknown message type "${type}"`)
  const special = schema.typeName === 'google.protobuf.Timestamp' || schema.typeName === 'google.protobuf.Duration'
  const message = readMessage(identity, schema, special ? content['value'] : content, path, depth + 1)
  return create(AnySchema, { typeUrl: `/${identity.toProfileName(schema.typeName)}`, value: toBinary(schema, message) })
}

function readField(identity: Identity, field: DescField, json: unknown, path: string, depth: number): unknown {
  if (field.fieldKind === 'list') {
    if (!Array.isArray(json)) throw violation(path, 'not a list')
    return json.map((item, i) => readValue(identity, field, item, `${path}[${i}]`, depth))
  }
  if (field.fieldKind === 'map') {
    if (typeof json !== 'object' || Array.isArray(json)) throw violation(path, 'not a JSON object')
    return Object.fromEntries(
      Object.entries(json as object).map(([key, item]) => [
        key,
        readValue(identity, field, item, `${path}.${key}`, depth),
      ]),
    )
  }
  return readValue(identity, field, json, path, depth)
}

function readValue(identity: Identity, field: DescField, json: unknown, path: string, depth: number): unknown {
  if (field.message) return readMessage(identity, field.message, json, path, depth + 1)
  if (field.enum) return readEnum(field.enum, json, path)
  return readScalar(field, json, path)
}

function readEnum(type: DescEnum, json: unknown, path: string): number {
  if (typeof json === 'number') return Number(readInteger(ScalarType.INT32, json, path))
  const value = type.values.find(({ name }) => name === json)
  if (value) return value.number
  const shown = typeof json === 'string' ? JSON.stringify(json) : 'that is neither a name nor a number'
  throw violation(path, `unknown value ${shown} for enum ${type.typeName}`)
}

function readScalar(field: DescField, json: unknown, path: string): unknown {
  const kind = fieldOption(field, scalar, Scalar.UNSPECIFIED)
  switch (field.scalar) {
    case ScalarType.STRING:
      if (typeof json !== 'string') throw violation(path, 'not a string')
      return kind === Scalar.DECIMAL ? readDecimal(json, path) : json
    case ScalarType.BYTES: {
      if (typeof json !== 'string') throw violation(path, 'not base64')
      if (kind === Scalar.DECIMAL) return utf8(readDecimal(json, path))
      const bytes = kind === Scalar.EVM_ADDRESS ? parseEvm(json) : parseBase64(json)
      if (!bytes) throw violation(path, kind === Scalar.EVM_ADDRESS ? 'not a hexadecimal address' : 'not base64')
      return bytes
    }
    case ScalarType.BOOL:
      if (typeof json !== 'boolean') throw violation(path, 'neither true nor false')
      return json
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE: {
      const number = typeof json === 'number' || typeof json === 'string' ? Number(json) : Number.NaN
      if (Number.isNaN(number) && json !== 'NaN') throw violation(path, 'not a number')
      return number
    }
    default:
      return readInteger(field.scalar as ScalarType, json, path)
  }
}

function readDecimal(text: string, path: string): string {
  const value = decimal.parse(text)
  if (value === undefined) throw violation(path, 'not a decimal of at most 18 places')
  return decimal.encode(value)
}

function readInteger(type: ScalarType, json: unknown, path: string): bigint | number {
  const text = typeof json === 'string' ? json.trim() : typeof json === 'number' ? String(json) : ''
  if (!/^-?\d{1,20}$/.test(text)) throw violation(path, 'not an integer')
  if (typeof json === 'number' && !Number.isSafeInteger(json))
    throw violation(path, 'too large for a JSON number: send it as a string')
  const { min, max, big } = integerRange(type)
  const value = BigInt(text)
  if (value < min || value > max) throw violation(path, `out of range (${min} to ${max})`)
  return big ? value : Number(value)
}
