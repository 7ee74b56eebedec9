/**
 * Writes messages as JSON (docs/gateways.md#json, D3), by a writer that is compiled once for each message type. An absent
 * message and empty bytes are `null`, an empty list is `[]`, an unset oneof has no key, 64-bit integers are strings.
 */
import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  fromBinary,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { non_null, omit_unset, Scalar, scalar } from '../gen/almanac/options_pb.ts'
import { fieldOption } from '../identity/options.ts'
import { messageType } from '../identity/registry.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { formatEip55 } from '../primitives/address.ts'
import { formatBase64, formatUtf8, toKey } from '../primitives/bytes.ts'
import { cachePerObject } from '../primitives/cache.ts'
import { readEvm } from '../primitives/evm-address.ts'
import { htmlSafe } from '../primitives/html-safe.ts'
import { formatDuration, formatRfc3339, type SecondsNanos } from '../primitives/time.ts'
import type { Family } from './names.ts'
import { isTypeUrlField, renameTypeUrl } from './type-url-fields.ts'

/** Writes a message of one type as JSON text. */
type Write = (message: Message) => string

/** The writer of one field of a type. */
interface FieldWriter {
  readonly field: DescField
  /** Name of the field as JSON, with a colon. */
  readonly key: string
  /** Writes key and value of the field of a message, or an empty text if the key is omitted. */
  readonly write: WriteField
}

export interface JsonWriter {
  /** Returns the writer of a type. It is compiled on first use and cached. */
  of(schema: DescMessage): Write
  /** Returns the writers of the fields of a type whose JSON is an object of them, in order. */
  fields(schema: DescMessage): readonly FieldWriter[]
}

type Slots = Readonly<Record<string, unknown>>
type WriteValue = (value: never) => string
/** Writes `"name":value`, or an empty text if the key is omitted. */
type WriteField = (message: Slots) => string

const NULL = 'null'
const ZERO_TIME = '"0001-01-01T00:00:00Z"'

/** Depth to which nested values of type Any are decoded. Each level copies its content; no message of the chain is this deep. */
export const MAX_ANY_DEPTH = 64

/**
 * Creates a writer. The names of the profile determine keys, those of the family type URLs; the descriptors determine
 * everything else. The default family has the names of the profile.
 */
