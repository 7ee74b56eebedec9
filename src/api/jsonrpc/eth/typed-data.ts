/** Hashes that wallets sign: structured data (EIP-712) and messages with their prefix (EIP-191). */
import { concat, encodeUint, formatHex, padLeft, parseHex, utf8 } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { parseRequestJson } from '../../../primitives/request-json.ts'

interface Field {
  readonly name: string
  readonly type: string
}

type Types = Readonly<Record<string, readonly Field[]>>

const DOMAIN = 'EIP712Domain'
/** Levels of typed data (EIP-712). Beyond: -32602. */
const MAX_DEPTH = 32
const WORD = 1n << 256n

const invalid = (text: string): Error => queryError('invalidArgument', text)

/** Returns the hash to sign for a message: that of the prefix, the length and the bytes. */
export function messageHash(message: Uint8Array): Uint8Array {
  return keccak256(concat(utf8(`\x19Ethereum Signed Message:\n${message.length}`), message))
}

function readTypes(value: unknown): Types {
  if (typeof value !== 'object' || value === null) throw invalid('types are missing')
  for (const [name, fields] of Object.entries(value)) {
    const wellFormed =
      Array.isArray(fields) &&
      fields.every((field: unknown) => {
        const { name: fieldName, type } = (field ?? {}) as { name?: unknown; type?: unknown }
        return typeof fieldName === 'string' && typeof type === 'string'
      })
    if (!wellFormed) throw invalid(`type '${name}' is not a list of fields`)
  }
  return value as Types
}

const elementOf = (type: string): string => type.replace(/(\[\d*\])+$/, '')

function dependencies(types: Types, name: string, found: Set<string> = new Set()): Set<string> {
  const fields = types[name]
  if (!fields || found.has(name)) return found
  found.add(name)
  for (const { type } of fields) dependencies(types, elementOf(type), found)
  return found
}

function typeHash(types: Types, name: string): Uint8Array {
  const others = [...dependencies(types, name)].filter((other) => other !== name).sort()
  const text = [name, ...others]
    .map((type) => `${type}(${types[type]!.map((field) => `${field.type} ${field.name}`).join(',')})`)
    .join('')
  return keccak256(utf8(text))
}

function readInteger(value: unknown, type: string): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw invalid(`invalid integer value for '${type}'`)
  if (typeof value !== 'string' && typeof value !== 'number') throw invalid(`invalid integer value for '${type}'`)
  if (!/^-?(0x[0-9a-fA-F]+|\d+)$/.test(String(value))) throw invalid(`invalid integer value for '${type}'`)
  const text = String(value)
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)
}

function integer(value: unknown, type: string): Uint8Array {
  const bits = BigInt(type.replace(/^u?int/, '') || '256')
  const number = readInteger(value, type)
  const signed = type.startsWith('int')
  const [low, high] = signed ? [-(1n << (bits - 1n)), 1n << (bits - 1n)] : [0n, 1n << bits]
  if (number < low || number >= high) throw invalid(`integer out of the range of '${type}'`)
  return encodeUint(number < 0n ? number + WORD : number, 32)
}

function bytesOf(value: unknown, type: string): Uint8Array {
  const bytes = typeof value === 'string' && /^0x/.test(value) ? parseHex(value) : undefined
  if (!bytes) throw invalid(`invalid value for '${type}'`)
  return bytes
}

function atom(type: string, value: unknown): Uint8Array {
  if (type === 'string') {
    if (typeof value !== 'string') throw invalid("invalid value for 'string'")
    return keccak256(utf8(value))
  }
  if (type === 'bytes') return keccak256(bytesOf(value, type))
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw invalid("invalid value for 'bool'")
    return encodeUint(value ? 1n : 0n, 32)
  }
  if (type === 'address') {
    const bytes = bytesOf(value, type)
    if (bytes.length !== 20) throw invalid("invalid value for 'address'")
    return padLeft(bytes, 32)
  }
  const fixed = /^bytes(\d+)$/.exec(type)
  if (fixed) {
    const bytes = bytesOf(value, type)
    if (bytes.length !== Number(fixed[1]) || bytes.length > 32) throw invalid(`invalid value for '${type}'`)
    return parseHex(formatHex(bytes).padEnd(64, '0'))!
  }
  if (/^u?int(\d*)$/.test(type)) return integer(value, type)
  throw invalid(`unknown type '${type}'`)
}

