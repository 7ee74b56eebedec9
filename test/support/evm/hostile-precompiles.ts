/** The known inputs of each standard precompile that take the most time for their gas. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import type { Rules } from '../../../src/evm/forks.ts'
import { standardPrecompiles } from '../../../src/evm/precompiles/index.ts'
import { secp256k1 } from '../../../src/evm/transaction/secp256k1.ts'
import type { PurePrecompile } from '../../../src/evm/types.ts'
import { concat, encodeUint, hex, toKey } from '../../../src/primitives/bytes.ts'
import { keccak256, sha256 } from '../../../src/primitives/hash.ts'

export interface HostileInput {
  readonly name: string
  readonly address: number
  readonly input: Uint8Array
}

const word = (value: bigint | number) => encodeUint(BigInt(value), 32)
const ones = (length: number) => new Uint8Array(length).fill(0xff)
const SCALAR = ones(32)

/** Returns the precompile at an address. Throws if the fork has no precompile there. */
export function precompileAt(rules: Rules, address: number): PurePrecompile {
  const precompile = standardPrecompiles(rules).get(toKey(encodeUint(BigInt(address), 20)))
  if (precompile?.kind !== 'pure') throw new RangeError(`no precompile at ${address}`)
  return precompile
}

export function bn254G1(factor: bigint): Uint8Array {
  const { x, y } = bn254.G1.Point.BASE.multiply(factor).toAffine()
  return concat(word(x), word(y))
}