export function createJsonWriter(identity: Identity, family: Family = { toName: identity.toProfileName }): JsonWriter {
  const writers = new Map<DescMessage, Write>()

  function of(schema: DescMessage): Write {
    const known = writers.get(schema)
    if (known) return known
    const special = SPECIAL[schema.typeName]
    if (special) return special as Write
    if (schema.typeName === 'google.protobuf.Any') return writeAny as unknown as Write
    // A type can contain itself, so it is registered before its fields are compiled.
    let compiled: Write | undefined
    const write: Write = (message) => compiled!(message)
    writers.set(schema, write)
    compiled = compile(schema)
    writers.set(schema, compiled)
    return compiled
  }

  const fieldsOf = cachePerObject((schema: DescMessage): readonly FieldWriter[] =>
    schema.fields.map((field) => ({ field, key: keyOf(field), write: fieldWriter(field) })),
  )

  function compile(schema: DescMessage): Write {
    const fields = schema.fields.map(fieldWriter)
    return (message) => {
      let out = '{'
      for (const field of fields) {
        const text = field(message as unknown as Slots)
        if (text !== '') out += out.length === 1 ? text : `,${text}`
      }
      return `${out}}`
    }
  }

  const keyOf = (field: DescField): string => `${quote(identity.toProfileField(field.name))}:`

  function fieldWriter(field: DescField): WriteField {
    const key = keyOf(field)
    const name = field.localName
    if (field.oneof) {
      const write = valueWriter(field)
      const group = field.oneof.localName
      return (message) => {
        const member = message[group] as { readonly case?: string; readonly value?: never }
        return member.case === name ? key + write(member.value as never) : ''
      }
    }
    if (field.fieldKind === 'list') return listWriter(field, key)
    if (field.fieldKind === 'map') return mapWriter(field, key)
    const write = valueWriter(field)
    const absent = fieldOption(field, omit_unset, false) ? '' : key + absentValue(field)
    return (message) => {
      const value = message[name]
      return value === undefined ? absent : key + write(value as never)
    }
  }

  /** Returns the text of an unset field: `null`, or the defaults of a field that is never absent. */
  function absentValue(field: DescField): string {
    if (field.fieldKind !== 'message' || !fieldOption(field, non_null, false)) return NULL
    if (field.message.typeName === 'google.protobuf.Timestamp') return ZERO_TIME
    if (field.message === field.parent) return NULL
    return of(field.message)(create(field.message))
  }

  function listWriter(field: DescField & { fieldKind: 'list' }, key: string): WriteField {
    const write = elementWriter(field)
    const name = field.localName
    const empty = fieldOption(field, omit_unset, false) ? '' : `${key}[]`
    return (message) => {
      const items = message[name] as readonly never[]
      if (items.length === 0) return empty
      let out = `${key}[${write(items[0]!)}`
      for (let i = 1; i < items.length; i++) out += `,${write(items[i]!)}`
      return `${out}]`
    }
  }

  function elementWriter(field: DescField & { fieldKind: 'list' }): WriteValue {
    if (field.listKind === 'message') return lateWriter(field.message)
    if (field.listKind === 'enum') return enumWriter(field.enum)
    if (isTypeUrlField(field)) return writeTypeUrl
    return scalarWriter(field, field.scalar, writeBytes)
  }

  function writeTypeUrl(url: string): string {
    return quote(renameTypeUrl(identity, family, url))
  }

  function mapWriter(field: DescField & { fieldKind: 'map' }, key: string): WriteField {
    let write: WriteValue
    if (field.mapKind === 'message') write = lateWriter(field.message)
    else if (field.mapKind === 'enum') write = enumWriter(field.enum)
    else write = scalarWriter(field, field.scalar, writeBytes)
    const name = field.localName
    return (message) => {
      const entries = message[name] as Readonly<Record<string, never>>
      const keys = Object.keys(entries).sort(byText)
      return `${key}{${keys.map((entry) => `${quote(entry)}:${write(entries[entry]!)}`).join(',')}}`
    }
  }

  function valueWriter(field: DescField): WriteValue {
    if (field.fieldKind === 'message') return lateWriter(field.message)
    if (field.fieldKind === 'enum') return enumWriter(field.enum)
    if (isTypeUrlField(field)) return writeTypeUrl
    return scalarWriter(field, field.scalar as ScalarType, writeBytesOrNull)
  }

  function lateWriter(schema: DescMessage): WriteValue {
    let write: Write | undefined
    return (message) => {
      write ??= of(schema)
      return write(message)
    }
  }

  /** Number of Any values around the one being written. */
  let around = 0

  function writeAny(any: Any): string {
    const schema = messageType(neutralTypeName(identity, any.typeUrl))
    if (!schema || around === MAX_ANY_DEPTH) return opaque(renameTypeUrl(identity, family, any.typeUrl), any.value)
    const head = `{"@type":${quote(`/${family.toName(schema.typeName)}`)}`
    let content: string
    around++
    try {
      content = of(schema)(fromBinary(schema, any.value))
    } catch {
      return opaque(renameTypeUrl(identity, family, any.typeUrl), any.value)
    } finally {
      around--
    }
    if (!content.startsWith('{')) return `${head},"value":${content}}`
    return content === '{}' ? `${head}}` : `${head},${content.slice(1)}`
  }

  return { of, fields: fieldsOf }
}

