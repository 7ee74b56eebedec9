/** Address 0x100: verifies signatures over the curve P-256 (EIP-7951). */
import { createECDH } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { decodeUint, EMPTY, encodeUint } from '../../primitives/bytes.ts'
import type { PurePrecompile } from '../types.ts'

const LENGTH = 160
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

/** A signature to verify; its numbers are in range and its key is on the curve. */
interface Question {
  readonly hash: bigint
  readonly r: bigint
  readonly s: bigint
  readonly x: bigint
  readonly y: bigint
}

/**
 * Verifies with two products that Node's OpenSSL computes fast. With h the hash and Q the key, the signature is valid if
 * the x of (h/s)·G + (r/s)·Q = (r/s)·(Q + (h/r)·G) is r. OpenSSL returns the inner product as a public key, and the x of
 * the outer one as a shared secret.
 */
export function verifyP256Native({ hash, r, s, x, y }: Question): boolean {
  const ecdh = createECDH('prime256v1')
  const inner = mod(hash * inverse(r, N), N)
  let point: readonly [bigint, bigint] | undefined = [x, y]
  if (inner !== 0n) {
    ecdh.setPrivateKey(encodeUint(inner, 32))
    const product = ecdh.getPublicKey()
    point = add(point, [decodeUint(product.subarray(1, 33)), decodeUint(product.subarray(33))])
  }
  if (!point) return false
  ecdh.setPrivateKey(encodeUint(mod(r * inverse(s, N), N), 32))
  const encoded = new Uint8Array(65)
  encoded[0] = 4
  encoded.set(encodeUint(point[0], 32), 1)
  encoded.set(encodeUint(point[1], 32), 33)
  return decodeUint(ecdh.computeSecret(encoded)) % N === r
}

/** Verifies in pure JavaScript. */
export function verifyP256Pure({ hash, r, s, x, y }: Question): boolean {
  const inverseS = inverse(s, N)
  const u1 = mod(hash * inverseS, N)
  const u2 = mod(r * inverseS, N)
  const fromKey = p256.Point.fromAffine({ x, y }).multiplyUnsafe(u2)
  const sum = u1 === 0n ? fromKey : fromKey.add(p256.Point.BASE.multiplyUnsafe(u1))
  return !sum.is0() && sum.toAffine().x % N === r
}

/** Runs the precompile: returns 1 in 32 bytes if the signature is valid, else no bytes. */
export function verifyP256(input: Uint8Array, verify: (question: Question) => boolean): Uint8Array {
  if (input.length !== LENGTH) return EMPTY
  const [hash, r, s, x, y] = [0, 32, 64, 96, 128].map((at) => decodeUint(input.subarray(at, at + 32))) as [
    bigint,
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  if (r === 0n || r >= N || s === 0n || s >= N || x >= P || y >= P || !isOnCurve(x, y)) return EMPTY
  return verify({ hash, r, s, x, y }) ? encodeUint(1n, 32) : EMPTY
}

export const p256Precompile: PurePrecompile = {
  kind: 'pure',
  gas: () => 6_900n,
  run: (input) => verifyP256(input, verifyP256Native),
}

function mod(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus
  return rest < 0n ? rest + modulus : rest
}

function isOnCurve(x: bigint, y: bigint): boolean {
  return mod(y * y - (x * x * x - 3n * x + B), P) === 0n
}

/** Returns the inverse of a nonzero value modulo a prime. */
function inverse(value: bigint, prime: bigint): bigint {
  let [a, b] = [mod(value, prime), prime]
  let [x, y] = [1n, 0n]
  while (a > 1n) {
    const quotient = b / a
    ;[a, b] = [b - quotient * a, a]
    ;[x, y] = [y - quotient * x, x]
  }
  return mod(x, prime)
}

/** Returns the sum of two affine points; undefined for infinity. */
function add(
  [x1, y1]: readonly [bigint, bigint],
  [x2, y2]: readonly [bigint, bigint],
): readonly [bigint, bigint] | undefined {
  if (x1 === x2 && mod(y1 + y2, P) === 0n) return undefined
  const slope = x1 === x2 ? (3n * x1 * x1 - 3n) * inverse(2n * y1, P) : (y2 - y1) * inverse(x2 - x1, P)
  const x = mod(slope * slope - x1 - x2, P)
  return [x, mod(slope * (x1 - x) - y1, P)]
}
