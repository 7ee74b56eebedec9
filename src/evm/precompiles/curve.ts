/** The interface of the precompiles to a pairing-friendly curve. curve-mcl.ts implements it, and curve-noble.ts where that cannot load. */

/** The encoding of points and field elements in the input of a precompile. */
export interface CurveLayout {
  /** The length of a base field element, including leading zeros. Unit: bytes. */
  readonly fieldLength: number
  /** The field's modulus, `fieldLength` bytes. */
  readonly modulus: Uint8Array
  /** Whether the imaginary part of a G2 coordinate comes first (EIP-197) or second (EIP-2537). */
  readonly imaginaryFirst: boolean
}

/**
 * Operations on points of two groups. Points are opaque values of the library, valid until the next `begin`. The caller
 * checks that inputs are long enough for the offsets. The point at infinity is encoded as zeros.
 */
export interface Curve<G1, G2> {
  /** Discards the points of the previous run and reserves memory for the points of an input of this length. */
  begin(inputLength: number): void
  /** Decodes a point; undefined unless it is on the curve, and in the group if that is required. */
  readG1(input: Uint8Array, offset: number, inGroup: boolean): G1 | undefined
  readG2(input: Uint8Array, offset: number, inGroup: boolean): G2 | undefined
  writeG1(point: G1): Uint8Array
  writeG2(point: G2): Uint8Array
  addG1(a: G1, b: G1): G1
  addG2(a: G2, b: G2): G2
  /** Returns the sum of at least one product; scalars are 32 bytes, big-endian, of any value. */
  sumG1(points: readonly G1[], scalars: readonly Uint8Array[]): G1
  sumG2(points: readonly G2[], scalars: readonly Uint8Array[]): G2
  /** Whether the product of the pairings is one; a pairing with infinity is one. */
  isPairingOne(pairs: readonly (readonly [G1, G2])[]): boolean
}

/** BLS12-381, with the operations that only its precompiles use. */
export interface BlsCurve<G1, G2> extends Curve<G1, G2> {
  /** Maps a field element into the group (RFC 9380, cofactor cleared); undefined unless below the modulus. */
  mapToG1(input: Uint8Array, offset: number): G1 | undefined
  mapToG2(input: Uint8Array, offset: number): G2 | undefined
  /** Decodes a point from 48 compressed bytes; undefined unless it is in the group. */
  decompressG1(bytes: Uint8Array): G1 | undefined
}

export const BN254_LAYOUT: CurveLayout = {
  fieldLength: 32,
  modulus: parseModulus('30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47', 32),
  imaginaryFirst: true,
}

export const BLS12_381_LAYOUT: CurveLayout = {
  fieldLength: 64,
  modulus: parseModulus(
    '1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
    64,
  ),
  imaginaryFirst: false,
}

function parseModulus(digits: string, length: number): Uint8Array {
  return new Uint8Array(Buffer.from(digits.padStart(length * 2, '0'), 'hex'))
}
