/** What the precompiles need of a pairing-friendly curve. Two libraries provide it: curve-mcl.ts, and curve-noble.ts for where that cannot load. */

/** How points and field elements lie in the input of a precompile. */
export interface CurveLayout {
  /** Length of a base field element, its leading zeros included. Unit: bytes. */
  readonly fieldLength: number
  /** The field's modulus, `fieldLength` bytes. */
  readonly modulus: Uint8Array
  /** Whether the imaginary part of a G2 coordinate comes first (EIP-197) or second (EIP-2537). */
  readonly imaginaryFirst: boolean
}

/**
 * Operations on points of two groups, which are opaque values of the library. Points are valid until the next `begin`.
 * Offsets point into inputs long enough; the point at infinity is all zeros.
 */
export interface Curve<G1, G2> {
  /** Forgets the points of the last run and makes room for those of an input of this length. */
  begin(inputLength: number): void
  /** Undefined unless on the curve, and in the group if asked. */
  readG1(input: Uint8Array, offset: number, inGroup: boolean): G1 | undefined
  readG2(input: Uint8Array, offset: number, inGroup: boolean): G2 | undefined
  writeG1(point: G1): Uint8Array
  writeG2(point: G2): Uint8Array
  addG1(a: G1, b: G1): G1
  addG2(a: G2, b: G2): G2
  /** Sum of products; scalars are 32 bytes, big-endian, of any value. At least one. */
  sumG1(points: readonly G1[], scalars: readonly Uint8Array[]): G1
  sumG2(points: readonly G2[], scalars: readonly Uint8Array[]): G2
  /** Whether the product of the pairings is one; infinity pairs to one. */
  isPairingOne(pairs: readonly (readonly [G1, G2])[]): boolean
}

/** BLS12-381 with what only its precompiles use. */
export interface BlsCurve<G1, G2> extends Curve<G1, G2> {
  /** Maps a field element into the group (RFC 9380, cofactor cleared); undefined unless below the modulus. */
  mapToG1(input: Uint8Array, offset: number): G1 | undefined
  mapToG2(input: Uint8Array, offset: number): G2 | undefined
  /** A point of 48 compressed bytes in the group; undefined if they are none. */
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
