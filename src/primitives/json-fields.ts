/** Fields of a JSON document with their paths, so that an error names the one that is wrong. */
import { padLeft, parseHex } from './bytes.ts'
import { type ChainError, queryError } from './errors.ts'

/** A value of a document and its path, such as `blocks[3].header.number`. */
export interface Field {
  readonly value: unknown
  readonly path: string
}

const SHOWN = 60

/** Returns `invalidArgument` with the path, the value, and the form that it should have. */
export function fieldError({ value, path }: Field, wanted: string): ChainError {
  const text = JSON.stringify(value) ?? 'absent'
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  return queryError('invalidArgument', `${path} is ${shown}: it must be ${wanted}`)
}

/** Whether a field is there and not null. */
export const isPresent = ({ value }: Field): boolean => value !== undefined && value !== null

function objectOf(field: Field): Readonly<Record<string, unknown>> {
  const { value } = field
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fieldError(field, 'an object')
  return value as Readonly<Record<string, unknown>>
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** Returns a field of an object, which can be absent. Throws unless the parent is an object. */
export function fieldOf(parent: Field, name: string): Field {
  const object = objectOf(parent)
  return { value: Object.hasOwn(object, name) ? object[name] : undefined, path: join(parent.path, name) }
}

/** Returns the fields of an object by name; of an absent one, no fields. */
export function fieldsOf(parent: Field): readonly (readonly [name: string, field: Field])[] {
  if (!isPresent(parent)) return []
  return Object.entries(objectOf(parent)).map(([name, value]) => [name, { value, path: join(parent.path, name) }])
}

/** Returns the items of a list; of an absent one, no items. */
export function itemsOf(parent: Field): readonly Field[] {
  const { value, path } = parent
  if (!isPresent(parent)) return []
  if (!Array.isArray(value)) throw fieldError(parent, 'a list')
  return value.map((item: unknown, i) => ({ value: item, path: `${path}[${i}]` }))
}

/** Reads an unsigned number of at most `bits`: a JSON number, decimal digits, or hexadecimal digits after `0x`. */
export function readUint(field: Field, bits: number): bigint {
  const { value } = field
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  const isText = typeof value === 'string' && value.length <= 80 && /^(\d+|0[xX][0-9a-fA-F]+)$/.test(value)
  if (!isNumber && !isText) throw fieldError(field, `a number of at most ${bits} bits`)
  const read = BigInt(value)
  if (read >> BigInt(bits) > 0n) throw fieldError(field, `a number of at most ${bits} bits`)
  return read
}

/** Reads bytes: hexadecimal digits after `0x`, of exactly `length` bytes if given. */
export function readHex(field: Field, length?: number): Uint8Array {
  const { value } = field
  const wanted = length === undefined ? 'bytes after 0x' : `${length} bytes after 0x`
  const digits = typeof value === 'string' && /^0[xX]/.test(value) ? value.slice(2) : undefined
  const bytes = digits !== undefined && digits.length % 2 === 0 ? parseHex(digits) : undefined
  if (!bytes || (length !== undefined && bytes.length !== length)) throw fieldError(field, wanted)
  return bytes
}

/** Reads an address, with or without `0x`. */
export function readAddressText(field: Field): Uint8Array {
  const { value } = field
  const found = typeof value === 'string' && /^(0[xX])?[0-9a-fA-F]{40}$/.test(value) && parseHex(value.slice(-40))
  if (!found) throw fieldError(field, 'an address of 20 bytes')
  return found
}

/** Reads a word of 32 bytes; shorter hexadecimal text is padded on the left. */
export function readWord(field: Field): Uint8Array {
  const { value } = field
  const digits =
    typeof value === 'string' && /^(0[xX])?[0-9a-fA-F]{0,64}$/.test(value) ? value.replace(/^0x/i, '') : undefined
  if (digits === undefined) throw fieldError(field, 'a word of at most 32 bytes')
  return padLeft(parseHex(digits.length % 2 === 0 ? digits : `0${digits}`)!, 32)
}
