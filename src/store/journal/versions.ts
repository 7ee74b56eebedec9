/** The encoding of key versions, one after another in the bytes of a row. */
import {
  type Input,
  type Output,
  putBytes,
  putVarint,
  takeBytes,
  takeVarint,
  varintLength,
} from '../../primitives/varint.ts'

/** A key with the value that one write gave it. */
export interface Version {
  /** Number of the store, then the key in it. */
  readonly key: Uint8Array
  /** Undefined: deleted. */
  readonly value: Uint8Array | undefined
}

/** A version in encoded form: the offsets of its key and value in `bytes`. */
export interface EncodedVersion {
  readonly bytes: Uint8Array
  readonly keyAt: number
  readonly keyLength: number
  readonly valueAt: number
  /** Undefined: deleted. */
  readonly valueLength: number | undefined
}

/** Writes length and key, then length + 1 and value. A length of 0 in place of the value's means deleted. */
export function putVersion(out: Output, { key, value }: Version): EncodedVersion {
  putVarint(out, key.length)
  const keyAt = out.length
  putBytes(out, key)
  putVarint(out, value ? value.length + 1 : 0)
  const valueAt = out.length
  if (value) putBytes(out, value)
  return { bytes: out.bytes, keyAt, keyLength: key.length, valueAt, valueLength: value?.length }
}

/** Returns the number of bytes that `putVersion` writes. */
export function versionLength({ key, value }: Version): number {
  const valueLength = value ? value.length : 0
  return varintLength(key.length) + key.length + varintLength(value ? valueLength + 1 : 0) + valueLength
}

export const DELETED = Symbol('deleted')

/** Returns a copy of a key's value in a piece; undefined if the piece does not contain the key. */
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

/** Compares from the end, because keys differ there more often than at their beginnings. */
function matches(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = key.length - 1; i >= 0; i--) if (bytes[at + i] !== key[i]) return false
  return true
}

/** Yields all versions in bytes, by their offsets. */
export function* encodedVersions(bytes: Uint8Array): IterableIterator<EncodedVersion> {
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

/** Yields all versions in bytes, as views of the same memory. */
export function* takeVersions(bytes: Uint8Array): IterableIterator<Version> {
  for (const { keyAt, keyLength, valueAt, valueLength } of encodedVersions(bytes)) {
    const value = valueLength === undefined ? undefined : bytes.subarray(valueAt, valueAt + valueLength)
    yield { key: bytes.subarray(keyAt, keyAt + keyLength), value }
  }
}