function encodeValue(types: Types, type: string, value: unknown, depth: number): Uint8Array {
  if (depth > MAX_DEPTH) throw invalid('typed data is nested too deeply')
  const array = /^(.*)\[(\d*)\]$/.exec(type)
  if (array) {
    if (!Array.isArray(value)) throw invalid(`invalid value for '${type}'`)
    if (array[2] !== '' && value.length !== Number(array[2])) throw invalid(`invalid length for '${type}'`)
    return keccak256(concat(...value.map((item: unknown) => encodeValue(types, array[1]!, item, depth + 1))))
  }
  return Object.hasOwn(types, type) ? structHash(types, type, value, depth + 1) : atom(type, value)
}

function structHash(types: Types, name: string, value: unknown, depth: number): Uint8Array {
  const fields = types[name]
  if (!fields) throw invalid(`type '${name}' is not defined`)
  if (typeof value !== 'object' || value === null) throw invalid(`invalid value for '${name}'`)
  const object = value as Readonly<Record<string, unknown>>
  const parts = fields.map((field) => {
    const given = object[field.name]
    if (given === undefined) throw invalid(`no value for '${name}.${field.name}'`)
    return encodeValue(types, field.type, given, depth)
  })
  return keccak256(concat(typeHash(types, name), ...parts))
}

/** The name of a field whose type is an array. */
const arrayFieldOf = (types: Types): string | undefined =>
  Object.entries(types)
    .flatMap(([name, fields]) => fields.map((field) => ({ type: field.type, path: `${name}.${field.name}` })))
    .find(({ type }) => type.endsWith(']'))?.path

/** Returns the hash of `typedDataHash` for `eth_signTypedData_v3`, whose encoding has no arrays. Throws for types with one. */
export function typedDataHashV3(given: unknown): Uint8Array {
  return typedDataHash(given, (types) => {
    const field = arrayFieldOf(types)
    if (field !== undefined) throw invalid(`'${field}' is an array, which v3 does not encode: use eth_signTypedData_v4`)
  })
}

/** Returns the hash of `typedDataHash` for `eth_signTypedData`. Throws for the list of the first wallets, which has no domain. */
export function typedDataHashV1(given: unknown): Uint8Array {
  if (Array.isArray(given)) {
    throw invalid(
      'a list of values has no domain, so it could be signed for another contract: give typed data of EIP-712',
    )
  }
  return typedDataHash(given)
}

/** Returns the hash to sign for typed data, an object or its JSON text. Throws `invalidArgument` naming the wrong part. */
export function typedDataHash(given: unknown, check?: (types: Types) => void): Uint8Array {
  let data: unknown = given
  if (typeof given === 'string') {
    try {
      data = parseRequestJson(given)
    } catch {
      throw invalid('typed data is not JSON')
    }
  }
  if (typeof data !== 'object' || data === null) throw invalid('typed data is not an object')
  const { types: givenTypes, primaryType, domain, message } = data as Readonly<Record<string, unknown>>
  const types = readTypes(givenTypes)
  check?.(types)
  if (typeof primaryType !== 'string') throw invalid('primaryType is missing')
  const separator = structHash(types, DOMAIN, domain, 0)
  const prefix = Uint8Array.of(0x19, 0x01)
  if (primaryType === DOMAIN) return keccak256(concat(prefix, separator))
  return keccak256(concat(prefix, separator, structHash(types, primaryType, message, 0)))
}
