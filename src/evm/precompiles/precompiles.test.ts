import { createSign, generateKeyPairSync } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { expect, test } from 'vitest'
import {
  blsG1,
  blsG2,
  bn254G1,
  bn254G2,
  constantEvaluation,
  EVALUATION,
  precompileAt,
} from '../../../test/support/evm/hostile-precompiles.ts'
import { concat, encodeUint, formatHex, hex, toKey } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { FORK_NAMES, rulesOf } from '../forks.ts'
import { bls12381On } from './bls12-381.ts'
import { bn254On } from './bn254.ts'
import { createMclBls12381, createMclBn254 } from './curve-mcl.ts'
import { createNobleBls12381, createNobleBn254 } from './curve-noble.ts'
import { standardPrecompiles } from './index.ts'
import { evaluatePoint, kzgVerifierOn, MINUS_TAU_2 } from './kzg.ts'
import { power } from './modexp.ts'
import { verifyP256, verifyP256Native, verifyP256Pure } from './p256.ts'

const osaka = rulesOf('Osaka')
const word = (value: bigint | number) => encodeUint(BigInt(value), 32)
const ONE = word(1)
const SCALAR = new Uint8Array(32).fill(0xff)

const mclBn254 = bn254On(createMclBn254()!)
const nobleBn254 = bn254On(createNobleBn254())
const mclBls = bls12381On(createMclBls12381()!)
const nobleBls = bls12381On(createNobleBls12381())

test('each fork has its precompiles and no other', () => {
  const addresses = FORK_NAMES.map((fork) => standardPrecompiles(rulesOf(fork)).size)
  // Frontier to Spurious Dragon 4, Byzantium 8, Istanbul 9, Cancun 10, Prague 17, Osaka 18.
  expect(addresses).toEqual([4, 4, 4, 4, 8, 8, 8, 9, 9, 9, 9, 9, 10, 17, 18])
  expect(standardPrecompiles(osaka).has(toKey(encodeUint(0x100n, 20)))).toBe(true)
})

test('hashes and the copy return known values, at their prices', () => {
  const abc = new TextEncoder().encode('abc')
  expect(formatHex(precompileAt(osaka, 2).run(abc)!)).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  expect(formatHex(precompileAt(osaka, 3).run(abc)!)).toBe(`${'00'.repeat(12)}8eb208f7e05d987a9b044a8e98c6b087f15a0bfc`)
  expect(precompileAt(osaka, 4).run(abc)).toEqual(abc)
  expect([2, 3, 4].map((address) => precompileAt(osaka, address).gas(new Uint8Array(33)))).toEqual([84n, 840n, 21n])
})

test('curve prices fall with Istanbul', () => {
  const pair = new Uint8Array(192)
  const prices = (fork: 'Byzantium' | 'Istanbul') =>
    [6, 7, 8].map((address) => precompileAt(rulesOf(fork), address).gas(pair))
  expect(prices('Byzantium')).toEqual([500n, 40_000n, 180_000n])
  expect(prices('Istanbul')).toEqual([150n, 6_000n, 79_000n])
})

test('modexp prices are those of each EIP', () => {
  // The second example of EIP-198: 3^(2^256 - 2^32 - 978) mod 2^256 - 2^32 - 977.
  const input = hex(
    `${'00'.repeat(31)}01${'00'.repeat(31)}20${'00'.repeat(31)}2003${'ff'.repeat(27)}fefffffc2e${'ff'.repeat(27)}fefffffc2f`,
  )
  const price = (fork: 'Byzantium' | 'Berlin' | 'Osaka') => precompileAt(rulesOf(fork), 5).gas(input)
  expect([price('Byzantium'), price('Berlin'), price('Osaka')]).toEqual([13_056n, 1_360n, 4_080n])
  expect(precompileAt(osaka, 5).run(input)).toEqual(ONE)
})

test('modexp refuses operands above 1024 bytes from Osaka on, and a length beyond all gas costs all gas', () => {
  const input = concat(word(1), word(1), word(1025), new Uint8Array(1027).fill(3))
  expect(precompileAt(osaka, 5).run(input)).toBeUndefined()
  expect(precompileAt(rulesOf('Prague'), 5).run(input)).toHaveLength(1025)
  expect(precompileAt(rulesOf('Prague'), 5).gas(concat(SCALAR, SCALAR, SCALAR))).toBe((1n << 64n) - 1n)
})

