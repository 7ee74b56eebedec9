/** Address 0x0a: verifies that a committed polynomial has a value at a point (EIP-4844). */
import { concat, decodeUint, encodeUint, equal, hex, join } from '../../primitives/bytes.ts'
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

/** The generators, and -τ·G2 with the secret τ of Ethereum's ceremony: the part of the trusted setup that verification uses. */
const GENERATOR_1 = encodePoint([
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
])
const GENERATOR_2 = encodePoint([
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
])
export const MINUS_TAU_2: Uint8Array = encodePoint([
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  '15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72',
  '18bdbe2c8014842c7345b930a979b0355161e23be55c34a67f0c80fc60072caad1c992ee58120c7bcb966404447c8012',
  '039a4c9f2f4d940547d877eb6333918b74fd6d7af721ab9f8cd200e65ab6ee9a8a16cb8f73d9363296fa710cf2f5955c',
])

/** Encodes a point for the precompiles of BLS12-381 from coordinates of 96 digits. */
function encodePoint(coordinates: readonly string[]): Uint8Array {
  return join(coordinates.map((digits) => hex(digits.padStart(128, '0'))))
}

/** The output for a valid proof: the number of field elements in a blob, and the field's order. */
const ANSWER = concat(encodeUint(FIELD_ELEMENTS_PER_BLOB, 32), encodeUint(ORDER, 32))

export type KzgVerifier = (commitment: Uint8Array, z: bigint, y: bigint, proof: Uint8Array) => boolean

/** Creates the verification on a library's curve: e(C − y·G1 + z·π, G2) · e(π, −τ·G2) = 1. */
export function kzgVerifierOn<G1, G2>(curve: BlsCurve<G1, G2>): KzgVerifier {
  return (commitment, z, y, proof) => {
    curve.begin(LENGTH * 16)
    const c = curve.decompressG1(commitment)
    const pi = curve.decompressG1(proof)
    const generator1 = curve.readG1(GENERATOR_1, 0, false)
    const generator2 = curve.readG2(GENERATOR_2, 0, false)
    const minusTau = curve.readG2(MINUS_TAU_2, 0, false)
    if (c === undefined || pi === undefined) return false
    if (generator1 === undefined || generator2 === undefined || minusTau === undefined) return false
    const minusY = encodeUint(y === 0n ? 0n : ORDER - y, 32)
    const left = curve.addG1(c, curve.sumG1([generator1, pi], [minusY, encodeUint(z, 32)]))
    return curve.isPairingOne([
      [left, generator2],
      [pi, minusTau],
    ])
  }
}

/** The verification, created on first use. */
const verifier = once((): KzgVerifier => {
  const mcl = createMclBls12381()
  return mcl ? kzgVerifierOn(mcl) : kzgVerifierOn(createNobleBls12381())
})

/** Runs the precompile: the input is versioned hash, z, y, commitment and proof. */
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
