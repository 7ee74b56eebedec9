/** Account addresses: bytes inside, Bech32 or checksummed hexadecimal text at the edge. */
import { bech32 } from '@scure/base'
import { formatHex, parseHex, utf8 } from './bytes.ts'
import { keccak256, ripemd160, sha256 } from './hash.ts'

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const GENERATORS = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
/** What the five bits that leave the checksum add to it. */
const CHECKSUM_TABLE = Int32Array.from({ length: 32 }, (_, top) =>
  GENERATORS.reduce((sum, generator, bit) => ((top >> bit) & 1 ? sum ^ generator : sum), 0),
)

function checksumStep(checksum: number, value: number): number {
  return ((checksum & 0x1ffffff) << 5) ^ value ^ CHECKSUM_TABLE[(checksum >>> 25) & 31]!
}

/** Bech32 text with the given prefix, in lower case. Every balance below one unit is kept under such a text. */
export function formatBech32(prefix: string, bytes: Uint8Array): string {
  let checksum = 1
  for (let i = 0; i < prefix.length; i++) checksum = checksumStep(checksum, prefix.charCodeAt(i) >> 5)
  checksum = checksumStep(checksum, 0)
  for (let i = 0; i < prefix.length; i++) checksum = checksumStep(checksum, prefix.charCodeAt(i) & 31)
  let text = `${prefix}1`
  let buffer = 0
  let bits = 0
  const take = (word: number) => {
    checksum = checksumStep(checksum, word)
    text += ALPHABET[word]!
  }
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; ) {
      bits -= 5
      take((buffer >> bits) & 31)
    }
  }
  if (bits > 0) take((buffer << (5 - bits)) & 31)
  for (let i = 0; i < 6; i++) checksum = checksumStep(checksum, 0)
  checksum ^= 1
  for (let i = 25; i >= 0; i -= 5) text += ALPHABET[(checksum >>> i) & 31]!
  return text
}

export interface Bech32Parts {
  readonly prefix: string
  readonly bytes: Uint8Array
}

const LEAST_LENGTH = 8
const MOST_LENGTH = 1023
const CHECKSUM_LENGTH = 6

/** Prefix and bytes (1 to 255) of a Bech32 text, or the reason why it is none, in the words of the chain's own library. */
export function decodeBech32(text: string): Bech32Parts | { readonly reason: string } {
  if (text.length < LEAST_LENGTH || text.length > MOST_LENGTH) {
    return { reason: `invalid bech32 string length ${text.length}` }
  }
  const decoded = bech32.decodeUnsafe(text, MOST_LENGTH)
  if (!decoded) return { reason: whyNotBech32(text) }
  const bytes = bech32.fromWordsUnsafe(decoded.words)
  if (!bytes) return { reason: 'invalid incomplete group' }
  if (bytes.length < 1 || bytes.length > 255) return { reason: `${bytes.length} address bytes` }
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

/** EIP-55 checksummed text of 20 bytes. */
export function formatEip55(bytes: Uint8Array): string {
  const digits = formatHex(bytes)
  const check = formatHex(keccak256(utf8(digits)))
  let out = '0x'
  for (let i = 0; i < digits.length; i++) out += check[i]! >= '8' ? digits[i]!.toUpperCase() : digits[i]
  return out
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
