/** Messages as JSON inside the state machine: genesis documents, exports and typed events (docs/gateways.md#json). */
import type { DescField, DescMessage, JsonValue, Message, MessageShape } from '@bufbuild/protobuf'
import { create, getOption, ScalarType, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { non_null, Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { complete } from '../identity/complete.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { formatEip55, parseEvm } from '../primitives/address.ts'
import { formatBase64, formatHex, formatUtf8, utf8 } from '../primitives/bytes.ts'
import * as decimal from '../primitives/decimal.ts'
import { readEvm } from '../primitives/evm-address.ts'
import { MAX_LEVELS } from '../primitives/nesting.ts'
import {
  formatDuration,
  formatRfc3339,
  fromTimestamp,
  parseDuration,
  parseRfc3339,
  toDuration,
  toTimestamp,
} from '../primitives/time.ts'
import type { AppFacts } from './context.ts'
import { decodeMessage } from './decode.ts'
import { errors } from './errors.ts'
import { isDuration } from './time-range.ts'
import { typesOf } from './tx.ts'

/** Counts the elements of lists while they are read. */
export interface ElementCounter {
  readonly count: number
  add(): void
}

/** Names that JSON depends on, besides the message. Every context provides them. */
export interface JsonNames {
  readonly identity: Identity
  readonly app: Pick<AppFacts, 'message'>
  /** Present for a genesis whose progress is shown. An element with lists of its own counts as their elements. */
  readonly elements?: ElementCounter
}

type JsonObject = { [key: string]: JsonValue }

/**
 * The writer of one field: its name under the profile, and a function that returns its JSON value, or undefined for an unset
 * part of a oneof.
 */
export interface FieldWriter {
  readonly name: string
  readonly write: (names: JsonNames, message: Message) => JsonValue | undefined
}

type ValueWriter = (names: JsonNames, value: unknown) => JsonValue

/** Field writers by profile and descriptor, built once. */
const writers = new WeakMap<Identity, Map<DescMessage, readonly FieldWriter[]>>()

/** Returns the writers of a message's fields, in the order of the descriptor. Bounded by: the descriptors. */
export function fieldWriters(identity: Identity, schema: DescMessage): readonly FieldWriter[] {
  let known = writers.get(identity)
  if (!known) {
    known = new Map()
    writers.set(identity, known)
  }
  let found = known.get(schema)
  if (!found) {
    found = schema.fields.map((field) => fieldWriter(identity, field))
    known.set(schema, found)
  }
  return found
}

/**
 * Returns a message as JSON under its profile's names. Defaults are written: an absent message as `null`, an empty list as
 * `[]`. 64-bit integers are text. Bounded by: the levels of the message, which were counted when it was read.
 */
export function toJson<Desc extends DescMessage>(
  names: JsonNames,
  schema: Desc,
  message: MessageShape<Desc>,
): JsonValue {
  return messageJson(names, schema, message)
}

/** Bounded by: `toJson`. */
function messageJson(names: JsonNames, schema: DescMessage, message: Message): JsonValue {
  if (schema.typeName === 'google.protobuf.Timestamp') return formatRfc3339(message as never)
  if (schema.typeName === 'google.protobuf.Duration') return formatDuration(message as never)
  if (schema.typeName === 'google.protobuf.Any') return anyJson(names, message as Any)
  const out: JsonObject = {}
  for (const { name, write } of fieldWriters(names.identity, schema)) {
    const value = write(names, message)
    if (value !== undefined) out[name] = value
  }
  return out
}

/** Bounded by: `toJson`. */
function anyJson(names: JsonNames, packed: Any): JsonValue {
  const schema = names.app.message(neutralTypeName(names.identity, packed.typeUrl))
  if (!schema) return { '@type': packed.typeUrl, value: formatBase64(packed.value) }
  const typeUrl = `/${names.identity.toProfileName(schema.typeName)}`
  const content = decodeMessage(schema, packed.value, {
    typeOf: typesOf(names.app, names.identity),
    refuse: 'critical',
  })
  return { '@type': typeUrl, ...(toJson(names, schema, content) as JsonObject) }
}

/** Bounded by: `fieldWriters`. */
function fieldWriter(identity: Identity, field: DescField): FieldWriter {
  const name = identity.toProfileField(field.name)
  const { oneof, localName } = field
  const value = valueWriter(field)
  const slot = (message: Message) => (message as unknown as Record<string, unknown>)[localName]
  if (oneof) {
    const write: FieldWriter['write'] = (names, message) => {
      const chosen = (message as unknown as Record<string, { case?: string; value?: unknown }>)[oneof.localName]
      return chosen?.case === localName ? value(names, chosen.value) : undefined
    }
    return { name, write }
  }
  if (field.fieldKind === 'list') {
    return { name, write: (names, message) => (slot(message) as unknown[]).map((item) => value(names, item)) }
  }
  if (field.fieldKind === 'message') {
    const empty = getOption(field, non_null) ? create(field.message) : undefined
    const write: FieldWriter['write'] = (names, message) => {
      const part = slot(message) ?? empty
      return part === undefined ? null : value(names, part)
    }
    return { name, write }
  }
  return { name, write: (names, message) => value(names, slot(message)) }
}

/** Bounded by: `fieldWriters`. */
function valueWriter(field: DescField): ValueWriter {
  const { message, fieldKind } = field
  if (fieldKind === 'map') throw new TypeError(`${field.parent.typeName}.${field.name}: a map has no order`)
  if (message) return (names, value) => messageJson(names, message, value as Message)
  if (field.enum) {
    const { value: values } = field.enum
    return (_names, value) => values[value as number]?.name ?? (value as number)
  }
  const kind = getOption(field, scalar)
  return (_names, value) => scalarJson(kind, value)
}

function scalarJson(kind: Scalar, value: unknown): JsonValue {
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) {
    if (kind === Scalar.INTEGER) return formatUtf8(value) || '0'
    if (kind === Scalar.DECIMAL) return decimal.format(decimal.decode(formatUtf8(value)) ?? decimal.zero)
    if (kind === Scalar.EVM_ADDRESS && value.length > 0) return formatEip55(readEvm(value))
    if (kind === Scalar.UPPER_HEX) return formatHex(value).toUpperCase()
    return value.length === 0 ? null : formatBase64(value)
  }
  if (kind === Scalar.DECIMAL) return decimal.format(decimal.decode(value as string) ?? decimal.zero)
  if (kind === Scalar.INTEGER && value === '') return '0'
  return (value ?? null) as JsonValue
}

/**
 * Parses JSON with neutral or profile names into a message. Throws sdk 17 with the path of an unknown field, or of a value
 * that does not fit its field, and sdk 2 for more than `MAX_LEVELS` levels.
 */
export function fromJson<Desc extends DescMessage>(
  names: JsonNames,
  schema: Desc,
  json: JsonValue,
  path = schema.typeName as string,
): MessageShape<Desc> {
  return read(names, schema, json, path, 1) as MessageShape<Desc>
}

function wrong(path: string, expected: string): never {
  throw errors.jsonUnmarshal(`${path}: ${expected} expected`)
}

/** Reads a message at a level. Bounded by: `MAX_LEVELS`. */
function read(names: JsonNames, schema: DescMessage, json: JsonValue, path: string, level: number): Message {
  if (level > MAX_LEVELS) throw errors.txDecode(`${path}: nested deeper than ${MAX_LEVELS} levels`)
  if (schema.typeName === 'google.protobuf.Timestamp') {
    const timeNs = typeof json === 'string' ? parseRfc3339(json) : undefined
    return create(schema, (timeNs === undefined ? wrong(path, 'an RFC 3339 time') : toTimestamp(timeNs)) as never)
  }
  if (schema.typeName === 'google.protobuf.Duration') {
    const durationNs = typeof json === 'string' ? parseDuration(json) : undefined
    if (durationNs === undefined || !isDuration(durationNs)) return wrong(path, 'a duration')
    return create(schema, toDuration(durationNs) as never)
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json)) return wrong(path, 'an object')
  if (schema.typeName === 'google.protobuf.Any') return readAny(names, json, path, level)
  const fields = new Map<string, DescField>()
  for (const field of schema.fields) {
    for (const name of [field.name, field.jsonName, names.identity.toProfileField(field.name)]) fields.set(name, field)
  }
  const init: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(json)) {
    const field = fields.get(key)
    if (!field) throw errors.jsonUnmarshal(`${path}: unknown field ${key}`)
    if (value === null || value === undefined) continue
    const parsed = readField(names, field, value, `${path}.${key}`, level)
    if (field.oneof) init[field.oneof.localName] = { case: field.localName, value: parsed }
    else init[field.localName] = parsed
  }
  return create(schema, init as never)
}

