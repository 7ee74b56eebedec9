/** Verification of every kind of signature that accounts use, and the deterministic signing shared by tests and clients. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '../evm/transaction/secp256k1.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { orUndefined } from '../primitives/host-errors.ts'

/**
 * Whether 64 bytes r‖s sign a 32-byte digest under a compressed key. Returns false for a high s, as the chain does, and for
 * malformed input.
 */
export function verifySecp256k1(digest: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || digest.length !== 32 || publicKey.length !== 33) return false
  return secp256k1.verify(digest, signature, publicKey)
}

/** Signs a 32-byte digest: RFC 6979, low s, 64 bytes r‖s. Throws for a private key outside the group. */
function signSecp256k1(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return secp256k1.sign(digest, privateKey).bytes
}

/** Returns the compressed public key, 33 bytes. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return secp256k1.compressedKey(privateKey)
}

/** Returns the 64 bytes x‖y of a compressed key; undefined if it is not a point of the curve. */
export function uncompressSecp256k1(publicKey: Uint8Array): Uint8Array | undefined {
  if (publicKey.length !== 33) return undefined
  return secp256k1.uncompress(publicKey)
}

/** Whether 64 bytes r‖s sign sha256(message) under a compressed P-256 key. */
export function verifySecp256r1(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 33) return false
  const digest = sha256(message)
  return orUndefined(() => p256.verify(signature, digest, publicKey, { prehash: false, lowS: true })) ?? false
}

/** Whether 64 bytes sign a message under an ed25519 key. */
export function verifyEd25519(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  return orUndefined(() => ed25519.verify(signature, message, publicKey)) ?? false
}

/** Signs sign bytes with a secp256k1 key. The digest is sha256 for the Cosmos kind, keccak256 for the Ethereum kind. */
export function signBytesWith(
  kind: 'secp256k1' | 'ethSecp256k1',
  signBytes: Uint8Array,
  privateKey: Uint8Array,
): Uint8Array {
  return signSecp256k1(kind === 'secp256k1' ? sha256(signBytes) : keccak256(signBytes), privateKey)
}
