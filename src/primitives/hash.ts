/** The hashes of the chain: SHA-256, RIPEMD-160 and Keccak-256. */
import { hash as oneShot } from 'node:crypto'
import { ripemd160 as ripemd160Noble } from '@noble/hashes/legacy.js'
import { keccak256 as keccak } from './keccak.ts'

const SHA256_BYTES = 32

/** Returns the SHA-256 digest, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  // As Latin-1 text, which takes half the time of a Buffer: that is allocated outside of the heap.
  const text = oneShot('sha256', bytes, 'binary')
  const digest = new Uint8Array(SHA256_BYTES)
  for (let i = 0; i < SHA256_BYTES; i++) digest[i] = text.charCodeAt(i)
  return digest
}

/** Returns the RIPEMD-160 digest, 20 bytes. */
export function ripemd160(bytes: Uint8Array): Uint8Array {
  return ripemd160Noble(bytes)
}

/** Returns the Keccak-256 digest as Ethereum uses it, 32 bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak(bytes)
}

/** Keccak-256 of no bytes: the code hash of an account without code. */
export const EMPTY_CODE_HASH: Uint8Array = keccak(new Uint8Array(0))
