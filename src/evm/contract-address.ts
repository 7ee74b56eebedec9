/** The addresses of created contracts. */
import { concat, encodeUintMinimal } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/hash.ts'

/** Returns `keccak256(rlp([creator, nonce]))[12:]`. */
export function createAddress(creator: Uint8Array, nonce: bigint): Uint8Array {
  const digits = encodeUintMinimal(nonce)
  const item = digits.length === 1 && digits[0]! < 0x80 ? digits : concat(Uint8Array.of(0x80 + digits.length), digits)
  return keccak256(concat(Uint8Array.of(0xc0 + 21 + item.length, 0x94), creator, item)).slice(12)
}

/** Returns `keccak256(0xff ‖ creator ‖ salt ‖ keccak256(init code))[12:]` (EIP-1014). */
export function create2Address(creator: Uint8Array, salt: Uint8Array, initCodeHash: Uint8Array): Uint8Array {
  return keccak256(concat(Uint8Array.of(0xff), creator, salt, initCodeHash)).slice(12)
}
