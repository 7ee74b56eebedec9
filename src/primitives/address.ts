/** Account addresses: bytes inside, Bech32 or checksummed hexadecimal text at the edge. */
import { bech32 } from '@scure/base'
import { formatHex, parseHex, utf8 } from './bytes.ts'
import { keccak256, ripemd160, sha256 } from './hash.ts'

/** Bech32 text with the given prefix. */
export function formatBech32(prefix: string, bytes: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(bytes), 1023)
}

export interface Bech32Parts {
  readonly prefix: string
  readonly bytes: Uint8Array
}

/** Prefix and bytes (1 to 255) of a Bech32 text, or the reason why it is none. */
export function decodeBech32(text: string): Bech32Parts | { readonly reason: string } {
  try {
    const { prefix, words } = bech32.decode(text as `${string}1${string}`, 1023)
    const bytes = bech32.fromWords(words)
    return bytes.length >= 1 && bytes.length <= 255 ? { prefix, bytes } : { reason: `${bytes.length} address bytes` }
  } catch (error) {
    return { reason: error instanceof Error ? error.message : 'not bech32' }
  }
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