test('modexp agrees with plain big integers for every size and for exponents that end in counted zeros', () => {
  let seed = 1n
  const random = (bits: number) => {
    seed = (seed * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % (1n << 512n)
    return BigInt.asUintN(bits, seed ^ (seed >> 200n))
  }
  for (let i = 0; i < 600; i++) {
    const modulus = random(1 + (i % 130)) + 2n
    const base = random(130) % modulus
    const exponent = encodeUint(random(8 * (1 + (i % 9))), 1 + (i % 9))
    const zeros = i % 5
    let expected = 1n
    for (const bit of (BigInt(`0x${formatHex(exponent)}`) << BigInt(zeros)).toString(2)) {
      expected = (expected * expected * (bit === '1' ? base : 1n)) % modulus
    }
    expect(power(base, exponent, zeros, modulus)).toBe(expected)
  }
})

test('blake2f refuses a wrong length and a wrong flag', () => {
  const blake2f = precompileAt(osaka, 9)
  expect(blake2f.run(new Uint8Array(212))).toBeUndefined()
  expect(blake2f.run(concat(new Uint8Array(212), hex('02')))).toBeUndefined()
  expect(blake2f.gas(concat(hex('ffffffff'), new Uint8Array(209)))).toBe(4_294_967_295n)
  expect(blake2f.gas(new Uint8Array(212))).toBe(0n)
})

const notOnCurve1 = concat(word(1), word(1))
const tooLarge = concat(SCALAR, word(2))

test.each([
  ['a sum', 'add', concat(bn254G1(3n), bn254G1(9n))],
  ['a double', 'add', concat(bn254G1(3n), bn254G1(3n))],
  [
    'a point and its negative',
    'add',
    concat(bn254G1(3n), bn254G1(21888242871839275222246405745257275088548364400416034343698204186575808495617n - 3n)),
  ],
  ['infinity', 'add', new Uint8Array(0)],
  ['a short input', 'add', bn254G1(4n).subarray(0, 64)],
  ['a point not on the curve', 'add', notOnCurve1],
  ['a coordinate above the modulus', 'add', tooLarge],
  ['a product', 'mul', concat(bn254G1(3n), SCALAR)],
  ['a product with 0', 'mul', concat(bn254G1(3n), word(0))],
  ['a product of a point not on the curve', 'mul', concat(notOnCurve1, word(2))],
  ['no pairs', 'pairing', new Uint8Array(0)],
  ['a pairing that is not one', 'pairing', concat(bn254G1(3n), bn254G2(2n))],
  ['pairs with infinity', 'pairing', concat(new Uint8Array(64), bn254G2(2n), bn254G1(3n), new Uint8Array(128))],
  ['an odd length', 'pairing', new Uint8Array(191)],
  ['a point not on the twist', 'pairing', concat(bn254G1(3n), word(1), word(2), word(3), word(4))],
] as const)('bn254, %s: both libraries agree', (_, operation, input) => {
  expect(mclBn254[operation](input)).toEqual(nobleBn254[operation](input))
})

test('bn254 pairings that cancel have the product one', () => {
  const order = 21888242871839275222246405745257275088548364400416034343698204186575808495617n
  const input = concat(bn254G1(6n), bn254G2(1n), bn254G1(order - 2n), bn254G2(3n))
  expect(mclBn254.pairing(input)).toEqual(ONE)
  expect(nobleBn254.pairing(input)).toEqual(ONE)
})

/** A point on the curve with x = 4 that is not in the group of prime order. */
const outside1 = concat(
  encodeUint(4n, 64),
  encodeUint(0x0a989badd40d6212b33cffc3f3763e9bc760f988c9926b26da9dd85e928483446346b8ed00e1de5d5ea93e354abe706cn, 64),
)

test.each([
  ['g1Add', concat(blsG1(3n), blsG1(9n))],
  ['g1Add', concat(outside1, outside1)],
  ['g1Add', concat(blsG1(3n), new Uint8Array(128))],
  ['g1Add', new Uint8Array(255)],
  ['g1Add', concat(encodeUint(1n, 64), encodeUint(1n, 64), blsG1(2n))],
  ['g1Sum', concat(blsG1(3n), SCALAR, blsG1(5n), word(0), new Uint8Array(128), word(5))],
  ['g1Sum', concat(outside1, word(2))],
  ['g1Sum', new Uint8Array(0)],
  ['g2Add', concat(blsG2(3n), blsG2(9n))],
  ['g2Add', concat(blsG2(3n), blsG2(3n))],
  ['g2Sum', concat(blsG2(3n), SCALAR, blsG2(5n), word(7))],
  ['pairing', concat(blsG1(3n), blsG2(2n))],
  ['pairing', concat(blsG1(3n), new Uint8Array(256))],
  ['pairing', concat(outside1, blsG2(2n))],
  ['pairing', new Uint8Array(0)],
  ['mapToG1', encodeUint(5n, 64)],
  ['mapToG1', new Uint8Array(64)],
  ['mapToG1', new Uint8Array(64).fill(0xff)],
  ['mapToG2', concat(encodeUint(5n, 64), encodeUint(7n, 64))],
  ['mapToG2', new Uint8Array(128)],
  ['mapToG2', new Uint8Array(127)],
] as const)('bls12-381 %s (case %#): both libraries agree', (operation, input) => {
  expect(mclBls[operation](input)).toEqual(nobleBls[operation](input))
})

test('bls12-381 sums require points in the group, additions only points on the curve', () => {
  expect(mclBls.g1Add(concat(outside1, outside1))).toHaveLength(128)
  expect(mclBls.g1Sum(concat(outside1, word(1)))).toBeUndefined()
  expect(mclBls.g1Sum(concat(blsG1(2n), word(21)))).toEqual(blsG1(42n))
})

test('a sum of BLS12-381 costs less per point with more points', () => {
  const gas = (count: number) => precompileAt(osaka, 0x0c).gas(new Uint8Array(160 * count))
  expect([gas(0), gas(1), gas(2), gas(128), gas(129)]).toEqual([0n, 12_000n, 22_776n, 797_184n, 803_412n])
})

const ANSWER =
  '000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001'

test.each([
  ['mcl', kzgVerifierOn(createMclBls12381()!)],
  ['noble', kzgVerifierOn(createNobleBls12381())],
] as const)('point evaluation by %s accepts valid proofs only', (_, verify) => {
  expect(formatHex(evaluatePoint(EVALUATION, verify)!)).toBe(ANSWER)
  expect(formatHex(evaluatePoint(constantEvaluation(), verify)!)).toBe(ANSWER)
  for (const at of [0, 40, 95, 100, 150]) {
    const wrong = EVALUATION.slice()
    wrong[at]! ^= 1
    expect(evaluatePoint(wrong, verify)).toBeUndefined()
  }
  expect(evaluatePoint(EVALUATION.subarray(1), verify)).toBeUndefined()
})

test('the trusted setup equals that of the ceremony', () => {
  const tau = bls12_381.G2.Point.fromHex(
    'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  )
  const { x, y } = tau.negate().toAffine()
  expect(MINUS_TAU_2).toEqual(concat(...[x.c0, x.c1, y.c0, y.c1].map((part) => encodeUint(part, 64))))
})

test('P-256 signatures of OpenSSL verify in both implementations, and altered ones in neither', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const key = concat(Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url'))
  for (let i = 0; i < 20; i++) {
    const message = new Uint8Array([i])
    const signature = createSign('sha256').update(message).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' })
    const input = concat(sha256(message), signature, key)
    for (const verify of [verifyP256Native, verifyP256Pure]) {
      expect(verifyP256(input, verify)).toEqual(ONE)
      for (const at of [31, 63, 95]) {
        const wrong = input.slice()
        wrong[at]! ^= 1
        expect(verifyP256(wrong, verify)).toHaveLength(0)
      }
    }
  }
})

test('P-256: both implementations agree on a hash of zero, a key not on the curve and the sample of EIP-7951', () => {
  const sample = hex(
    '4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4da73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d604aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff37618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
  )
  const zeroHash = concat(new Uint8Array(32), sample.subarray(32))
  const offCurve = sample.slice()
  offCurve[159]! ^= 1
  for (const verify of [verifyP256Native, verifyP256Pure]) {
    expect(verifyP256(sample, verify)).toEqual(ONE)
    expect(verifyP256(zeroHash, verify)).toHaveLength(0)
    expect(verifyP256(offCurve, verify)).toHaveLength(0)
    expect(verifyP256(sample.subarray(0, 159), verify)).toHaveLength(0)
  }
})

test('ecrecover returns no bytes for an invalid signature', () => {
  const ecrecover = precompileAt(osaka, 1)
  const signature = concat(word(5), word(28), word(7), word(9))
  expect(ecrecover.run(concat(word(5), word(29), word(7), word(9)))).toHaveLength(0)
  expect(ecrecover.run(concat(word(5), hex('01'), word(28).subarray(1), word(7), word(9)))).toHaveLength(0)
  expect(ecrecover.run(concat(word(5), word(28), SCALAR, word(9)))).toHaveLength(0)
  expect(ecrecover.run(concat(word(5), word(28), word(7), word(0)))).toHaveLength(0)
  expect([0, 32]).toContain(ecrecover.run(signature)!.length)
})