/** Writes an Any whose content cannot be decoded: its bytes. */
function opaque(typeUrl: string, value: Uint8Array): string {
  return `{"@type":${quote(typeUrl)},"value":${writeBytesOrNull(value)}}`
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Writers of well-known types with a special JSON form. */
const SPECIAL: Readonly<Record<string, (message: never) => string>> = {
  'google.protobuf.Timestamp': (message: SecondsNanos) => `"${formatRfc3339(message)}"`,
  'google.protobuf.Duration': (message: SecondsNanos) => `"${formatDuration(message)}"`,
  'google.protobuf.StringValue': ({ value }: { value: string }) => quote(value),
  'google.protobuf.BytesValue': ({ value }: { value: Uint8Array }) => writeBytes(value),
  'google.protobuf.BoolValue': ({ value }: { value: boolean }) => String(value),
  'google.protobuf.Int32Value': ({ value }: { value: number }) => String(value),
  'google.protobuf.UInt32Value': ({ value }: { value: number }) => String(value),
  'google.protobuf.Int64Value': ({ value }: { value: bigint }) => `"${value}"`,
  'google.protobuf.UInt64Value': ({ value }: { value: bigint }) => `"${value}"`,
  'google.protobuf.FloatValue': ({ value }: { value: number }) => writeSingle(value),
  'google.protobuf.DoubleValue': ({ value }: { value: number }) => writeFloat(value),
}

function enumWriter(type: DescEnum): WriteValue {
  const names = new Map(type.values.map(({ number, name }) => [number, `"${name}"`]))
  return (value: number) => names.get(value) ?? String(value)
}

function scalarWriter(field: DescField, type: ScalarType, bytes: (value: Uint8Array) => string): WriteValue {
  const kind = fieldOption(field, scalar, Scalar.UNSPECIFIED)
  switch (type) {
    case ScalarType.STRING:
      if (kind === Scalar.DECIMAL) return writeDecimal
      return kind === Scalar.INTEGER ? writeInteger : quote
    case ScalarType.BYTES:
      if (kind === Scalar.EVM_ADDRESS)
        return fieldOption(field, non_null, false) ? writeEvmAddress : writeEvmAddressOrNull
      if (kind === Scalar.DECIMAL) return (value: Uint8Array) => writeDecimal(formatUtf8(value))
      if (kind === Scalar.INTEGER) return (value: Uint8Array) => writeInteger(formatUtf8(value))
      return bytes
    case ScalarType.BOOL:
      return (value: boolean) => (value ? 'true' : 'false')
    case ScalarType.FLOAT:
      return writeSingle
    case ScalarType.DOUBLE:
      return writeFloat
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return (value: bigint) => `"${value}"`
    default:
      return (value: number) => String(value)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that JSON or HTML needs escaped
const NEEDS_ESCAPE = /["\\<>&\u0000-\u001f\u2028\u2029\ud800-\udfff]/

/** Writes a JSON string that is also safe inside HTML. */
function quote(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `"${text}"`
  return htmlSafe(JSON.stringify(text))
}

function writeFloat(value: number): string {
  return Number.isFinite(value) ? String(value) : `"${value}"`
}

/** Writes the shortest digits that give the same number in single precision. */
function writeSingle(value: number): string {
  if (!Number.isFinite(value)) return writeFloat(value)
  let digits = 1
  while (digits < 9 && Math.fround(Number(value.toPrecision(digits))) !== value) digits++
  return String(Number(value.toPrecision(digits)))
}

function writeBytes(value: Uint8Array): string {
  return `"${formatBase64(value)}"`
}

function writeBytesOrNull(value: Uint8Array): string {
  return value.length === 0 ? NULL : writeBytes(value)
}

const DIGITS = /^-?\d+$/

/** Writes the digits of value · 10^18 with 18 decimal places; an unset decimal is `0`. */
function writeDecimal(wire: string): string {
  if (wire === '') return '"0"'
  if (!DIGITS.test(wire)) return quote(wire)
  const negative = wire.startsWith('-')
  const digits = (negative ? wire.slice(1) : wire).padStart(19, '0')
  return `"${negative ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}"`
}

function writeInteger(wire: string): string {
  return wire === '' ? '"0"' : quote(wire)
}

const MAX_CHECKSUMMED = 4096
const checksummed = new Map<string, string>()

/** Writes an address with its EIP-55 checksum. Cached: a checksum takes a hash, and few addresses appear often. */
function writeEvmAddress(bytes: Uint8Array): string {
  const key = toKey(bytes)
  const known = checksummed.get(key)
  if (known !== undefined) return known
  const text = `"${formatEip55(readEvm(bytes))}"`
  if (checksummed.size >= MAX_CHECKSUMMED) checksummed.clear()
  checksummed.set(key, text)
  return text
}

function writeEvmAddressOrNull(bytes: Uint8Array): string {
  return bytes.length === 0 ? NULL : writeEvmAddress(bytes)
}
