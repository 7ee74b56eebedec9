/** Byte strings: hexadecimal and base64 text, concatenation, comparison in byte order, big-endian integers. */

export const EMPTY: Uint8Array = new Uint8Array(0)

/** Thirty-two zero bytes: the word 0, or an unknown hash. Shared: never write to it. */
export const ZERO_WORD: Uint8Array = new Uint8Array(32)
/** `ZERO_WORD` as hexadecimal text with `0x`. */
export const ZERO_WORD_HEX: string = `0x${'00'.repeat(32)}`
/** The zero address: twenty zero bytes. Shared: never write to it. */
export const ZERO_ADDRESS: Uint8Array = new Uint8Array(20)

const HEX_DIGITS = /^[0-9a-fA-F]*$/
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Returns a `Buffer` over the same memory. The type `Buffer` never leaves this file. */
const view = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Node's codecs, called directly on any bytes. Creating a `Buffer` over the bytes costs more than the conversion. */
const codec = Buffer.prototype as unknown as {
  readonly hexSlice: (this: Uint8Array, start: number, end: number) => string
  readonly latin1Slice: (this: Uint8Array, start: number, end: number) => string
}
/** Maximum length of texts that are encoded in a loop here. */
const SHORT_TEXT = 64
/** Maximum length of bytes that are compared in a loop here. */
const SHORT_BYTES = 64
/** Maximum length of bytes that are copied in a loop here. */
const FEW_BYTES = 12

/** Formats bytes as lower-case hexadecimal digits without `0x`. */
export function formatHex(bytes: Uint8Array): string {
  return codec.hexSlice.call(bytes, 0, bytes.length)
}

/** Formats bytes as `0x` and lower-case hexadecimal digits. */
export function formatHex0x(bytes: Uint8Array): string {
  return `0x${formatHex(bytes)}`
}

/** Parses hexadecimal text, `0x` optional. Returns undefined for an odd number of digits or any other character. */
export function parseHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text
  if (digits.length % 2 !== 0 || !HEX_DIGITS.test(digits)) return undefined
  return new Uint8Array(Buffer.from(digits, 'hex'))
}

/** Parses a hexadecimal literal of code or tests, not input. Throws a `RangeError` if it is invalid. */
export function hex(text: string): Uint8Array {
  const bytes = parseHex(text)
  if (!bytes) throw new RangeError(`not hexadecimal: ${text}`)
  return bytes
}

/** Formats bytes as standard Base64 with padding. */
export function formatBase64(bytes: Uint8Array): string {
  return view(bytes).toString('base64')
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** Parses Base64 in either alphabet, padded or not. Returns undefined if invalid. */
export function parseBase64(text: string): Uint8Array | undefined {
  const padding = text.indexOf('=')
  const digits = padding < 0 ? text.length : padding
  return digits % 4 === 1 || !BASE64.test(text) ? undefined : new Uint8Array(Buffer.from(text, 'base64'))
}

/** Encodes a text as UTF-8. */
export function utf8(text: string): Uint8Array {
  const { length } = text
  if (length > SHORT_TEXT) return encoder.encode(text)
  const out = new Uint8Array(length)
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127) return encoder.encode(text)
    out[i] = code
  }
  return out
}

/** Decodes UTF-8 bytes. Invalid sequences become U+FFFD. */
export function formatUtf8(bytes: Uint8Array): string {
  const { length } = bytes
  if (length > SHORT_TEXT) return decoder.decode(bytes)
  for (let i = 0; i < length; i++) if (bytes[i]! > 127) return decoder.decode(bytes)
  return toKey(bytes)
}

/** Returns a text with one character per byte (0 to 255), for keys of a `Map`. Its order is the byte order. */
export function toKey(bytes: Uint8Array): string {
  return codec.latin1Slice.call(bytes, 0, bytes.length)
}

/** Returns the text that `toKey` returns for a part of the bytes. */
export function partToKey(bytes: Uint8Array, start: number, end: number): string {
  return codec.latin1Slice.call(bytes, start, end)
}

/** Returns the bytes of a text from `toKey`. */
export function fromKey(key: string): Uint8Array {
  const buffer = Buffer.from(key, 'latin1')
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

/** Copies bytes to an offset. The target must have room. */
export function copyTo(target: Uint8Array, offset: number, bytes: Uint8Array): void {
  const { length } = bytes
  if (length > FEW_BYTES) target.set(bytes, offset)
  else for (let i = 0; i < length; i++) target[offset + i] = bytes[i]!
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return join(parts)
}

/** Returns the bytes of a list of any length; spread into `concat`, a long list would exhaust the stack. */
export function join(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const out = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    copyTo(out, offset, part)
    offset += part.length
  }
  return out
}

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  if (a.length > SHORT_BYTES) return Buffer.compare(a, b) === 0
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Compares in byte order: negative, zero or positive. A prefix sorts before longer strings. */
export function compare(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

/** Returns the first key after all keys with a prefix, or undefined if none exists (the prefix is empty or all 0xff). */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const byte = prefix[i]!
    if (byte !== 0xff) {
      const end = prefix.slice(0, i + 1)
      end[i] = byte + 1
      return end
    }
  }
  return undefined
}

/** Pads on the left with zeros to `length` bytes, or returns the last `length` bytes of longer ones. */
export function padLeft(bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === length) return bytes
  const out = new Uint8Array(length)
  if (bytes.length > length) out.set(bytes.subarray(bytes.length - length))
  else out.set(bytes, length - bytes.length)
  return out
}

/** Decodes a big-endian unsigned integer of any length. Empty is 0. */
export function decodeUint(bytes: Uint8Array): bigint {
  if (bytes.length <= 6) {
    let small = 0
    for (let i = 0; i < bytes.length; i++) small = small * 256 + bytes[i]!
    return BigInt(small)
  }
  return BigInt(`0x${formatHex(bytes)}`)
}

/**
 * Encodes an unsigned integer as exactly `length` bytes, big-endian. Throws a `RangeError` if the value is negative or too
 * large.
 */
export function encodeUint(value: bigint, length: number): Uint8Array {
  const digits = value.toString(16)
  if (value < 0n || digits.length > length * 2) throw new RangeError(`${value} does not fit ${length} bytes`)
  return new Uint8Array(Buffer.from(digits.padStart(length * 2, '0'), 'hex'))
}

/** Encodes an unsigned integer, big-endian, without leading zeros. 0 is empty. */
export function encodeUintMinimal(value: bigint): Uint8Array {
  if (value === 0n) return EMPTY
  const digits = value.toString(16)
  return new Uint8Array(Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex'))
}

/** Encodes as eight bytes, big-endian: heights, ids and sequence numbers in keys. */
export function encodeUint64(value: bigint): Uint8Array {
  const out = new Uint8Array(8)
  new DataView(out.buffer).setBigUint64(0, value)
  return out
}

/** Encodes as eight bytes, little-endian, for the two keys of the chain with this order (docs/state-layout.md#keys). */
export function encodeUint64LittleEndian(value: bigint): Uint8Array {
  const out = new Uint8Array(8)
  new DataView(out.buffer).setBigUint64(0, value, true)
  return out
}

/** Decodes the first eight bytes, big-endian. */
export function decodeUint64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0)
}
