/** The reasons for which standard precompiles refuse an input, with geth's texts. Derived only when the error is read. */
import { decodeUint, equal } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { slice } from './input.ts'

const BN254_PRIME = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n

const INPUT_LENGTH = 'invalid input length'

type Reason = (input: Uint8Array) => string | undefined

/** Returns the first error in coordinates of 32 bytes: one that is not an element of the field, or a point not on the curve. */
function bn254Point(input: Uint8Array, words: number): string {
  for (let i = 0; i < words; i++) {
    if (decodeUint(slice(input, 32 * i, 32)) >= BN254_PRIME) return 'bn256: coordinate exceeds modulus'
  }
  return 'bn256: malformed point'
}

/** Returns the first error in field elements of 64 bytes, which must begin with 16 zeros. A term is field elements, then an optional scalar. */
function bls12381(length: (bytes: number) => boolean, point: number, term: number): Reason {
  return (input) => {
    if (!length(input.length)) return INPUT_LENGTH
    for (let start = 0; start < input.length; start += term) {
      for (let at = start; at < start + point; at += 64) {
        if (input.subarray(at, at + 16).some((byte) => byte !== 0)) return 'invalid field element top bytes'
      }
    }
    return undefined
  }
}

const exactly = (length: number) => (bytes: number) => bytes === length
const multiple = (length: number) => (bytes: number) => bytes !== 0 && bytes % length === 0

/** The functions that return the reason, by number of the address. */
export const REFUSALS: ReadonlyMap<number, Reason> = new Map<number, Reason>([
  [0x05, () => 'one or more of base/exponent/modulus length exceeded 1024 bytes'],
  [0x06, (input) => bn254Point(input, 4)],
  [0x07, (input) => bn254Point(input, 2)],
  [
    0x08,
    (input) => (input.length % 192 === 0 ? bn254Point(input, input.length / 32) : 'bad elliptic curve pairing size'),
  ],
  [0x09, (input) => (input.length === 213 ? 'invalid final flag' : INPUT_LENGTH)],
  [
    0x0a,
    (input) => {
      if (input.length !== 192) return INPUT_LENGTH
      const hash = sha256(input.subarray(96, 144))
      const isMatch = input[0] === 1 && equal(hash.subarray(1), input.subarray(1, 32))
      return isMatch ? 'error verifying kzg proof' : 'mismatched versioned hash'
    },
  ],
  [0x0b, bls12381(exactly(256), 256, 256)],
  [0x0c, bls12381(multiple(160), 128, 160)],
  [0x0d, bls12381(exactly(512), 512, 512)],
  [0x0e, bls12381(multiple(288), 256, 288)],
  [0x0f, bls12381(multiple(384), 384, 384)],
  [0x10, bls12381(exactly(64), 64, 64)],
  [0x11, bls12381(exactly(128), 128, 128)],
])
