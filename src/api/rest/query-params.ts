/** Query parameters as fields of a request, parsed by the type of the field. Errors name the parameter. */
import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf'
import { non_null, not_in_query, Scalar, scalar } from '../../gen/almanac/options_pb.ts'
import { fieldOption } from '../../identity/options.ts'
import type { Identity } from '../../identity/types.ts'
import { parseEvm } from '../../primitives/address.ts'
import { parseBase64, parseHex, utf8 } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { parseDuration, parseRfc3339, toDuration, toTimestamp } from '../../primitives/time.ts'
import { violation } from '../errors.ts'
import { integerRange } from '../integers.ts'
import { percentDecode } from './percent.ts'

type Slots = Record<string, unknown>

/** Parameter values by name, in the given order. */
export type Parameters = ReadonlyMap<string, readonly string[]>

/** Splits a query string. Throws `invalidArgument` for a semicolon or a bad escape. */
export function parseQuery(query: string): Parameters {
  const parameters = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '') continue
    if (part.includes(';')) throw violation('query', 'invalid semicolon separator in query')
    const equals = part.indexOf('=')
    const name = decodePart(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decodePart(part.slice(equals + 1))
    const values = parameters.get(name)
    if (values) values.push(value)
    else parameters.set(name, [value])
  }
  return parameters
}

function decodePart(text: string): string {
  const decoded = percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text)
  if (typeof decoded !== 'string') throw violation('query', `invalid URL escape "${decoded.badEscape}"`)
  return decoded
}

const namesOf = new Map<DescMessage, Map<string, DescField>>()

/** Finds a field by its name in the proto, in camel case, or under the profile. */
export function fieldNamed(identity: Identity, schema: DescMessage, name: string): DescField | undefined {
  let names = namesOf.get(schema)
  if (!names) {
    names = new Map()
    for (const field of schema.fields) names.set(field.jsonName, field).set(field.name, field)
    namesOf.set(schema, names)
  }
  return names.get(name) ?? names.get(identity.toNeutralField(name))
}

export interface QueryOptions {
  /** Fields that the path has set; parameters with these names are ignored. */
  readonly bound: ReadonlySet<string>
  /** Whether an unknown parameter is an error. */
  readonly strict?: boolean
}

/** Sets the fields of a request from parameters. Throws `invalidArgument` naming the parameter. */
export function applyQuery(
  identity: Identity,
  schema: DescMessage,
  message: Message,
  parameters: Parameters,
  options: QueryOptions,
): void {
  for (const [name, values] of parameters) {
    if (options.bound.has(name)) continue
    const known = applyOne(identity, schema, message as unknown as Slots, name, values)
    if (!known && options.strict) throw violation(name, 'unknown parameter')
  }
}

const BRACKETS = /^([^[\]]+)\[([^[\]]*)\]$/

function applyOne(
  identity: Identity,
  schema: DescMessage,
  message: Slots,
  name: string,
  values: readonly string[],
): boolean {
  const parts = name.split('.')
  let slots = message
  let type = schema
  for (let i = 0; ; i++) {
    const bracket = BRACKETS.exec(parts[i]!)
    const field = fieldNamed(identity, type, bracket?.[1] ?? parts[i]!)
    if (!field) return false
    if (fieldOption(field, not_in_query, false) && !identity.behaviours.commandFieldsOverRest) return false
    const last = i === parts.length - 1
    if (last) {
      setField(field, slots, name, values, bracket?.[2])
      return true
    }
    if (field.fieldKind === 'list') throw violation(name, `unexpected repeated field in ${name}`)
    if (field.fieldKind !== 'message') {
      throw violation(name, `unexpected nested field ${parts[i + 1]} in ${parts.slice(0, i + 1).join('.')}`)
    }
    slots = enter(field, slots, name)
    type = field.message
  }
}

