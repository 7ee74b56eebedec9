/** Addresses 0x06 to 0x08: addition, multiplication and pairing check on BN254 (EIP-196, 197, 1108). */
import { encodeUint } from '../../primitives/bytes.ts'
import type { Rules } from '../forks.ts'
import type { PurePrecompile } from '../types.ts'
import type { Curve } from './curve.ts'
import { createMclBn254 } from './curve-mcl.ts'
import { createNobleBn254 } from './curve-noble.ts'
import { slice } from './input.ts'
import { once } from './once.ts'

const POINT = 64
const PAIR = 192

export interface Bn254 {
  add(input: Uint8Array): Uint8Array | undefined
  mul(input: Uint8Array): Uint8Array | undefined
  pairing(input: Uint8Array): Uint8Array | undefined
}

/** Creates the three functions on a library's curve. */
export function bn254On<G1, G2>(curve: Curve<G1, G2>): Bn254 {
  return {
    add(input) {
      const points = slice(input, 0, 2 * POINT)
      curve.begin(points.length)
      const a = curve.readG1(points, 0, false)
      const b = curve.readG1(points, POINT, false)
      return a === undefined || b === undefined ? undefined : curve.writeG1(curve.addG1(a, b))
    },
    mul(input) {
      const data = slice(input, 0, POINT + 32)
      curve.begin(data.length)
      const point = curve.readG1(data, 0, false)
      return point === undefined ? undefined : curve.writeG1(curve.sumG1([point], [data.subarray(POINT)]))
    },
    pairing(input) {
      if (input.length % PAIR !== 0) return undefined
      curve.begin(input.length)
      const pairs: [G1, G2][] = []
      for (let offset = 0; offset < input.length; offset += PAIR) {
        const g1 = curve.readG1(input, offset, false)
        const g2 = g1 === undefined ? undefined : curve.readG2(input, offset + POINT, true)
        if (g1 === undefined || g2 === undefined) return undefined
        pairs.push([g1, g2])
      }
      return encodeUint(curve.isPairingOne(pairs) ? 1n : 0n, 32)
    },
  }
}

/** The functions, created on first use, since most chains use them rarely. */
const bn254 = once((): Bn254 => {
  const mcl = createMclBn254()
  return mcl ? bn254On(mcl) : bn254On(createNobleBn254())
})

export function bn254Add({ eips }: Rules): PurePrecompile {
  const gas = eips.has(1108) ? 150n : 500n
  return { kind: 'pure', gas: () => gas, run: (input) => bn254().add(input) }
}

export function bn254Mul({ eips }: Rules): PurePrecompile {
  const gas = eips.has(1108) ? 6_000n : 40_000n
  return { kind: 'pure', gas: () => gas, run: (input) => bn254().mul(input) }
}

export function bn254Pairing({ eips }: Rules): PurePrecompile {
  const [base, perPair] = eips.has(1108) ? [45_000n, 34_000n] : [100_000n, 80_000n]
  return {
    kind: 'pure',
    gas: (input) => base + perPair * BigInt(Math.floor(input.length / PAIR)),
    run: (input) => bn254().pairing(input),
  }
}
