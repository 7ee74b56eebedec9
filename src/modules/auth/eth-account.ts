/**
 * The stored form of an EthAccount, read and written without a protobuf message, since every EVM transaction does both
 * several times. The general decoder handles any bytes that do not have exactly the expected shape.
 */

import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { varintLength, writeVarint } from '../../primitives/varint.ts'
import type { Account } from './account.ts'

const HEX_DIGITS = '0123456789abcdef'
const EMPTY_CODE_TEXT = `0x${Array.from(EMPTY_CODE_HASH, (byte) => HEX_DIGITS[byte >> 4]! + HEX_DIGITS[byte & 15]!).join('')}`

function writeText(out: Buffer, at: number, tag: number, text: string): number {
  out[at] = tag
  const offset = writeVarint(out, at + 1, text.length)
  return offset + out.write(text, offset, 'latin1')
}

const fieldLength = (length: number) => 1 + varintLength(length) + length
const numberLength = (value: number) => (value === 0 ? 0 : 1 + varintLength(value))

/** Encodes `Any{/typeName, EthAccount}` of an account. Account number and sequence are limited to 2^53 - 1. */
export function encodeEthAccount(typeName: string, account: Account): Uint8Array {
  const { addressText, publicKey, codeHash } = account
  const number = Number(account.number)
  const sequence = Number(account.sequence)
  const codeText =
    codeHash === EMPTY_CODE_HASH
      ? EMPTY_CODE_TEXT
      : `0x${Buffer.from(codeHash.buffer, codeHash.byteOffset, codeHash.byteLength).toString('hex')}`
  const keyLength = publicKey ? fieldLength(publicKey.typeUrl.length) + fieldLength(publicKey.value.length) : 0
  const baseLength =
    fieldLength(addressText.length) +
    (publicKey ? fieldLength(keyLength) : 0) +
    numberLength(number) +
    numberLength(sequence)
  const valueLength = fieldLength(baseLength) + fieldLength(codeText.length)
  const out = Buffer.allocUnsafeSlow(fieldLength(typeName.length + 1) + fieldLength(valueLength))
  let at = writeText(out, 0, 0x0a, `/${typeName}`)
  out[at] = 0x12
  at = writeVarint(out, at + 1, valueLength)
  out[at] = 0x0a
  at = writeVarint(out, at + 1, baseLength)
  at = writeText(out, at, 0x0a, addressText)
  if (publicKey) {
    out[at] = 0x12
    at = writeVarint(out, at + 1, keyLength)
    at = writeText(out, at, 0x0a, publicKey.typeUrl)
    out[at] = 0x12
    at = writeVarint(out, at + 1, publicKey.value.length)
    out.set(publicKey.value, at)
    at += publicKey.value.length
  }
  if (number !== 0) {
    out[at] = 0x18
    at = writeVarint(out, at + 1, number)
  }
  if (sequence !== 0) {
    out[at] = 0x20
    at = writeVarint(out, at + 1, sequence)
  }
  writeText(out, at, 0x12, codeText)
  return new Uint8Array(out.buffer, out.byteOffset, out.byteLength)
}

/** A position in bytes, which reads advance. `ok` turns false at the first unexpected byte. */
interface Cursor {
  readonly bytes: Buffer
  at: number
  ok: boolean
}

function readVarint(cursor: Cursor): number {
  let value = 0
  let scale = 1
  for (let i = 0; i < 7; i++) {
    const byte = cursor.bytes[cursor.at++]
    if (byte === undefined) break
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
    scale *= 128
  }
  cursor.ok = false
  return 0
}

/** Reads the tag and length of the next field. Returns the end of the field, or -1 if it has another tag or exceeds the bytes. */
function enter(cursor: Cursor, tag: number): number {
  if (cursor.bytes[cursor.at] !== tag) return -1
  cursor.at++
  const end = readVarint(cursor) + cursor.at
  if (end <= cursor.bytes.length) return end
  cursor.ok = false
  return -1
}

function takeText(cursor: Cursor, tag: number): string {
  const end = enter(cursor, tag)
  if (end < 0) return ''
  const text = cursor.bytes.toString('latin1', cursor.at, end)
  cursor.at = end
  return text
}

function takeNumber(cursor: Cursor, tag: number): number {
  if (cursor.bytes[cursor.at] !== tag) return 0
  cursor.at++
  return readVarint(cursor)
}

function takeCodeHash(cursor: Cursor): Uint8Array | undefined {
  const text = takeText(cursor, 0x12)
  if (text === EMPTY_CODE_TEXT) return EMPTY_CODE_HASH
  if (text.length !== 66 || !text.startsWith('0x')) return undefined
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}

/** The letter Z: a text that begins with a capital is not the canonical spelling of an address. */
const LAST_CAPITAL = 0x5a

/** Decodes the account in stored bytes; returns undefined unless they are an EthAccount in canonical form. */
export function decodeEthAccount(typeName: string, address: Uint8Array, encoded: Uint8Array): Account | undefined {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  const cursor: Cursor = { bytes, at: 0, ok: true }
  const typeUrl = takeText(cursor, 0x0a)
  if (typeUrl.length !== typeName.length + 1 || !typeUrl.endsWith(typeName)) return undefined
  if (enter(cursor, 0x12) !== bytes.length) return undefined
  const baseEnd = enter(cursor, 0x0a)
  if (baseEnd < 0) return undefined
  const addressText = takeText(cursor, 0x0a)
  if (addressText.charCodeAt(0) <= LAST_CAPITAL) return undefined
  let publicKey: { typeUrl: string; value: Uint8Array } | undefined
  if (enter(cursor, 0x12) >= 0) {
    const keyType = takeText(cursor, 0x0a)
    const end = enter(cursor, 0x12)
    if (end < 0) return undefined
    publicKey = { typeUrl: keyType, value: encoded.slice(cursor.at, end) }
    cursor.at = end
  }
  const number = takeNumber(cursor, 0x18)
  const sequence = takeNumber(cursor, 0x20)
  if (cursor.at !== baseEnd) return undefined
  const codeHash = takeCodeHash(cursor)
  if (!codeHash || !cursor.ok || cursor.at !== bytes.length) return undefined
  return {
    kind: 'eth',
    address,
    addressText,
    publicKey,
    number: BigInt(number),
    sequence: BigInt(sequence),
    codeHash,
  }
}
