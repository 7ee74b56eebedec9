/** Decodes the data of a revert, with geth's texts. */
import { decodeUint, formatHex, formatUtf8 } from '../primitives/bytes.ts'

const ERROR_SELECTOR = '08c379a0'
const PANIC_SELECTOR = '4e487b71'

/** Solidity's panic codes, with geth's texts. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** Returns the text of `Error(string)` or the meaning of `Panic(uint256)`; undefined for anything else. */
export function decodeRevert(data: Uint8Array): string | undefined {
  const selector = formatHex(data.subarray(0, 4))
  const body = data.subarray(4)
  if (selector === PANIC_SELECTOR && body.length >= 32) {
    const code = decodeUint(body.subarray(0, 32))
    return PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
  }
  return selector === ERROR_SELECTOR ? decodeString(body) : undefined
}

/** Returns the first argument of an ABI encoding as a string (or `bytes` read as text); undefined if it is neither. */
export function decodeString(body: Uint8Array): string | undefined {
  if (body.length < 64) return undefined
  const offset = decodeUint(body.subarray(0, 32))
  if (offset > BigInt(body.length - 32)) return undefined
  const at = Number(offset)
  const length = decodeUint(body.subarray(at, at + 32))
  if (length > BigInt(body.length - at - 32)) return undefined
  return formatUtf8(body.subarray(at + 32, at + 32 + Number(length)))
}
