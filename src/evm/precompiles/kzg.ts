/** Address 0x0a: verifies that a committed polynomial has a value at a point (EIP-4844). */
import { concat, decodeUint, encodeUint, equal, hex } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { PurePrecompile } from '../types.ts'
import type { BlsCurve } from './curve.ts'
import { createMclBls12381 } from './curve-mcl.ts'
import { createNobleBls12381 } from './curve-noble.ts'
import { once } from './once.ts'

const LENGTH = 192
const VERSION = 1
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
const FIELD_ELEMENTS_PER_BLOB = 4096n

const G1_GENERATOR = hex(
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
)
const G2_GENERATOR = hex(
  '93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
)
/** The secret of Ethereum's ceremony times the generator of G2: all of the trusted setup that verification needs. */
const G2_TAU = hex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
)

/** What a proof that holds answers: the number of field elements in a blob, and the field's order. */
const ANSWER = concat(encodeUint(FIELD_ELEMENTS_PER_BLOB, 32), encodeUint(ORDER, 32))

export type KzgVerifier = (commitment: Uint8Array, z: bigint, y: bigint, proof: Uint8Array) => boolean

/** Verification on a library's curve: e(C − y·G1, G2) · e(−π, τ·G2 − z·G2) = 1. */
export function kzgVerifierOn<G1, G2>(curve: BlsCurve<G1, G2>): KzgVerifier {
  const scalar = (value: bigint) => encodeUint(((value % ORDER) + ORDER) % ORDER, 32)
  return (commitment, z, y, proof) => {
    curve.begin(LENGTH * 8)
    const c = curve.decompressG1(commitment)
    const pi = curve.decompressG1(proof)
    const generator1 = curve.decompressG1(G1_GENERATOR)
    const generator2 = curve.decompressG2(G2_GENERATOR)
    const tau = curve.decompressG2(G2_TAU)
    if (c === undefined || pi === undefined) return false
    if (generator1 === undefined || generator2 === undefined || tau === undefined) return false
    const left = curve.sumG1([c, generator1], [scalar(1n), scalar(-y)])
    const right = curve.sumG2([tau, generator2], [scalar(1n), scalar(-z)])
    const negated = curve.sumG1([pi], [scalar(-1n)])
    return curve.isPairingOne([
      [left, generator2],
      [negated, right],
    ])
  }
}

/** Made at the first use. */
const verifier = once((): KzgVerifier => {
  const mcl = createMclBls12381()
  return mcl ? kzgVerifierOn(mcl) : kzgVerifierOn(createNobleBls12381())
})

/** The precompile's function: input is versioned hash, z, y, commitment and proof. */
export function evaluatePoint(input: Uint8Array, verify: KzgVerifier): Uint8Array | undefined {
  if (input.length !== LENGTH) return undefined
  const z = decodeUint(input.subarray(32, 64))
  const y = decodeUint(input.subarray(64, 96))
  const commitment = input.subarray(96, 144)
  const hash = sha256(commitment)
  hash[0] = VERSION
  if (!equal(hash, input.subarray(0, 32)) || z >= ORDER || y >= ORDER) return undefined
  return verify(commitment, z, y, input.subarray(144)) ? ANSWER.slice() : undefined
}

export const kzgPrecompile: PurePrecompile = {
  kind: 'pure',
  gas: () => 50_000n,
  run: (input) => evaluatePoint(input, verifier()),
}