/** Reads an Any. Bounded by: `read`. */
function readAny(names: JsonNames, json: JsonObject, path: string, level: number): Any {
  const { '@type': type, ...rest } = json
  if (typeof type !== 'string') return wrong(`${path}.@type`, 'a type URL')
  const schema = names.app.message(neutralTypeName(names.identity, type))
  if (!schema) throw errors.jsonUnmarshal(`${path}: unable to resolve type URL ${type}`)
  const typeUrl = `/${names.identity.toProfileName(schema.typeName)}`
  const content = read(names, schema, rest, path, level + 1)
  return create(AnySchema, { typeUrl, value: toBinary(schema, complete(schema, content)) })
}

/** Reads a field. Bounded by: `read`. */
function readField(names: JsonNames, field: DescField, json: JsonValue, path: string, level: number): unknown {
  if (field.fieldKind === 'list') {
    if (!Array.isArray(json)) return wrong(path, 'a list')
    const { elements } = names
    return json.map((item, i) => {
      const before = elements?.count
      const value = readSingle(names, field, item, `${path}[${i}]`, level)
      if (elements?.count === before) elements?.add()
      return value
    })
  }
  return readSingle(names, field, json, path, level)
}

/** Reads one value of a field. Bounded by: `read`. */
function readSingle(names: JsonNames, field: DescField, json: JsonValue, path: string, level: number): unknown {
  if (field.message) return read(names, field.message, json, path, level + 1)
  if (field.enum) {
    const value = field.enum.values.find(({ name, number }) => name === json || number === json)
    return value ? value.number : wrong(path, `a ${field.enum.typeName}`)
  }
  return readScalar(field, json, path)
}

