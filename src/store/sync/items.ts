/**
 * The items of a state snapshot: a stream of protobuf messages, each after its length. A store's item precedes its nodes, and
 * extensions follow the last store. Source: docs/state-sync.md#format.
 */
import { formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { type Output, putBytes, putVarint, varintLength } from '../../primitives/varint.ts'

/** One item. `kind` names the message. */
export type Item =
  | { readonly kind: 'store'; readonly name: string }
  | {
      readonly kind: 'node'
      readonly key: Uint8Array
      /** Empty for an inner node. */
      readonly value: Uint8Array
      readonly version: number
      readonly height: number
    }
  | { readonly kind: 'extension'; readonly name: string; readonly format: number }
  | { readonly kind: 'payload'; readonly payload: Uint8Array }

/** Maximum length of an item, bytes. */
const MAX_ITEM_BYTES = 64_000_000

const EMPTY: Uint8Array = new Uint8Array(0)
const FIELD = { store: 1, node: 2, extension: 3, payload: 4 } as const
const BYTES = 2

const tag = (field: number, wire: number): number => (field << 3) | wire

/** Returns the size of a field of bytes, which proto3 omits if it is empty. */
const sizeOf = ({ length }: Uint8Array): number => (length === 0 ? 0 : 1 + varintLength(length) + length)
const sizeOfNumber = (value: number): number => (value === 0 ? 0 : 1 + varintLength(value))

function putField(out: Output, field: number, bytes: Uint8Array): void {
  if (bytes.length === 0) return
  putVarint(out, tag(field, BYTES))
  putVarint(out, bytes.length)
  putBytes(out, bytes)
}

function putNumberField(out: Output, field: number, value: number): void {
  if (value === 0) return
  putVarint(out, tag(field, 0))
  putVarint(out, value)
}

/** Writes the lengths of an item and of the message in it, whose fields follow. */
function begin(out: Output, field: number, size: number): void {
  putVarint(out, 1 + varintLength(size) + size)
  putVarint(out, tag(field, BYTES))
  putVarint(out, size)
}

/** Appends an item with its length. */
export function putItem(out: Output, item: Item): void {
  switch (item.kind) {
    case 'store': {
      const name = utf8(item.name)
      begin(out, FIELD.store, sizeOf(name))
      putField(out, 1, name)
      return
    }
    case 'node': {
      const { key, value, version, height } = item
      begin(out, FIELD.node, sizeOf(key) + sizeOf(value) + sizeOfNumber(version) + sizeOfNumber(height))
      putField(out, 1, key)
      putField(out, 2, value)
      putNumberField(out, 3, version)
      putNumberField(out, 4, height)
      return
    }
    case 'extension': {
      const name = utf8(item.name)
      begin(out, FIELD.extension, sizeOf(name) + sizeOfNumber(item.format))
      putField(out, 1, name)
      putNumberField(out, 2, item.format)
      return
    }
    case 'payload':
      begin(out, FIELD.payload, sizeOf(item.payload))
      putField(out, 1, item.payload)
  }
}

/** The bytes of a message, from `at` to `end`. */
interface Cursor {
  readonly bytes: Uint8Array
  at: number
  readonly end: number
}

/** Returns the error for wrong bytes of a snapshot, `dataLoss`, which no failure of this node has. */
export const damaged = (what: string): ChainError => queryError('dataLoss', `the snapshot is damaged: ${what}`)

function takeNumber(cursor: Cursor): number {
  let value = 0
  let scale = 1
  for (let i = 0; i < 10; i++) {
    if (cursor.at >= cursor.end) throw damaged('a number is cut off')
    const byte = cursor.bytes[cursor.at++]!
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
    scale *= 0x80
  }
  throw damaged('a number is longer than 10 bytes')
}

/** Enters a field of bytes. */
function takeMessage(cursor: Cursor): Cursor {
  const length = takeNumber(cursor)
  const start = cursor.at
  cursor.at += length
  if (cursor.at > cursor.end) throw damaged('a field is longer than its message')
  return { bytes: cursor.bytes, at: start, end: cursor.at }
}

const bytesOf = ({ bytes, at, end }: Cursor): Uint8Array => (at === end ? EMPTY : bytes.subarray(at, end))

function skip(cursor: Cursor, wire: number): void {
  if (wire === 0) takeNumber(cursor)
  else if (wire === BYTES) takeMessage(cursor)
  else if (wire === 1) cursor.at += 8
  else if (wire === 5) cursor.at += 4
  else throw damaged(`a field has wire type ${wire}`)
  if (cursor.at > cursor.end) throw damaged('a field is longer than its message')
}

function takeNode(cursor: Cursor): Item {
  let key = EMPTY
  let value = EMPTY
  let version = 0
  let height = 0
  while (cursor.at < cursor.end) {
    const found = takeNumber(cursor)
    if (found === tag(1, BYTES)) key = bytesOf(takeMessage(cursor))
    else if (found === tag(2, BYTES)) value = bytesOf(takeMessage(cursor))
    else if (found === tag(3, 0)) version = takeNumber(cursor)
    else if (found === tag(4, 0)) height = takeNumber(cursor)
    else skip(cursor, found & 7)
  }
  return { kind: 'node', key, value, version, height }
}

/** Reads a message with a name and a number. */
function takeNamed(cursor: Cursor): { readonly name: string; readonly format: number } {
  let name = ''
  let format = 0
  while (cursor.at < cursor.end) {
    const found = takeNumber(cursor)
    if (found === tag(1, BYTES)) name = formatUtf8(bytesOf(takeMessage(cursor)))
    else if (found === tag(2, 0)) format = takeNumber(cursor)
    else skip(cursor, found & 7)
  }
  return { name, format }
}

function takePayload(cursor: Cursor): Uint8Array {
  let payload = EMPTY
  while (cursor.at < cursor.end) {
    const found = takeNumber(cursor)
    if (found === tag(1, BYTES)) payload = bytesOf(takeMessage(cursor))
    else skip(cursor, found & 7)
  }
  return payload
}

function takeItem(cursor: Cursor): Item {
  const found = takeNumber(cursor)
  if ((found & 7) !== BYTES) throw damaged('an item is no message')
  const inner = takeMessage(cursor)
  switch (found >>> 3) {
    case FIELD.store:
      return { kind: 'store', name: takeNamed(inner).name }
    case FIELD.node:
      return takeNode(inner)
    case FIELD.extension:
      return { kind: 'extension', ...takeNamed(inner) }
    case FIELD.payload:
      return { kind: 'payload', payload: takePayload(inner) }
    default:
      throw damaged(`an item has field ${found >>> 3}, which format 3 does not use`)
  }
}

/** Reads items from bytes that arrive in pieces. */
export interface ItemReader {
  /** Yields the items that are complete. They are views of memory that stays unchanged. Throws `dataLoss` for other bytes. */
  push(bytes: Uint8Array): IterableIterator<Item>
  /** Throws `dataLoss` unless the last item is complete. */
  end(): void
}

export function createItemReader(): ItemReader {
  let rest = EMPTY
  /** Pieces of a long item, until `wanted` bytes of it are there. */
  let pieces: Uint8Array[] = []
  let held = 0
  let wanted = 0

  function join(bytes: Uint8Array): Uint8Array | undefined {
    pieces.push(bytes)
    held += bytes.length
    if (held < wanted) return undefined
    const whole = new Uint8Array(held)
    let at = 0
    for (const piece of pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    pieces = []
    held = 0
    return whole
  }

  /** Returns the length of the item at a cursor, or undefined if the length itself is cut off. */
  function lengthAt(cursor: Cursor): number | undefined {
    const start = cursor.at
    for (let at = start; at < cursor.end; at++) {
      if (cursor.bytes[at]! >= 0x80) continue
      const length = takeNumber(cursor)
      if (length > MAX_ITEM_BYTES) throw damaged(`an item has ${length} bytes, and the limit is ${MAX_ITEM_BYTES}`)
      return length
    }
    if (cursor.end - start >= 10) throw damaged('a number is longer than 10 bytes')
    return undefined
  }

  return {
    *push(bytes) {
      const all = rest.length === 0 && pieces.length === 0 ? bytes : join(bytes)
      if (!all) return
      rest = EMPTY
      const cursor: Cursor = { bytes: all, at: 0, end: all.length }
      while (cursor.at < cursor.end) {
        const start = cursor.at
        const length = lengthAt(cursor)
        if (length === undefined || cursor.at + length > cursor.end) {
          rest = all.slice(start)
          wanted = length === undefined ? rest.length + 1 : cursor.at - start + length
          pieces = [rest]
          held = rest.length
          return
        }
        const inner: Cursor = { bytes: all, at: cursor.at, end: cursor.at + length }
        cursor.at = inner.end
        yield takeItem(inner)
      }
    },
    end() {
      if (rest.length > 0) throw damaged('its last item is cut off')
    },
  }
}
