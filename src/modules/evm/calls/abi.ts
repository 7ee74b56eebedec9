/** The part of Solidity's argument encoding that calls of contracts need (docs.soliditylang.org, "Contract ABI Specification"). */
import { concat, decodeUint, EMPTY, encodeUint, formatUtf8, join, padLeft, utf8 } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { errors } from '../errors.ts'

/** A value: integers as `bigint`, addresses and `bytes` as bytes, tuples as lists. */
export type AbiValue = bigint | boolean | string | Uint8Array | readonly AbiValue[]

/** A type, parsed from its canonical text: `uint64`, `string`, `(address,string)`. */
type AbiType =
  | { readonly kind: 'uint' | 'int'; readonly bits: number }
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  | { readonly kind: 'tuple'; readonly parts: readonly AbiType[] }

const WORD = 32

/** Splits `a,(b,c),d` at its outer commas. */
function splitList(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++
    else if (text[i] === ')') depth--
    else if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i))
      start = i + 1
    }
  }
  return text === '' ? [] : [...parts, text.slice(start)]
}

/** Parses a type. Bounded by: the signatures, which are written in this program. */
function parseType(text: string): AbiType {
  if (text.startsWith('(')) return { kind: 'tuple', parts: splitList(text.slice(1, -1)).map(parseType) }
  const integer = /^(u?int)(\d+)$/.exec(text)
  if (integer) return { kind: integer[1] as 'uint' | 'int', bits: Number(integer[2]) }
  if (text === 'address' || text === 'bool' || text === 'bytes' || text === 'string') return { kind: text }
  throw new TypeError(`not a type of the ABI: ${text}`)
}

const parsedTexts = new Map<string, readonly AbiType[]>()

/** Returns the types of a list. Lists are written in this program, never by users, so the map stays small. */
function parsed(text: string): readonly AbiType[] {
  let types = parsedTexts.get(text)
  if (!types) {
    types = splitList(text).map(parseType)
    parsedTexts.set(text, types)
  }
  return types
}

/** Whether an encoding has a variable length. Bounded by: the type. */
function isDynamic(type: AbiType): boolean {
  if (type.kind === 'tuple') return type.parts.some(isDynamic)
  return type.kind === 'bytes' || type.kind === 'string'
}

/** Returns the length of a value in the head of its list. Unit: bytes. Bounded by: the type. */
function headSize(type: AbiType): number {
  if (type.kind !== 'tuple' || isDynamic(type)) return WORD
  return type.parts.reduce((sum, part) => sum + headSize(part), 0)
}

function encodeBytes(bytes: Uint8Array): Uint8Array {
  const padding = new Uint8Array((WORD - (bytes.length % WORD)) % WORD)
  return concat(encodeUint(BigInt(bytes.length), WORD), bytes, padding)
}

/** Encodes a value. Bounded by: the type. */
function encodeValue(type: AbiType, value: AbiValue): Uint8Array {
  switch (type.kind) {
    case 'uint':
      return encodeUint(value as bigint, WORD)
    case 'int':
      return encodeUint(BigInt.asUintN(256, value as bigint), WORD)
    case 'bool':
      return encodeUint(value ? 1n : 0n, WORD)
    case 'address':
      return padLeft(value as Uint8Array, WORD)
    case 'bytes':
      return encodeBytes(value as Uint8Array)
    case 'string':
      return encodeBytes(utf8(value as string))
    case 'tuple':
      return encodeList(type.parts, value as readonly AbiValue[])
  }
}

/** Encodes the parts of a list. Bounded by: the types. */
function encodeList(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let offset = types.reduce((sum, type) => sum + headSize(type), 0)
  for (const [i, type] of types.entries()) {
    const encoded = encodeValue(type, values[i]!)
    if (!isDynamic(type)) {
      heads.push(encoded)
      continue
    }
    heads.push(encodeUint(BigInt(offset), WORD))
    tails.push(encoded)
    offset += encoded.length
  }
  return join([...heads, ...tails])
}

/** Encodes values. `types` is their canonical text, such as `address,uint256`. */
export function encodeArguments(types: string, values: readonly AbiValue[]): Uint8Array {
  return encodeList(parsed(types), values)
}