/** Returns the sub-message of a field. Creates it if it is not set. */
function enter(field: DescField & { fieldKind: 'message' }, slots: Slots, name: string): Slots {
  if (field.oneof) {
    const member = slots[field.oneof.localName] as { case?: string; value?: unknown }
    if (member.case === undefined) {
      slots[field.oneof.localName] = { case: field.localName, value: create(field.message) }
    } else if (member.case !== field.localName) {
      throw violation(name, `field already set for ${field.oneof.name} oneof`)
    }
    return (slots[field.oneof.localName] as { value: Slots }).value
  }
  slots[field.localName] ??= create(field.message)
  return slots[field.localName] as Slots
}

function setField(
  field: DescField,
  slots: Slots,
  name: string,
  values: readonly string[],
  bracket: string | undefined,
): void {
  if (field.fieldKind === 'list') {
    if (field.listKind === 'message') throw violation(name, `unexpected repeated field in ${name}`)
    const list = slots[field.localName] as unknown[]
    for (const text of values) list.push(parseValue(field, text, name))
    return
  }
  if (field.fieldKind === 'map') {
    if (bracket === undefined) throw violation(name, `a map needs a key: ${field.name}[key]=value`)
    if (field.mapKind === 'message') throw violation(name, 'a map of messages cannot be set by a query parameter')
    const entries = slots[field.localName] as Slots
    entries[bracket] = parseValue(field, values[0]!, name)
    return
  }
  if (field.oneof) {
    const member = slots[field.oneof.localName] as { case?: string }
    if (member.case !== undefined && member.case !== field.localName) {
      throw violation(name, `field already set for ${field.oneof.name} oneof`)
    }
    slots[field.oneof.localName] = { case: field.localName, value: parseValue(field, values[0]!, name) }
    return
  }
  slots[field.localName] = parseValue(field, values[0]!, name)
}

/** Parses the value of a field from a query string or a path. Throws `invalidArgument` naming `name`. */
export function parseValue(field: DescField, text: string, name: string): unknown {
  if (field.message) return parseSpecial(field, field.message, text, name)
  if (field.enum) {
    const value = field.enum.values.find((row) => row.name === text)
    if (value) return value.number
    const number = parseInteger(text, ScalarType.INT32)
    if (number === undefined) throw violation(name, `not a value of ${field.enum.name}`)
    return number
  }
  const kind = scalarOf(field)
  switch (field.scalar as ScalarType) {
    case ScalarType.STRING:
      return kind === Scalar.DECIMAL ? parseDecimal(text, name) : text
    case ScalarType.BYTES:
      return parseBytes(kind, text, name)
    case ScalarType.BOOL:
      return parseBool(text, name)
    case ScalarType.FLOAT:
      return Math.fround(parseFloating(text, name, 3.4028235677973366e38))
    case ScalarType.DOUBLE:
      return parseFloating(text, name, Number.MAX_VALUE)
    default: {
      const number = parseInteger(text, field.scalar as ScalarType)
      if (number === undefined) throw violation(name, integerProblem(text, field.scalar as ScalarType))
      return number
    }
  }
}

const scalars = new WeakMap<DescField, Scalar>()

/** Returns the scalar option of a field. Cached, since reading an option takes longer than parsing most values. */
function scalarOf(field: DescField): Scalar {
  let kind = scalars.get(field)
  if (kind === undefined) {
    kind = fieldOption(field, scalar, Scalar.UNSPECIFIED)
    scalars.set(field, kind)
  }
  return kind
}

