/** Addresses in both forms: `0x…` with the checksum of EIP-55, and Bech32 with a prefix of the chain. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bech32 } from '@scure/base'

const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/

export const toHex = (bytes: Uint8Array): string =>
  `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** Returns the bytes of a hexadecimal text, with or without `0x`. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replace(/^0x/, '')
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16))
}

/** Returns prefix and bytes of a Bech32 address; undefined for any other text. */
export function readBech32(text: string): { readonly prefix: string; readonly bytes: Uint8Array } | undefined {
  try {
    const { prefix, words } = bech32.decode(text as `${string}1${string}`, 200)
    return { prefix, bytes: bech32.fromWords(words) }
  } catch {
    return undefined
  }
}

/** Returns the bytes of an address in either form; undefined for any other text. */
export const readAddress = (text: string): Uint8Array | undefined =>
  HEX_ADDRESS.test(text) ? fromHex(text) : readBech32(text)?.bytes

export const toBech32 = (prefix: string, bytes: Uint8Array): string => bech32.encode(prefix, bech32.toWords(bytes), 200)

/** Formats 20 bytes as `0x…` with the checksum of EIP-55; other lengths without a checksum. */
export function toEip55(bytes: Uint8Array): string {
  const lower = toHex(bytes).slice(2)
  if (bytes.length !== 20) return `0x${lower}`
  const hash = toHex(keccak_256(new TextEncoder().encode(lower))).slice(2)
  return `0x${[...lower].map((digit, i) => (Number.parseInt(hash[i]!, 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`
}

/** Shortens a long text for narrow places: its start and its end. The whole text belongs into a title beside it. */
export const shorten = (text: string, start = 10, end = 6): string =>
  text.length <= start + end + 1 ? text : `${text.slice(0, start)}…${text.slice(-end)}`
