/** Fields of the JSON of the CometBFT RPC: each is what a node of the family gives, or is named in an error. */
import { parseBase64, parseHex } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { parseRfc3339 } from '../../../primitives/time.ts'

export type Json = Readonly<Record<string, unknown>>

/** Returns the error for an answer that a node of the family does not give. */
export const wrong = (field: string, wanted: string) =>
  queryError('dataLoss', `the answer of the node is wrong: ${field} must be ${wanted}`)

export function objectOf(value: unknown, field: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, 'an object')
  return value as Json
}

/** Returns a list; null and absence are an empty one. */
export function listOf(value: unknown, field: string): readonly unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw wrong(field, 'a list')
  return value
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export function bytesOfHex(value: unknown, field: string): Uint8Array {
  const bytes = parseHex(textOf(value).toLowerCase())
  if (!bytes) throw wrong(field, 'hexadecimal')
  return bytes
}

export function bytesOfBase64(value: unknown, field: string): Uint8Array {
  const bytes = parseBase64(textOf(value))
  if (!bytes) throw wrong(field, 'base64')
  return bytes
}

export function integerOf(value: unknown, field: string): bigint {
  const text = typeof value === 'number' ? String(value) : textOf(value)
  if (!/^-?\d{1,19}$/.test(text)) throw wrong(field, 'an integer')
  return BigInt(text)
}

export function timeOf(value: unknown, field: string): bigint {
  const timeNs = parseRfc3339(textOf(value))
  if (timeNs === undefined) throw wrong(field, 'an RFC 3339 time')
  return timeNs
}