export function bn254G2(factor: bigint): Uint8Array {
  const { x, y } = bn254.G2.Point.BASE.multiply(factor).toAffine()
  return concat(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
}

export function blsG1(factor: bigint): Uint8Array {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(factor).toAffine()
  return concat(encodeUint(x, 64), encodeUint(y, 64))
}

export function blsG2(factor: bigint): Uint8Array {
  const { x, y } = bls12_381.G2.Point.BASE.multiply(factor).toAffine()
  return concat(encodeUint(x.c0, 64), encodeUint(x.c1, 64), encodeUint(y.c0, 64), encodeUint(y.c1, 64))
}

const repeat = (count: number, part: (index: number) => Uint8Array) =>
  concat(...Array.from({ length: count }, (_, i) => part(i)))

/** Returns input of modexp: operands of these lengths, the base one less than the modulus, every bit of the exponent set. */
function modexpInput(length: number, exponentLength: number, isEven = false): Uint8Array {
  const modulus = ones(length)
  if (isEven) modulus[length - 1] = 0xfe
  const base = modulus.slice()
  base[length - 1]! -= 1
  return concat(word(length), word(exponentLength), word(length), base, ones(exponentLength), modulus)
}

function ecrecoverInput(): Uint8Array {
  const hash = keccak256(hex('01'))
  const { bytes, yParity } = secp256k1.sign(hash, ones(32).fill(7))
  return concat(hash, word(27 + yParity), bytes)
}

function p256Input(): Uint8Array {
  const hash = sha256(hex('02'))
  const key = ones(32).fill(9)
  const signature = p256.sign(hash, key, { prehash: false })
  return concat(hash, signature, p256.getPublicKey(key, false).subarray(1))
}

/** An evaluation from the test data of go-ethereum. */
export const EVALUATION = hex(
  '01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a',
)

/** Returns a proof for the constant polynomial 7: its commitment is 7·G1, its proof infinity. */
export function constantEvaluation(): Uint8Array {
  const commitment = bls12_381.G1.Point.BASE.multiply(7n).toBytes(true)
  const hash = sha256(commitment)
  hash[0] = 1
  return concat(hash, word(12345), word(7), commitment, bls12_381.G1.Point.ZERO.toBytes(true))
}

function modexpInputs({ eips }: Rules): HostileInput[] {
  const lengths = [1, 4, 5, 8, 9, 16, 17, 24, 25, 32, 33, 64, 128, 256, 512, 1024]
  const long = lengths.map((length) => ({
    name: `modexp ${length} bytes`,
    address: 5,
    input: modexpInput(length, length <= 64 ? 1024 : 64),
  }))
  const even = [4, 8, 32, 256].map((length) => ({
    name: `modexp ${length} bytes, even`,
    address: 5,
    input: modexpInput(length, length <= 64 ? 1024 : 64, true),
  }))
  const short = [1, 8, 32, 64, eips.has(7823) ? 1024 : 4096].map((length) => ({
    name: `modexp ${length} bytes, short exponent`,
    address: 5,
    input: modexpInput(length, 1),
  }))
  return [...long, ...even, ...short]
}

/** Returns the inputs for every precompile of the fork. */
export function hostileInputs(rules: Rules): readonly HostileInput[] {
  const { eips } = rules
  const inputs: HostileInput[] = [
    { name: 'ecrecover', address: 1, input: ecrecoverInput() },
    { name: 'sha256, nothing', address: 2, input: new Uint8Array(0) },
    { name: 'sha256, one byte above a block', address: 2, input: ones(57) },
    { name: 'sha256, 1 MiB', address: 2, input: ones(1 << 20) },
    { name: 'ripemd160, nothing', address: 3, input: new Uint8Array(0) },
    { name: 'ripemd160, 1 MiB', address: 3, input: ones(1 << 20) },
    { name: 'identity, nothing', address: 4, input: new Uint8Array(0) },
    { name: 'identity, 1 MiB', address: 4, input: ones(1 << 20) },
    ...modexpInputs(rules),
    { name: 'bn254 add', address: 6, input: concat(bn254G1(3n), bn254G1(5n)) },
    { name: 'bn254 mul', address: 7, input: concat(bn254G1(3n), SCALAR) },
    { name: 'bn254 pairing, none', address: 8, input: new Uint8Array(0) },
    { name: 'bn254 pairing, 1', address: 8, input: concat(bn254G1(3n), bn254G2(5n)) },
    {
      name: 'bn254 pairing, 16',
      address: 8,
      input: repeat(16, (i) => concat(bn254G1(BigInt(i + 2)), bn254G2(BigInt(i + 3)))),
    },
    { name: 'blake2f, 1 round', address: 9, input: concat(encodeUint(1n, 4), ones(208), hex('01')) },
    { name: 'blake2f, 1,000,000 rounds', address: 9, input: concat(encodeUint(1_000_000n, 4), ones(208), hex('01')) },
  ]
  if (eips.has(4844)) inputs.push({ name: 'kzg point evaluation', address: 0x0a, input: EVALUATION })
  if (eips.has(2537)) {
    const term1 = (i: number) => concat(blsG1(BigInt(i + 2)), SCALAR)
    const term2 = (i: number) => concat(blsG2(BigInt(i + 2)), SCALAR)
    const pair = (i: number) => concat(blsG1(BigInt(i + 2)), blsG2(BigInt(i + 3)))
    inputs.push(
      { name: 'bls12-381 g1 add', address: 0x0b, input: concat(blsG1(3n), blsG1(5n)) },
      { name: 'bls12-381 g1 msm, 1', address: 0x0c, input: term1(1) },
      { name: 'bls12-381 g1 msm, 16', address: 0x0c, input: repeat(16, term1) },
      { name: 'bls12-381 g1 msm, 128', address: 0x0c, input: repeat(128, term1) },
      { name: 'bls12-381 g2 add', address: 0x0d, input: concat(blsG2(3n), blsG2(5n)) },
      { name: 'bls12-381 g2 msm, 1', address: 0x0e, input: term2(1) },
      { name: 'bls12-381 g2 msm, 16', address: 0x0e, input: repeat(16, term2) },
      { name: 'bls12-381 g2 msm, 128', address: 0x0e, input: repeat(128, term2) },
      { name: 'bls12-381 pairing, 1', address: 0x0f, input: pair(1) },
      { name: 'bls12-381 pairing, 16', address: 0x0f, input: repeat(16, pair) },
      { name: 'bls12-381 map fp to g1', address: 0x10, input: encodeUint(0x1234567890abcdefn ** 5n, 64) },
      {
        name: 'bls12-381 map fp2 to g2',
        address: 0x11,
        input: repeat(2, () => encodeUint(0x1234567890abcdefn ** 5n, 64)),
      },
    )
  }
  if (eips.has(7951)) inputs.push({ name: 'p256', address: 0x100, input: p256Input() })
  return inputs
}

export interface Cost {
  readonly name: string
  /** The gas of calling it: its own price and the price of the call. */
  readonly gas: bigint
  readonly ns: number
  readonly nsPerGas: number
}

/** The minimum price of a call of a warm address (EIP-2929), which every run of a precompile pays. */
const CALL_GAS = 100n

/** The number of batches, of which the fastest counts: other work slows the rest. */
const BATCHES = 5

/** Measures the processor time of a run for about `budgetMs`, after a few runs of warm-up. */
export function measure(rules: Rules, { name, address, input }: HostileInput, budgetMs: number): Cost {
  const precompile = precompileAt(rules, address)
  const gas = precompile.gas(input) + CALL_GAS
  const time = (rounds: number): number => {
    const start = process.cpuUsage()
    for (let i = 0; i < rounds; i++) precompile.run(input)
    const { user, system } = process.cpuUsage(start)
    return ((user + system) * 1000) / rounds
  }
  const rounds = Math.max(1, Math.min(5_000, Math.round((budgetMs * 1e6) / BATCHES / time(3))))
  let ns = Number.POSITIVE_INFINITY
  for (let i = 0; i < BATCHES; i++) ns = Math.min(ns, time(rounds))
  return { name, gas, ns, nsPerGas: ns / Number(gas) }
}
