/** The compact encoding of our own records: varints, length-prefixed bytes, and texts that are stored once per record. */
import { type Input, takeVarint, writeVarint } from '../primitives/varint.ts'

export interface Out {
  bytes: Buffer
  length: number
  readonly texts: Map<string, number>
}

export interface In extends Input {
  /** The same memory as a `Buffer`, for its text codec. */
  readonly view: Buffer
  readonly texts: string[]
}

export function startWriting(capacity = 1024): Out {
  return { bytes: Buffer.allocUnsafe(capacity), length: 0, texts: new Map() }
}

/** Returns a copy of the written bytes. */
export function finishWriting(out: Out): Uint8Array {
  return new Uint8Array(out.bytes.subarray(0, out.length))
}

export function startReading(bytes: Uint8Array): In {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), view, at: 0, texts: [] }
}

function reserve(out: Out, count: number): void {
  if (out.length + count <= out.bytes.length) return
  const larger = Buffer.allocUnsafe(Math.max(out.bytes.length * 2, out.length + count))
  out.bytes.copy(larger, 0, 0, out.length)
  out.bytes = larger
}

/** Writes a non-negative safe integer. */
export function putNumber(out: Out, value: number): void {
  reserve(out, 8)
  out.length = writeVarint(out.bytes, out.length, value)
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const MAX_UINT64 = (1n << 64n) - 1n

/** Writes any integer: 0 and a varint, 1 and the negated value, or 2 and big-endian bytes. */
export function putInteger(out: Out, value: bigint): void {
  if (value >= 0n && value <= SAFE) {
    putNumber(out, 0)
    putNumber(out, Number(value))
  } else if (value < 0n) {
    putNumber(out, 1)
    putInteger(out, -value)
  } else {
    putNumber(out, 2)
    if (value <= MAX_UINT64) {
      putUint64(out, value)
      return
    }
    const digits = value.toString(16)
    putBytes(out, Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex'))
  }
}

/** Writes an integer above `SAFE`, such as a time: seven or eight big-endian bytes after their number. */
function putUint64(out: Out, value: bigint): void {
  const high = Number(value >> 32n)
  const length = high < 2 ** 24 ? 7 : 8
  putNumber(out, length)
  reserve(out, length)
  out.bytes.writeUIntBE(high, out.length, length - 4)
  out.bytes.writeUInt32BE(Number(BigInt.asUintN(32, value)), out.length + length - 4)
  out.length += length
}

export function takeInteger(input: In): bigint {
  const form = takeVarint(input)
  if (form === 0) return BigInt(takeVarint(input))
  if (form === 1) return -takeInteger(input)
  return BigInt(`0x${Buffer.from(takeBytes(input)).toString('hex')}`)
}

export function putBytes(out: Out, bytes: Uint8Array): void {
  putNumber(out, bytes.length)
  reserve(out, bytes.length)
  out.bytes.set(bytes, out.length)
  out.length += bytes.length
}

/** Appends what another output has, which must have no texts. */
export function putRaw(out: Out, { bytes, length }: Out): void {
  reserve(out, length)
  bytes.copy(out.bytes, out.length, 0, length)
  out.length += length
}

/** Reads length-prefixed bytes. Returns a copy, so that a small field does not retain the whole record in memory. */
export function takeBytes(input: In): Uint8Array {
  const length = takeVarint(input)
  const start = input.at
  input.at += length
  return input.bytes.slice(start, input.at)
}

/** Writes undefined as length 0. Present bytes must not be empty. */
export function putOptionalBytes(out: Out, bytes: Uint8Array | undefined): void {
  if (bytes) putBytes(out, bytes)
  else putNumber(out, 0)
}

export function takeOptionalBytes(input: In): Uint8Array | undefined {
  const bytes = takeBytes(input)
  return bytes.length === 0 ? undefined : bytes
}

/** Writes a text: 0 and its bytes the first time, then the number of that first time. */
export function putText(out: Out, text: string): void {
  const seen = out.texts.get(text)
  if (seen !== undefined) {
    putNumber(out, seen)
    return
  }
  out.texts.set(text, out.texts.size + 1)
  const length = Buffer.byteLength(text)
  putNumber(out, 0)
  putNumber(out, length)
  reserve(out, length)
  out.bytes.write(text, out.length, length, 'utf8')
  out.length += length
}

export function takeText(input: In): string {
  const seen = takeVarint(input)
  if (seen > 0) return input.texts[seen - 1]!
  const length = takeVarint(input)
  const text = input.view.toString('utf8', input.at, input.at + length)
  input.at += length
  input.texts.push(text)
  return text
}

export function putList<T>(out: Out, list: readonly T[], put: (out: Out, item: T) => void): void {
  putNumber(out, list.length)
  for (const item of list) put(out, item)
}

export function takeList<T>(input: In, take: (input: In) => T): T[] {
  const count = takeVarint(input)
  const list: T[] = new Array(count)
  for (let i = 0; i < count; i++) list[i] = take(input)
  return list
}
