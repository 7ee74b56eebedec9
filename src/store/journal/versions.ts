/** Versions of keys in a row's bytes, one after another. */
import { type Input, type Output, putBytes, putVarint, takeBytes, takeVarint, varintLength } from '../varint.ts'

/** One version of a key. */
export interface Version {
  /** Number of the store, then the key in it. */
  readonly key: Uint8Array
  /** Undefined: deleted. */
  readonly value: Uint8Array | undefined
}

/** Where a version lies in bytes. */
export interface Spot {
  readonly bytes: Uint8Array
  readonly keyAt: number
  readonly keyLength: number
  readonly valueAt: number
  /** Undefined: deleted. */
  readonly valueLength: number | undefined
}

/** Writes key and value behind their lengths: a length of 0 means deleted, else it is one more than the value's. */
export function putVersion(out: Output, { key, value }: Version): Spot {
  putVarint(out, key.length)
  const keyAt = out.length
  putBytes(out, key)
  putVarint(out, value ? value.length + 1 : 0)
  const valueAt = out.length
  if (value) putBytes(out, value)
  return { bytes: out.bytes, keyAt, keyLength: key.length, valueAt, valueLength: value?.length }
}

/** How many bytes `putVersion` writes. */
export function versionLength({ key, value }: Version): number {
  const valueLength = value ? value.length : 0
  return varintLength(key.length) + key.length + varintLength(value ? valueLength + 1 : 0) + valueLength
}

export const DELETED = Symbol('deleted')

/** The value of a key in a piece, copied; undefined if the piece has no such key. */
export function findVersion(bytes: Uint8Array, key: Uint8Array): Uint8Array | typeof DELETED | undefined {
  const input: Input = { bytes, at: 0 }
  while (input.at < bytes.length) {
    const length = takeVarint(input)
    const isWanted = length === key.length && matches(bytes, input.at, key)
    input.at += length
    const valueLength = takeVarint(input)
    if (isWanted) return valueLength === 0 ? DELETED : takeBytes(input, valueLength - 1).slice()
    if (valueLength > 0) input.at += valueLength - 1
  }
  return undefined
}

/** Keys differ at their ends more often than at their beginnings. */
function matches(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = key.length - 1; i >= 0; i--) if (bytes[at + i] !== key[i]) return false
  return true
}

/** Where all versions in bytes lie. */
export function* spotsIn(bytes: Uint8Array): IterableIterator<Spot> {
  const input: Input = { bytes, at: 0 }
  while (input.at < bytes.length) {
    const keyLength = takeVarint(input)
    const keyAt = input.at
    input.at += keyLength
    const valueLength = takeVarint(input) - 1
    const valueAt = input.at
    if (valueLength >= 0) input.at += valueLength
    yield { bytes, keyAt, keyLength, valueAt, valueLength: valueLength < 0 ? undefined : valueLength }
  }
}

/** All versions in bytes. */
export function* takeVersions(bytes: Uint8Array): IterableIterator<Version> {
  for (const { keyAt, keyLength, valueAt, valueLength } of spotsIn(bytes)) {
    const value = valueLength === undefined ? undefined : bytes.subarray(valueAt, valueAt + valueLength)
    yield { key: bytes.subarray(keyAt, keyAt + keyLength), value }
  }
}
