/** Account addresses: bytes inside, Bech32 or checksummed hexadecimal text at the edge. */
import { bech32 } from '@scure/base'
import { formatHex, parseHex, toKey, utf8 } from './bytes.ts'
import { keccak256, ripemd160, sha256 } from './hash.ts'
import { createMemo } from './memo.ts'

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const LEAST_LENGTH = 8
const MOST_LENGTH = 1023
const CHECKSUM_LENGTH = 6

/** A chain sees the same addresses over and over. */
const MEMO_SIZE = 8192
const texts = createMemo<string>(MEMO_SIZE)
const addresses = createMemo<Bech32Parts>(MEMO_SIZE)

/** Bech32 text with the given prefix, in lower case. Every balance below one unit is kept under such a text. */
export function formatBech32(prefix: string, bytes: Uint8Array): string {
  const key = `${prefix}\0${toKey(bytes)}`
  return texts.recall(key) ?? texts.keep(key, bech32.encode(prefix, bech32.toWords(bytes), false))
}

export interface Bech32Parts {
  readonly prefix: string
  readonly bytes: Uint8Array
}

/** Prefix and bytes (1 to 255) of a Bech32 text, or the reason why it is none, in the words of the chain's own library. */
export function decodeBech32(text: string): Bech32Parts | { readonly reason: string } {
  const known = addresses.recall(text)
  // The caller's own bytes: whoever changed them would change the address for everybody.
  if (known) return { prefix: known.prefix, bytes: known.bytes.slice() }
  if (text.length < LEAST_LENGTH || text.length > MOST_LENGTH) {
    return { reason: `invalid bech32 string length ${text.length}` }
  }
  const decoded = bech32.decodeUnsafe(text, MOST_LENGTH)
  if (!decoded) return { reason: whyNotBech32(text) }
  const bytes = bech32.fromWordsUnsafe(decoded.words)
  if (!bytes) return { reason: 'invalid incomplete group' }
  if (bytes.length < 1 || bytes.length > 255) return { reason: `${bytes.length} address bytes` }
  addresses.keep(text, { prefix: decoded.prefix, bytes: bytes.slice() })
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
  const expected = bech32.encode(lower.slice(0, separator), words, MOST_LENGTH).slice(-CHECKSUM_LENGTH)
  return `invalid checksum (expected ${expected} got ${data.slice(-CHECKSUM_LENGTH)})`
}

const DIGIT_NINE = 0x39
const LOWER_TO_UPPER = 0x20

/** EIP-55 checksummed text of 20 bytes. */
export function formatEip55(bytes: Uint8Array): string {
  const digits = formatHex(bytes)
  const check = keccak256(utf8(digits))
  const out = utf8(`0x${digits}`)
  for (let i = 0; i < digits.length; i++) {
    const nibble = i % 2 === 0 ? check[i >> 1]! >> 4 : check[i >> 1]! & 15
    if (nibble >= 8 && out[i + 2]! > DIGIT_NINE) out[i + 2]! -= LOWER_TO_UPPER
  }
  return toKey(out)
}

/** Twenty bytes of hexadecimal text, `0x` optional, checksum not verified; undefined if it is none. */
export function parseEvm(text: string): Uint8Array | undefined {
  const bytes = parseHex(text)
  return bytes?.length === 20 ? bytes : undefined
}

/** Address of a module account: the first 20 bytes of sha256 of its name. */
export function ofModule(name: string): Uint8Array {
  return sha256(utf8(name)).slice(0, 20)
}

/** Address of a compressed secp256k1 key under the cosmos rule: ripemd160(sha256(key)). */
export function ofSecp256k1(publicKey: Uint8Array): Uint8Array {
  return ripemd160(sha256(publicKey))
}

/** Address of an uncompressed secp256k1 key (64 bytes x‖y) under the Ethereum rule. */
export function ofEthSecp256k1(uncompressed: Uint8Array): Uint8Array {
  return keccak256(uncompressed).slice(12)
}

/** Address of an ed25519 key: sha256(key)[0:20]. */
export function ofEd25519(publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey).slice(0, 20)
}