const INTEGER = /^([+-]?)(\d+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/

/** Parses decimal digits, with leading zeros allowed, or digits with a base prefix. Undefined for no integer of the type. */
function parseInteger(text: string, type: ScalarType): bigint | number | undefined {
  const match = INTEGER.exec(text)
  if (!match || match[2]!.length > 80) return undefined
  const { min, max, big } = integerRange(type)
  if (match[1] === '-' && min === 0n) return undefined
  const value = match[1] === '-' ? -BigInt(match[2]!) : BigInt(match[2]!)
  if (value < min || value > max) return undefined
  return big ? value : Number(value)
}

function integerProblem(text: string, type: ScalarType): string {
  if (!/^[+-]?\d+$/.test(text)) return 'not an integer'
  const { min, max } = integerRange(type)
  return `out of range (${min} to ${max})`
}

const TRUE: ReadonlySet<string> = new Set(['true', 't', 'T', 'TRUE', 'True', '1'])
const FALSE: ReadonlySet<string> = new Set(['false', 'f', 'F', 'FALSE', 'False', '0'])

function parseBool(text: string, name: string): boolean {
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  throw violation(name, 'neither true nor false')
}

const FLOAT = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?[pP]([+-]?\d{1,4})$/
const INFINITE = /^([+-]?)inf(inity)?$/i

function parseFloating(text: string, name: string, max: number): number {
  if (/^nan$/i.test(text)) return Number.NaN
  const infinite = INFINITE.exec(text)
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const hex = HEX_FLOAT.exec(text)
  let value: number
  if (hex) {
    const [, sign, whole, fraction = '', exponent] = hex
    value = Number.parseInt(whole! + fraction, 16) * 2 ** (Number(exponent) - 4 * fraction.length)
    if (sign === '-') value = -value
  } else {
    if (!FLOAT.test(text)) throw violation(name, 'not a number')
    value = Number(text)
  }
  if (Math.abs(value) > max) throw violation(name, 'out of range')
  return value
}

function parseDecimal(text: string, name: string): string {
  const value = decimal.parse(text)
  if (value === undefined) throw violation(name, 'not a decimal of at most 18 places')
  return decimal.encode(value)
}

function parseBytes(kind: Scalar, text: string, name: string): Uint8Array {
  if (kind === Scalar.EVM_ADDRESS) {
    const address = parseEvm(text)
    if (!address) throw violation(name, 'not a hexadecimal address of 20 bytes')
    return address
  }
  if (kind === Scalar.DECIMAL) return utf8(parseDecimal(text, name))
  if (kind === Scalar.HEX && /^0[xX]/.test(text)) {
    const bytes = parseHex(text)
    if (!bytes) throw violation(name, 'not hexadecimal')
    return bytes
  }
  if (kind === Scalar.JSON && /^\s*[{[]/.test(text)) return utf8(text)
  // Hexadecimal digits are also base64 digits. Without padding the text is probably not base64.
  if (/^0[xX]/.test(text) && text.length % 4 !== 0)
    throw violation(name, 'not base64; this field does not accept hexadecimal')
  // An unescaped plus arrives as a space, which base64 does not use.
  const bytes = parseBase64(text.replace(/[\r\n]/g, '').replaceAll(' ', '+'))
  if (!bytes) throw violation(name, 'not base64')
  return bytes
}

function parseSpecial(field: DescField, type: DescMessage, text: string, name: string): Message {
  const nullable = field.fieldKind === 'message' && !fieldOption(field, non_null, false)
  if (type.typeName === 'google.protobuf.Timestamp') {
    if (text === 'null' && nullable) return create(type)
    // The unescaped plus of a time zone arrives as a space too.
    const timeNs = parseRfc3339(text.replace(/ (\d{2}:\d{2})$/, '+$1'))
    if (timeNs === undefined) throw violation(name, 'not an RFC 3339 time')
    return create(type, toTimestamp(timeNs) as never)
  }
  if (type.typeName === 'google.protobuf.Duration') {
    if (text === 'null' && nullable) return create(type)
    const durationNs = parseDuration(text)
    if (durationNs === undefined) throw violation(name, 'not a duration with its unit, such as 1.5s')
    return create(type, toDuration(durationNs) as never)
  }
  throw violation(name, `set its fields, such as ${name}.${type.fields[0]?.name ?? '…'}`)
}
