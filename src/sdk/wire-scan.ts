/**
 * A scanner of messages in wire form. It reads a message and everything within it, contents of `Any` values included, in one
 * loop without recursion, before the decoder sees the bytes: it spends the budget of levels and nodes, and refuses bytes that
 * the decoder would fail on or read differently from the Cosmos SDK (docs/transactions.md#decoding).
 */
import { isUtf8 } from 'node:buffer'
import { type DescMessage, fromBinary } from '@bufbuild/protobuf'
import { partToKey } from '../primitives/bytes.ts'
import type { ChainError } from '../primitives/errors.ts'
import { MAX_LEVELS, MAX_NODES } from '../primitives/nesting.ts'
import { errors } from './errors.ts'
import { requireTimeRange } from './time-range.ts'
import { BIT32, BIT64, DELIMITED, type FieldPlan, GROUP, GROUP_END, type Plan, planOf, VARINT } from './wire-plan.ts'

/** Bit 11 of the field number marks a field that can be ignored. */
const NON_CRITICAL_BIT = 0x400

const MAX_VARINT_BYTES = 10

/** A budget of nodes that several scans can share. */
export interface NodeBudget {
  nodes: number
  /** Values that the scans have read: fields, and the elements of packed ones. */
  values: number
}

export function createNodeBudget(): NodeBudget {
  return { nodes: MAX_NODES, values: 0 }
}

export interface ScanRules {
  /** Returns the type of an `Any`'s content by its type URL; the content of an unknown type is not scanned. */
  readonly typeOf: (typeUrl: string) => DescMessage | undefined
  /** Refused unknown fields: every one with `all`, critical ones with `critical`. */
  readonly refuse: 'critical' | 'all'
  readonly budget?: NodeBudget
}

/** A message, content or group whose end has not been reached. */
interface Frame {
  /** Absent inside an unknown group. */
  readonly plan: Plan | undefined
  readonly start: number
  readonly end: number
  /** Field number of a group; 0 for a message. */
  readonly group: number
  /** Bits of the message fields that occurred. */
  seen: number
}

/** A scan in progress. */
interface Scan {
  readonly bytes: Uint8Array
  readonly rules: ScanRules
  readonly budget: NodeBudget
  /** Frames around the current one. */
  readonly open: Frame[]
  frame: Frame
  /** Offset of the next read. */
  at: number
  /** Whether an unknown field was found that is not refused. */
  found: boolean
  /** Bounds of the fields of the current frame, if it is an `Any` whose content was not read yet; else 0. */
  urlStart: number
  urlEnd: number
  valueStart: number
  valueEnd: number
}

/**
 * Scans a message. Returns whether it contains unknown fields that are not refused. Throws sdk 2 for bytes that are not a
 * message of the type, a refused unknown field, a message field that occurs twice and is not a list, a time or duration out of
 * range, and for more than `MAX_LEVELS` levels or `MAX_NODES` nodes.
 */
export function scan(schema: DescMessage, bytes: Uint8Array, rules: ScanRules): boolean {
  const it: Scan = {
    bytes,
    rules,
    budget: rules.budget ?? createNodeBudget(),
    open: [],
    frame: { plan: planOf(schema), start: 0, end: bytes.length, group: 0, seen: 0 },
    at: 0,
    found: false,
    urlStart: 0,
    urlEnd: 0,
    valueStart: 0,
    valueEnd: 0,
  }
  do {
    while (it.at < it.frame.end) readField(it)
  } while (leave(it))
  return it.found
}

function fault({ frame: { plan } }: Scan, what: string): ChainError {
  return errors.txDecode(plan ? `${plan.schema.typeName}: ${what}` : what)
}

function enter(it: Scan, plan: Plan | undefined, start: number, end: number, group: number): void {
  if (it.open.push(it.frame) >= MAX_LEVELS) throw errors.txDecode(`nested deeper than ${MAX_LEVELS} levels`)
  if (--it.budget.nodes < 0) throw errors.txDecode(`more than ${MAX_NODES} nested messages`)
  it.frame = { plan, start, end, group, seen: 0 }
  it.at = start
}

/** Leaves the current frame, or enters the content of an `Any`. Returns false at the end of the scan. */
function leave(it: Scan): boolean {
  const { plan, start, end, group } = it.frame
  if (group !== 0) throw fault(it, 'unexpected EOF')
  if (plan?.isAny) {
    const { bytes, urlStart, urlEnd, valueStart, valueEnd } = it
    it.urlStart = it.urlEnd = it.valueStart = it.valueEnd = 0
    // Names of types are ASCII, in which a byte is a character.
    const type = valueEnd > valueStart ? it.rules.typeOf(partToKey(bytes, urlStart, urlEnd)) : undefined
    if (type) {
      enter(it, planOf(type), valueStart, valueEnd, 0)
      return true
    }
  }
  if (plan?.isTime) requireTimeRange(plan.schema, fromBinary(plan.schema, it.bytes.subarray(start, end)))
  const around = it.open.pop()
  if (!around) return false
  it.frame = around
  // The content of an Any is read after all of its fields.
  it.at = around.plan?.isAny ? around.end : end
  return true
}