const INTEGER_TEXT = /^-?\d{1,78}$/

const signed = (bits: bigint) => ({ least: -(1n << (bits - 1n)), most: (1n << (bits - 1n)) - 1n })
const unsigned = (bits: bigint) => ({ least: 0n, most: (1n << bits) - 1n })

/** The range of each integer type. */
const INTEGERS: ReadonlyMap<ScalarType, { readonly least: bigint; readonly most: bigint }> = new Map([
  ...[ScalarType.INT64, ScalarType.SINT64, ScalarType.SFIXED64].map((type) => [type, signed(64n)] as const),
  ...[ScalarType.UINT64, ScalarType.FIXED64].map((type) => [type, unsigned(64n)] as const),
  ...[ScalarType.INT32, ScalarType.SINT32, ScalarType.SFIXED32].map((type) => [type, signed(32n)] as const),
  ...[ScalarType.UINT32, ScalarType.FIXED32].map((type) => [type, unsigned(32n)] as const),
])

/** Returns a `bigint` for a field of 64 bits, else a `number`. Throws sdk 17. */
function readInteger(type: ScalarType, json: JsonValue, path: string): bigint | number {
  const { least, most } = INTEGERS.get(type)!
  const text = typeof json === 'string' || typeof json === 'number' ? String(json) : ''
  if (!/^-?\d{1,20}$/.test(text)) return wrong(path, 'an integer')
  const value = BigInt(text)
  if (value < least || value > most) return wrong(path, `an integer from ${least} to ${most}`)
  return most > BigInt(Number.MAX_SAFE_INTEGER) ? value : Number(value)
}

function readScalar(field: DescField, json: JsonValue, path: string): unknown {
  const kind = getOption(field, scalar)
  const type = field.scalar as ScalarType
  if (type === ScalarType.STRING) {
    if (typeof json !== 'string') return wrong(path, 'text')
    if (kind === Scalar.DECIMAL) {
      const value = decimal.parse(json)
      return value === undefined ? wrong(path, 'a decimal') : decimal.encode(value)
    }
    return kind === Scalar.INTEGER && !INTEGER_TEXT.test(json) ? wrong(path, 'an integer') : json
  }
  if (type === ScalarType.BYTES) {
    if (typeof json !== 'string') return wrong(path, 'base64')
    if (kind === Scalar.DECIMAL) {
      const value = decimal.parse(json)
      return value === undefined ? wrong(path, 'a decimal') : utf8(decimal.encode(value))
    }
    if (kind === Scalar.EVM_ADDRESS) return parseEvm(json) ?? wrong(path, 'a 20-byte hexadecimal address')
    if (kind === Scalar.INTEGER) return INTEGER_TEXT.test(json) ? utf8(json) : wrong(path, 'an integer')
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(json)) return wrong(path, 'base64')
    return new Uint8Array(Buffer.from(json, 'base64'))
  }
  if (type === ScalarType.BOOL) return typeof json === 'boolean' ? json : wrong(path, 'true or false')
  if (INTEGERS.has(type)) return readInteger(type, json, path)
  return typeof json === 'number' ? json : wrong(path, 'a number')
}

/** Returns the nanoseconds of a Timestamp or Duration message; 0 if it is absent. */
export function nanoseconds(value: { readonly seconds: bigint; readonly nanos: number } | undefined): bigint {
  return value ? fromTimestamp(value) : 0n
}
