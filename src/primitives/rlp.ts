/** Recursive length prefix, Ethereum's encoding of byte strings and lists; only the canonical form is accepted. */
import { EMPTY, encodeUintMinimal } from './bytes.ts'
import { defineErrors } from './errors.ts'
import { MAX_LEVELS } from './nesting.ts'

/** A byte string, or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[]

const rlpErrors = defineErrors('rlp', {
  malformed: { code: 1, status: 'invalidArgument', text: 'malformed RLP' },
})

/**
 * Decodes one value. Strings are views of `bytes`. Throws `rlp.malformed` if the encoding is not canonical or bytes
 * remain.
 */
export function decode(bytes: Uint8Array): RlpItem {
  const reader = { bytes, offset: 0 }
  const item = readItem(reader, bytes.length, 0)
  if (reader.offset !== bytes.length) throw rlpErrors.malformed(`${bytes.length - reader.offset} bytes after the value`)
  return item
}

/** Encodes an item in the canonical form. */
export function encode(item: RlpItem): Uint8Array {
  const out = new Uint8Array(encodedLength(item))
  write(item, out, 0)
  return out
}

/** Returns the item of an unsigned integer: big-endian without leading zeros. */
export function fromUint(value: bigint): Uint8Array {
  return value === 0n ? EMPTY : encodeUintMinimal(value)
}

interface Reader {
  readonly bytes: Uint8Array
  offset: number
}

/** Reads an item. Bounded by: `MAX_LEVELS`; no Ethereum format comes near it. */
function readItem(reader: Reader, end: number, depth: number): RlpItem {
  const { bytes } = reader
  if (reader.offset >= end) throw rlpErrors.malformed('value expected, but the input ends')
  const first = bytes[reader.offset++]!
  if (first < 0x80) return bytes.subarray(reader.offset - 1, reader.offset)
  const isList = first >= 0xc0
  const length = readLength(reader, first - (isList ? 0xc0 : 0x80), end)
  const start = reader.offset
  if (!isList) {
    if (length === 1 && bytes[start]! < 0x80) throw rlpErrors.malformed('a byte below 0x80 must be encoded as itself')
    reader.offset = start + length
    return bytes.subarray(start, start + length)
  }
  if (depth === MAX_LEVELS) throw rlpErrors.malformed(`more than ${MAX_LEVELS} nested lists`)
  const items: RlpItem[] = []
  while (reader.offset < start + length) items.push(readItem(reader, start + length, depth + 1))
  return items
}

/**
 * Reads the length of the payload. `code` is the first byte less its base: up to 55 the length itself, above that the size
 * of the length.
 */
function readLength(reader: Reader, code: number, end: number): number {
  let length = code
  if (code > 55) {
    const size = code - 55
    if (reader.offset + size > end) throw rlpErrors.malformed('length is truncated')
    if (reader.bytes[reader.offset] === 0) throw rlpErrors.malformed('length has a leading zero')
    // Lengths beyond 2^53 lose digits here and are still far beyond the input.
    length = 0
    for (let i = 0; i < size; i++) length = length * 256 + reader.bytes[reader.offset++]!
    if (length <= 55) throw rlpErrors.malformed('long form of a short length')
  }
  if (length > end - reader.offset) {
    throw rlpErrors.malformed(`value of ${length} bytes in ${end - reader.offset}`)
  }
  return length
}

/** Bounded by: the nesting of the item. */
function payloadLength(items: readonly RlpItem[]): number {
  let length = 0
  for (const item of items) length += encodedLength(item)
  return length
}

/** Bounded by: the nesting of the item. */
function encodedLength(item: RlpItem): number {
  if (item instanceof Uint8Array) {
    return item.length === 1 && item[0]! < 0x80 ? 1 : headLength(item.length) + item.length
  }
  const length = payloadLength(item)
  return headLength(length) + length
}

function headLength(length: number): number {
  return length <= 55 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : length < 0x1000000 ? 4 : 5
}

function writeHead(out: Uint8Array, offset: number, base: number, length: number): number {
  if (length <= 55) {
    out[offset] = base + length
    return offset + 1
  }
  const size = headLength(length) - 1
  out[offset] = base + 55 + size
  for (let i = size, rest = length; i > 0; i--, rest >>>= 8) out[offset + i] = rest & 0xff
  return offset + 1 + size
}

/** Bounded by: the nesting of the item. */
function write(item: RlpItem, out: Uint8Array, offset: number): number {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && item[0]! < 0x80) {
      out[offset] = item[0]!
      return offset + 1
    }
    const start = writeHead(out, offset, 0x80, item.length)
    out.set(item, start)
    return start + item.length
  }
  let at = writeHead(out, offset, 0xc0, payloadLength(item))
  for (const child of item) at = write(child, out, at)
  return at
}
