/** Address 0x01: the signer of a hash. */
import { ofEthSecp256k1 } from '../../primitives/address.ts'
import { decodeUint, EMPTY, padLeft } from '../../primitives/bytes.ts'
import { SECP256K1_ORDER, secp256k1 } from '../transaction/secp256k1.ts'
import type { PurePrecompile } from '../types.ts'
import { isZero, slice } from './input.ts'

export const ecrecoverPrecompile: PurePrecompile = {
  kind: 'pure',
  gas: () => 3000n,
  run: (input) => recover(slice(input, 0, 128)),
}

/** Returns the signer's address in 32 bytes; no bytes for an invalid signature. s can be in the upper half. */
function recover(input: Uint8Array): Uint8Array {
  const v = input[63]!
  if (!isZero(input.subarray(32, 63)) || (v !== 27 && v !== 28)) return EMPTY
  const signature = input.subarray(64, 128)
  if (!inRange(signature.subarray(0, 32)) || !inRange(signature.subarray(32))) return EMPTY
  const key = secp256k1.recover(input.subarray(0, 32), signature, v - 27)
  return key ? padLeft(ofEthSecp256k1(key), 32) : EMPTY
}

function inRange(bytes: Uint8Array): boolean {
  const value = decodeUint(bytes)
  return value > 0n && value < SECP256K1_ORDER
}
