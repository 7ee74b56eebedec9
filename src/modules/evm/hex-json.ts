/** Hexadecimal values inside JSON, refused in the words of geth's decoder, which clients match on. */
import { parseHex } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'

/** What is being read: the decoder's name of the type and, inside an object, `TransactionArgs.from`. */
export interface Place {
  readonly type: string
  readonly field?: string | undefined
}

/** `json: cannot unmarshal <what> into Go value of type <type>`, or with the field of a structure. */
export function cannotUnmarshal(what: string, { type, field }: Place): ChainError {
  const target = field === undefined ? `Go value of type ${type}` : `Go struct field ${field} of type ${type}`
  return queryError('invalidArgument', `json: cannot unmarshal ${what} into ${target}`)
}

/** The kind of a JSON value as the decoder names it. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

function digitsOf(value: unknown, place: Place): string {
  if (typeof value !== 'string') throw cannotUnmarshal('non-string', place)
  if (value === '') throw cannotUnmarshal('empty hex string', place)
  if (!/^0[xX]/.test(value)) throw cannotUnmarshal('hex string without 0x prefix', place)
  return value.slice(2)
}

/** A quantity: `0x` and digits without leading zeros, at most `bits` wide. Throws `invalidArgument` with the decoder's text. */
export function readQuantity(value: unknown, place: Place, bits: 64 | 256 = 256): bigint {
  const digits = digitsOf(value, place)
  if (digits === '') throw cannotUnmarshal('hex string "0x"', place)
  if (digits.length > 1 && digits.startsWith('0')) {
    throw cannotUnmarshal('hex number with leading zero digits', place)
  }
  if (digits.length > bits / 4) throw cannotUnmarshal(`hex number > ${bits} bits`, place)
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw cannotUnmarshal('invalid hex string', place)
  return BigInt(`0x${digits}`)
}

/** Bytes: `0x` and an even number of digits. Throws `invalidArgument` with the decoder's text. */
export function readBytes(value: unknown, place: Place): Uint8Array {
  if (value === '') return new Uint8Array(0)
  const digits = digitsOf(value, place)
  if (digits.length % 2 !== 0) throw cannotUnmarshal('hex string of odd length', place)
  const bytes = parseHex(digits)
  if (!bytes || /^0[xX]/.test(digits)) throw cannotUnmarshal('invalid hex string', place)
  return bytes
}

/** Exactly `length` bytes: addresses and hashes. Throws `invalidArgument` with the decoder's text. */
function readFixed(value: unknown, place: Place, length: number): Uint8Array {
  const digits = digitsOf(value, place)
  if (digits.length % 2 !== 0 && digits.length !== length * 2) throw cannotUnmarshal('hex string of odd length', place)
  if (digits.length !== length * 2) {
    throw queryError('invalidArgument', `hex string has length ${digits.length}, want ${length * 2} for ${place.type}`)
  }
  const bytes = parseHex(digits)
  if (!bytes || bytes.length !== length) throw cannotUnmarshal('invalid hex string', place)
  return bytes
}

export function readAddress(value: unknown, field?: string): Uint8Array {
  return readFixed(value, { type: 'common.Address', field }, 20)
}

export function readHash(value: unknown, field?: string): Uint8Array {
  return readFixed(value, { type: 'common.Hash', field }, 32)
}

/** A JSON object. Throws `invalidArgument` naming what stands in its place. */
export function readObject(value: unknown, place: Place): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw cannotUnmarshal(jsonKind(value), place)
  }
  return value as Readonly<Record<string, unknown>>
}