/** A part of an encoding whose offsets count from `base`. */
interface Frame {
  readonly bytes: Uint8Array
  readonly base: number
}

function wordAt({ bytes }: Frame, at: number): bigint {
  if (at + WORD > bytes.length)
    throw errors.badEncoding(`length insufficient: ${bytes.length} bytes, ${at + WORD} needed`)
  return decodeUint(bytes.subarray(at, at + WORD))
}

/** Returns the position or length at `at`. Throws evm 4 if it points outside the encoding. */
function readPosition(frame: Frame, at: number, what: string): number {
  const value = wordAt(frame, at)
  if (value > BigInt(frame.bytes.length))
    throw errors.badEncoding(`${what} ${value} leads out of ${frame.bytes.length} bytes`)
  return Number(value)
}

function decodeBytes(frame: Frame, at: number): Uint8Array {
  const length = readPosition(frame, at, 'length')
  const from = at + WORD
  if (from + length > frame.bytes.length) {
    throw errors.badEncoding(`length insufficient: ${frame.bytes.length} bytes, ${from + length} needed`)
  }
  return frame.bytes.slice(from, from + length)
}

/** Decodes a value. Bounded by: the type. */
function decodeValue(frame: Frame, type: AbiType, at: number): AbiValue {
  switch (type.kind) {
    case 'uint': {
      const value = wordAt(frame, at)
      if (value >> BigInt(type.bits) !== 0n) throw errors.badEncoding(`${value} has more than ${type.bits} bits`)
      return value
    }
    case 'int':
      return BigInt.asIntN(256, wordAt(frame, at))
    case 'bool': {
      const value = wordAt(frame, at)
      if (value > 1n) throw errors.badEncoding('improperly encoded boolean value')
      return value === 1n
    }
    case 'address':
      return encodeUint(BigInt.asUintN(160, wordAt(frame, at)), 20)
    case 'bytes':
      return decodeBytes(frame, at)
    case 'string':
      return formatUtf8(decodeBytes(frame, at))
    case 'tuple':
      return decodeList({ bytes: frame.bytes, base: at }, type.parts)
  }
}

/** Decodes the parts of a list. Bounded by: the types. */
function decodeList(frame: Frame, types: readonly AbiType[]): readonly AbiValue[] {
  let at = frame.base
  return types.map((type) => {
    const from = at
    at += headSize(type)
    return decodeValue(frame, type, isDynamic(type) ? frame.base + readPosition(frame, from, 'offset') : from)
  })
}

/**
 * Decodes values of the given types. `types` can be the first part of a longer list: bytes after the values are ignored, as in
 * geth. Throws evm 4 for bytes that do not encode them.
 */
export function decodeArguments(types: string, bytes: Uint8Array): readonly AbiValue[] {
  const list = parsed(types)
  if (bytes.length === 0 && list.length > 0) {
    throw errors.badEncoding('attempting to unmarshal an empty string while arguments are expected')
  }
  return decodeList({ bytes, base: 0 }, list)
}

const selectors = new Map<string, Uint8Array>()

/** Returns the selector of a function of this program: the first four bytes of the hash of `name(types)`. */
export function selectorOf(signature: string): Uint8Array {
  let selector = selectors.get(signature)
  if (!selector) {
    selector = keccak256(utf8(signature)).slice(0, 4)
    selectors.set(signature, selector)
  }
  return selector
}

/** Encodes the calldata of a function such as `transfer(address,uint256)`. */
export function encodeCall(signature: string, values: readonly AbiValue[] = []): Uint8Array {
  const open = signature.indexOf('(')
  return concat(
    selectorOf(signature),
    values.length === 0 ? EMPTY : encodeArguments(signature.slice(open + 1, -1), values),
  )
}

const ERROR_SELECTOR: Uint8Array = selectorOf('Error(string)')

/** Encodes the revert data `Error(string)` with a reason. */
export function encodeError(text: string): Uint8Array {
  return concat(ERROR_SELECTOR, encodeArguments('string', [text]))
}
