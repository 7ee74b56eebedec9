/** Account addresses: bytes inside, Bech32 or checksummed hexadecimal text at the edge. */
import { bech32 } from '@scure/base'
import { parseHex, toKey, utf8 } from './bytes.ts'
import { createCache } from './cache.ts'
import { checksummed } from './evm-address.ts'
import { keccak256, ripemd160, sha256 } from './hash.ts'

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const MIN_LENGTH = 8
const MAX_LENGTH = 1023
const CHECKSUM_LENGTH = 6

/** Entries of each cache: a chain handles the same addresses again and again. */
const CACHE_SIZE = 8192
const texts = createCache<string>(CACHE_SIZE)
const addresses = createCache<Bech32Parts>(CACHE_SIZE)

/** Returns Bech32 text with a prefix, in lower case. State keys of balances below one unit contain such texts. */
export function formatBech32(prefix: string, bytes: Uint8Array): string {
  const key = `${prefix}\0${toKey(bytes)}`
  return texts.get(key) ?? texts.set(key, bech32.encode(prefix, bech32.toWords(bytes), false))
}

export interface Bech32Parts {
  readonly prefix: string
  readonly bytes: Uint8Array
}

/**
 * Returns prefix and bytes (1 to 255) of a Bech32 text, or the reason why it is invalid, in the words of the Cosmos SDK's
 * library.
 */
export function decodeBech32(text: string): Bech32Parts | { readonly reason: string } {
  const known = addresses.get(text)
  // A copy, so that a caller that changes the bytes does not change the cached address.
  if (known) return { prefix: known.prefix, bytes: known.bytes.slice() }
  if (text.length < MIN_LENGTH || text.length > MAX_LENGTH) {
    return { reason: `invalid bech32 string length ${text.length}` }
  }
  const decoded = bech32.decodeUnsafe(text, MAX_LENGTH)
  if (!decoded) return { reason: whyNotBech32(text) }
  const bytes = bech32.fromWordsUnsafe(decoded.words)
  if (!bytes) return { reason: 'invalid incomplete group' }
  if (bytes.length < 1 || bytes.length > 255) return { reason: `${bytes.length} address bytes` }
  addresses.set(text, { prefix: decoded.prefix, bytes: bytes.slice() })
  return { prefix: decoded.prefix, bytes }
}

function whyNotBech32(text: string): string {
  const strange = /[^\x21-\x7e]/u.exec(text)
  if (strange) return `invalid character in string: '${strange[0]}'`
  const lower = text.toLowerCase()
  if (text !== lower && text !== text.toUpperCase()) return 'string not all lowercase or all uppercase'
  const separator = lower.lastIndexOf('1')
  if (separator < 1 || separator + 1 + CHECKSUM_LENGTH > lower.length) return `invalid separator index ${separator}`
  const data = lower.slice(separator + 1)
  const foreign = [...data].find((letter) => !ALPHABET.includes(letter))
  if (foreign) return `invalid character not part of charset: ${foreign.charCodeAt(0)}`
  const words = [...data.slice(0, -CHECKSUM_LENGTH)].map((letter) => ALPHABET.indexOf(letter))
  const expected = bech32.encode(lower.slice(0, separator), words, MAX_LENGTH).slice(-CHECKSUM_LENGTH)
  return `invalid checksum (expected ${expected} got ${data.slice(-CHECKSUM_LENGTH)})`
}

/** Formats 20 bytes as an EIP-55 checksummed address. */
export function formatEip55(bytes: Uint8Array): string {
  return checksummed(bytes, keccak256)
}

/** Parses 20 bytes of hexadecimal text, `0x` optional, without a check of the checksum. Returns undefined if invalid. */
export function parseEvm(text: string): Uint8Array | undefined {
  const bytes = parseHex(text)
  return bytes?.length === 20 ? bytes : undefined
}

/** Returns the address of a module account: the first 20 bytes of sha256 of its name. */
export function ofModule(name: string): Uint8Array {
  return sha256(utf8(name)).slice(0, 20)
}

/** Returns the address of a compressed secp256k1 key by the Cosmos rule: ripemd160(sha256(key)). */
export function ofSecp256k1(publicKey: Uint8Array): Uint8Array {
  return ripemd160(sha256(publicKey))
}

/** Returns the address of an uncompressed secp256k1 key (64 bytes x‖y) by the Ethereum rule. */
export function ofEthSecp256k1(uncompressed: Uint8Array): Uint8Array {
  return keccak256(uncompressed).slice(12)
}

/** Returns the address of an ed25519 key: sha256(key)[0:20]. */
export function ofEd25519(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey).slice(0, 20)
}
