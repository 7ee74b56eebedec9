/** Decoding of messages that strangers sent, each of whose fields becomes an object. */
import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf'
import { messageType } from '../identity/registry.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { partToKey } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { MAX_LEVELS } from '../primitives/nesting.ts'
import { BIT32, BIT64, DELIMITED, type Plan, planOf, VARINT } from '../sdk/wire-plan.ts'

/**
 * Fields of a message, elements of lists and the fields of messages within it included. A transaction to as many recipients as a
 * block has gas for has fewer. Beyond: code 3.
 */
export const MAX_FIELDS = 262_144

/**
 * Decodes a message without its unknown fields. Throws `invalidArgument` for more than `MAX_FIELDS` fields, and an error of the
 * decoder for malformed bytes.
 */
export function readMessage<Desc extends DescMessage>(
  identity: Identity,
  schema: Desc,
  bytes: Uint8Array,
): MessageShape<Desc> {
  // No field takes less than a byte.
  if (bytes.length > MAX_FIELDS) count({ identity, bytes, left: MAX_FIELDS }, planOf(schema), 0, bytes.length, 1)
  return fromBinary(schema, bytes, { readUnknownFields: false })
}

/** Length that the URL of no known type has. */
const LONG_URL_BYTES = 256

/** A count in progress. */
interface Counting {
  readonly identity: Identity
  readonly bytes: Uint8Array
  /** Fields that are left of the limit. */
  left: number
}

/** Returns the end of a varint, which is beyond the bytes if it does not end. */
function endOfVarint(bytes: Uint8Array, start: number): number {
  let at = start
  while (bytes[at]! >= 0x80) at++
  return at + 1
}

/** Returns the number in a varint. */
function readVarint(bytes: Uint8Array, start: number): number {
  let value = 0
  let scale = 1
  for (let at = start; ; at++, scale *= 0x80) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
  }
}

function take(it: Counting): void {
  if (--it.left < 0) throw queryError('invalidArgument', `the message has more than ${MAX_FIELDS} fields`)
}

/** Counts the fields of a part of the bytes. Malformed bytes, and levels that no transaction has, are left to the decoder. */
function count(it: Counting, plan: Plan | undefined, start: number, end: number, level: number): void {
  const { bytes } = it
  let typeUrl = ''
  for (let at = start; at < end; ) {
    take(it)
    const tag = readVarint(bytes, at)
    at = endOfVarint(bytes, at)
    const wireType = tag % 8
    if (wireType === VARINT) at = endOfVarint(bytes, at)
    else if (wireType === BIT64) at += 8
    else if (wireType === BIT32) at += 4
    if (wireType !== DELIMITED) continue
    const number = Math.floor(tag / 8)
    const length = readVarint(bytes, at)
    const valueStart = endOfVarint(bytes, at)
    at = valueStart + length
    if (at > end) return
    const field = plan?.fields[number]
    if (plan?.isAny) {
      if (number === 1) typeUrl = length >= LONG_URL_BYTES ? '' : partToKey(bytes, valueStart, at)
      const content = number === 2 ? messageType(neutralTypeName(it.identity, typeUrl)) : undefined
      if (content && level < MAX_LEVELS) count(it, planOf(content), valueStart, at, level + 1)
    } else if (field?.message) {
      if (level < MAX_LEVELS) count(it, field.message, valueStart, at, level + 1)
    } else if (field?.packed !== undefined) countPacked(it, field.packed, valueStart, at)
  }
}

/** Counts the elements of a packed list. */
function countPacked(it: Counting, wireType: number, start: number, end: number): void {
  const size = wireType === BIT64 ? 8 : 4
  for (let at = start; at < end; at = wireType === VARINT ? endOfVarint(it.bytes, at) : at + size) take(it)
}
