/**
 * Unsigned varints: seven bits a byte, low bits first, in as few bytes as possible; and the growing output and the
 * advancing input that records are written to and read from. Numbers are non-negative and below 2^53.
 */
import { copyTo } from './bytes.ts'

/** Maximum length of a varint in bytes. */
export const MAX_VARINT_BYTES = 8

/** Returns the number of bytes of a varint. */
export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  return length
}

/** Writes a varint at an offset. Returns the offset after it. The bytes must have room. */
export function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let at = offset
  let rest = value
  while (rest >= 0x80) {
    bytes[at++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  bytes[at++] = rest
  return at
}

/** Returns the bytes of a varint. */
export function encodeVarint(value: number): Uint8Array {
  const bytes = new Uint8Array(varintLength(value))
  writeVarint(bytes, 0, value)
  return bytes
}

/** A buffer that grows as bytes are appended. */
export interface Output {
  bytes: Uint8Array
  length: number
}

export function createOutput(capacity = 256): Output {
  return { bytes: new Uint8Array(capacity), length: 0 }
}

/** Makes room for `count` more bytes. */
function reserve(out: Output, count: number): void {
  if (out.length + count <= out.bytes.length) return
  const larger = new Uint8Array(Math.max(out.bytes.length * 2, out.length + count))
  larger.set(out.bytes.subarray(0, out.length))
  out.bytes = larger
}

/** Appends a varint. */
export function putVarint(out: Output, value: number): void {
  reserve(out, MAX_VARINT_BYTES)
  out.length = writeVarint(out.bytes, out.length, value)
}

/** Appends bytes, without their length. */
export function putBytes(out: Output, bytes: Uint8Array): void {
  reserve(out, bytes.length)
  copyTo(out.bytes, out.length, bytes)
  out.length += bytes.length
}

/** Returns a copy of the written bytes. */
export function finish(out: Output): Uint8Array {
  return out.bytes.slice(0, out.length)
}

/** Bytes and the offset of the next read. */
export interface Input {
  readonly bytes: Uint8Array
  at: number
}

/** Reads a varint. Throws an `Error` if the bytes end before it does. */
export function takeVarint(input: Input): number {
  let value = 0
  let scale = 1
  for (;;) {
    const byte = input.bytes[input.at++]
    if (byte === undefined) throw new Error('a stored number is cut off')
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
    scale *= 0x80
  }
}

/** Reads `length` bytes. Returns a view of the same memory. Throws an `Error` if the bytes end before. */
export function takeBytes(input: Input, length: number): Uint8Array {
  const start = input.at
  input.at += length
  if (input.at > input.bytes.length) throw new Error('stored bytes are cut off')
  return input.bytes.subarray(start, input.at)
}
