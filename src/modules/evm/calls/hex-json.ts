/** Hexadecimal values inside JSON. Errors have the texts of geth's decoder, which clients match on. */
import { parseHex } from '../../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../../primitives/errors.ts'

/** The decoder's name of the type that is read and, inside an object, of the field: `TransactionArgs.from`. */
export interface Target {
  readonly type: string
  readonly field?: string | undefined
}

/** Returns the error `json: cannot unmarshal <what> into Go value of type <type>`, or the one with a field. */
export function cannotUnmarshal(what: string, { type, field }: Target): ChainError {
  const into = field === undefined ? `Go value of type ${type}` : `Go struct field ${field} of type ${type}`
  return queryError('invalidArgument', `json: cannot unmarshal ${what} into ${into}`)
}

/** Returns the decoder's name of the kind of a JSON value. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value
}

function digitsOf(value: unknown, target: Target): string {
  if (typeof value !== 'string') throw cannotUnmarshal('non-string', target)
  if (value === '') throw cannotUnmarshal('empty hex string', target)
  if (!/^0[xX]/.test(value)) throw cannotUnmarshal('hex string without 0x prefix', target)
  return value.slice(2)
}

/** Reads a quantity: `0x` and digits without leading zeros, at most `bits` wide. Throws `invalidArgument` with the decoder's text. */
export function readQuantity(value: unknown, target: Target, bits: 64 | 256 = 256): bigint {
  const digits = digitsOf(value, target)
  if (digits === '') throw cannotUnmarshal('hex string "0x"', target)
  if (digits.length > 1 && digits.startsWith('0')) {
    throw cannotUnmarshal('hex number with leading zero digits', target)
  }
  if (digits.length > bits / 4) throw cannotUnmarshal(`hex number > ${bits} bits`, target)
  if (!/^[0-9a-fA-F]+$/.test(digits)) throw cannotUnmarshal('invalid hex string', target)
  return BigInt(`0x${digits}`)
}

/** Reads bytes: `0x` and an even number of digits. Throws `invalidArgument` with the decoder's text. */
export function readBytes(value: unknown, target: Target): Uint8Array {
  if (value === '') return new Uint8Array(0)
  const digits = digitsOf(value, target)
  if (digits.length % 2 !== 0) throw cannotUnmarshal('hex string of odd length', target)
  const bytes = parseHex(digits)
  if (!bytes || /^0[xX]/.test(digits)) throw cannotUnmarshal('invalid hex string', target)
  return bytes
}

/** Reads exactly `length` bytes. Throws `invalidArgument` with the decoder's text. */
function readFixed(value: unknown, target: Target, length: number): Uint8Array {
  const digits = digitsOf(value, target)
  if (digits.length % 2 !== 0 && digits.length !== length * 2) throw cannotUnmarshal('hex string of odd length', target)
  if (digits.length !== length * 2) {
    throw queryError('invalidArgument', `hex string has length ${digits.length}, want ${length * 2} for ${target.type}`)
  }
  const bytes = parseHex(digits)
  if (!bytes || bytes.length !== length) throw cannotUnmarshal('invalid hex string', target)
  return bytes
}

export function readAddress(value: unknown, field?: string): Uint8Array {
  return readFixed(value, { type: 'common.Address', field }, 20)
}

export function readHash(value: unknown, field?: string): Uint8Array {
  return readFixed(value, { type: 'common.Hash', field }, 32)
}

/** Reads a JSON object. Throws `invalidArgument` with the kind of any other value. */
export function readObject(value: unknown, target: Target): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw cannotUnmarshal(jsonKind(value), target)
  }
  return value as Readonly<Record<string, unknown>>
}