function readField(it: Scan): void {
  const { plan } = it.frame
  const tag = readTag(it)
  it.budget.values++
  const number = tag >>> 3
  const wireType = tag & 7
  if (number === 0 || wireType > BIT32) throw fault(it, `illegal tag ${number} (wire type ${wireType})`)
  const field = plan?.fields[number]
  if (!field) readUnknown(it, number, wireType)
  else if (wireType === DELIMITED) readDelimited(it, plan!, field, number)
  else if (wireType === field.wireType || wireType === field.packed) skip(it, wireType, it.frame.end)
  else throw wrongType(it, field, wireType)
}

function readDelimited(it: Scan, plan: Plan, field: FieldPlan, number: number): void {
  const { frame } = it
  const length = readLength(it)
  const start = it.at
  const end = start + length
  if (field.message) {
    if ((frame.seen & field.once) !== 0) throw fault(it, `${field.name} occurs twice`)
    frame.seen |= field.once
    enter(it, field.message, start, end, 0)
    return
  }
  if (field.packed !== undefined) {
    for (; it.at < end; it.budget.values++) skip(it, field.packed, end)
    return
  }
  if (field.wireType !== DELIMITED) throw wrongType(it, field, DELIMITED)
  if (field.isText) requireUtf8(it, start, end, field.name)
  it.at = end
  if (!plan.isAny) return
  if (number === 1) {
    it.urlStart = start
    it.urlEnd = end
  } else {
    it.valueStart = start
    it.valueEnd = end
  }
}

function readUnknown(it: Scan, number: number, wireType: number): void {
  const { plan, end, group } = it.frame
  if (plan) {
    if (it.rules.refuse === 'all' || (number & NON_CRITICAL_BIT) === 0) {
      throw errors.txDecode(`unknown field ${number} in ${plan.schema.typeName}`)
    }
    it.found = true
  }
  if (wireType === GROUP) enter(it, undefined, it.at, end, number)
  else if (wireType === GROUP_END) {
    if (group !== number) throw fault(it, `the end of group ${number}, which did not begin`)
    it.frame = it.open.pop()!
  } else if (wireType === DELIMITED) {
    const length = readLength(it)
    it.at += length
  } else skip(it, wireType, end)
}

const wrongType = (it: Scan, { name }: FieldPlan, wireType: number): ChainError =>
  fault(it, `wrong wireType = ${wireType} for field ${name}`)

/** Reads a tag, at most 32 bits. */
function readTag(it: Scan): number {
  const { bytes } = it
  const first = bytes[it.at++]!
  if (first < 0x80) return first
  let tag = first & 0x7f
  for (let scale = 0x80; ; scale *= 0x80) {
    const byte = nextByte(it, it.frame.end)
    tag += (byte & 0x7f) * scale
    if (tag > 0xffffffff || (byte >= 0x80 && scale === 0x80 ** 4)) throw fault(it, 'a tag exceeds 32 bits')
    if (byte < 0x80) return tag
  }
}

/** Reads a length of bytes that the current frame has. */
function readLength(it: Scan): number {
  const { end } = it.frame
  let length = 0
  let scale = 1
  for (let count = 1; ; count++) {
    const byte = nextByte(it, end)
    length += (byte & 0x7f) * scale
    if (byte < 0x80) break
    if (count === MAX_VARINT_BYTES) throw fault(it, 'integer overflow')
    scale *= 0x80
  }
  if (length > end - it.at) throw fault(it, 'unexpected EOF')
  return length
}

/** Skips a value that is not delimited and ends at or before `end`. */
function skip(it: Scan, wireType: number, end: number): void {
  if (wireType === VARINT) {
    for (let count = 1; nextByte(it, end) >= 0x80; count++) {
      if (count === MAX_VARINT_BYTES) throw fault(it, 'integer overflow')
    }
    return
  }
  it.at += wireType === BIT64 ? 8 : 4
  if (it.at > end) throw fault(it, 'unexpected EOF')
}

function nextByte(it: Scan, end: number): number {
  if (it.at >= end) throw fault(it, 'unexpected EOF')
  return it.bytes[it.at++]!
}

function requireUtf8(it: Scan, start: number, end: number, name: string): void {
  const { bytes } = it
  for (let i = start; i < end; i++) {
    if (bytes[i]! < 0x80) continue
    if (!isUtf8(bytes.subarray(i, end))) throw fault(it, `${name} is not valid UTF-8`)
    return
  }
}
