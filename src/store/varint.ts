/** Unsigned numbers in as few bytes as they need, seven bits a byte, low bits first. Numbers stay below 2^53. */
import { copyTo } from '../primitives/bytes.ts'

/** Bytes being written one after another. */
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
  const grown = new Uint8Array(Math.max(out.bytes.length * 2, out.length + count))
  grown.set(out.bytes.subarray(0, out.length))
  out.bytes = grown
}

export function putVarint(out: Output, value: number): void {
  reserve(out, 8)
  let rest = value
  while (rest >= 0x80) {
    out.bytes[out.length++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  out.bytes[out.length++] = rest
}

/** How many bytes `putVarint` writes. */
export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++
  return length
}

export function putBytes(out: Output, bytes: Uint8Array): void {
  reserve(out, bytes.length)
  copyTo(out.bytes, out.length, bytes)
  out.length += bytes.length
}

/** A copy of what has been written. */
export function finish(out: Output): Uint8Array {
  return out.bytes.slice(0, out.length)
}

/** Bytes being read one after another. */
export interface Input {
  readonly bytes: Uint8Array
  at: number
}

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

/** The next `length` bytes, in the same memory. */
export function takeBytes(input: Input, length: number): Uint8Array {
  const start = input.at
  input.at += length
  if (input.at > input.bytes.length) throw new Error('stored bytes are cut off')
  return input.bytes.subarray(start, input.at)
}
