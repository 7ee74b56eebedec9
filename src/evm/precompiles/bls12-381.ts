/** Addresses 0x0b to 0x11: operations on BLS12-381 (EIP-2537). */
import { encodeUint } from '../../primitives/bytes.ts'
import type { PurePrecompile } from '../types.ts'
import type { BlsCurve } from './curve.ts'
import { createMclBls12381 } from './curve-mcl.ts'
import { createNobleBls12381 } from './curve-noble.ts'
import { once } from './once.ts'

const G1_LENGTH = 128
const G2_LENGTH = 256
const SCALAR = 32
const FIELD = 64
const G1_TERM = G1_LENGTH + SCALAR
const G2_TERM = G2_LENGTH + SCALAR
const PAIR = G1_LENGTH + G2_LENGTH

type Operation = (input: Uint8Array) => Uint8Array | undefined

export interface Bls12381 {
  readonly g1Add: Operation
  readonly g1Sum: Operation
  readonly g2Add: Operation
  readonly g2Sum: Operation
  readonly pairing: Operation
  readonly mapToG1: Operation
  readonly mapToG2: Operation
}

/** Creates the seven functions on a library's curve. */
export function bls12381On<G1, G2>(curve: BlsCurve<G1, G2>): Bls12381 {
  /** Sums products of a point and a scalar; every point must be in the group. */
  function sum<Point>(
    input: Uint8Array,
    length: number,
    read: (input: Uint8Array, offset: number, inGroup: boolean) => Point | undefined,
    add: (points: readonly Point[], scalars: readonly Uint8Array[]) => Point,
  ): Point | undefined {
    const term = length + SCALAR
    if (input.length === 0 || input.length % term !== 0) return undefined
    curve.begin(input.length)
    const points: Point[] = []
    const scalars: Uint8Array[] = []
    for (let offset = 0; offset < input.length; offset += term) {
      const point = read(input, offset, true)
      if (point === undefined) return undefined
      points.push(point)
      scalars.push(input.subarray(offset + length, offset + term))
    }
    return add(points, scalars)
  }
  return {
    g1Add(input) {
      if (input.length !== 2 * G1_LENGTH) return undefined
      curve.begin(input.length)
      const a = curve.readG1(input, 0, false)
      const b = curve.readG1(input, G1_LENGTH, false)
      return a === undefined || b === undefined ? undefined : curve.writeG1(curve.addG1(a, b))
    },
    g1Sum(input) {
      const point = sum(input, G1_LENGTH, curve.readG1, curve.sumG1)
      return point === undefined ? undefined : curve.writeG1(point)
    },
    g2Add(input) {
      if (input.length !== 2 * G2_LENGTH) return undefined
      curve.begin(input.length)
      const a = curve.readG2(input, 0, false)
      const b = curve.readG2(input, G2_LENGTH, false)
      return a === undefined || b === undefined ? undefined : curve.writeG2(curve.addG2(a, b))
    },
    g2Sum(input) {
      const point = sum(input, G2_LENGTH, curve.readG2, curve.sumG2)
      return point === undefined ? undefined : curve.writeG2(point)
    },
    pairing(input) {
      if (input.length === 0 || input.length % PAIR !== 0) return undefined
      curve.begin(input.length)
      const pairs: [G1, G2][] = []
      for (let offset = 0; offset < input.length; offset += PAIR) {
        const g1 = curve.readG1(input, offset, true)
        const g2 = g1 === undefined ? undefined : curve.readG2(input, offset + G1_LENGTH, true)
        if (g1 === undefined || g2 === undefined) return undefined
        pairs.push([g1, g2])
      }
      return encodeUint(curve.isPairingOne(pairs) ? 1n : 0n, 32)
    },
    mapToG1(input) {
      if (input.length !== FIELD) return undefined
      curve.begin(input.length)
      const point = curve.mapToG1(input, 0)
      return point === undefined ? undefined : curve.writeG1(point)
    },
    mapToG2(input) {
      if (input.length !== 2 * FIELD) return undefined
      curve.begin(input.length)
      const point = curve.mapToG2(input, 0)
      return point === undefined ? undefined : curve.writeG2(point)
    },
  }
}

/** The functions on the fastest library that loads, created on first use. */
export const bls12381 = once((): Bls12381 => {
  const mcl = createMclBls12381()
  return mcl ? bls12381On(mcl) : bls12381On(createNobleBls12381())
})

function fixedPrice(gas: bigint, operation: (library: Bls12381) => Operation): PurePrecompile {
  return { kind: 'pure', gas: () => gas, run: (input) => operation(bls12381())(input) }
}

/** Returns the price of a sum: each product's price, less a discount by their number. */
function sumGas(termLength: number, product: bigint, discounts: readonly number[]): (input: Uint8Array) => bigint {
  return (input) => {
    const count = Math.floor(input.length / termLength)
    if (count === 0) return 0n
    const discount = discounts[Math.min(count, discounts.length) - 1]!
    return (BigInt(count) * product * BigInt(discount)) / 1000n
  }
}

// Thousandths of the price of a product, for sums of 1 to 128 products (EIP-2537).
const G1_DISCOUNTS: readonly number[] = [
  1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677, 673, 669, 665, 661, 658, 654, 651,
  648, 645, 642, 640, 637, 635, 632, 630, 627, 625, 623, 621, 619, 617, 615, 613, 611, 609, 608, 606, 604, 603, 601,
  599, 598, 596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577, 576, 575, 574, 573, 572, 570,
  569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 551, 550, 549, 548, 547,
  547, 546, 545, 544, 543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531, 530, 529, 528,
  528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519,
]
const G2_DISCOUNTS: readonly number[] = [
  1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717, 711, 704, 699, 693, 688, 683, 679,
  674, 670, 666, 663, 659, 655, 652, 649, 646, 643, 640, 637, 634, 632, 629, 627, 624, 622, 620, 618, 615, 613, 611,
  609, 607, 606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583, 582, 580, 579, 578, 576, 575,
  574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 552, 551,
  550, 549, 548, 547, 546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535, 534, 533, 532,
  532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524,
]

export const blsG1Add = fixedPrice(375n, ({ g1Add }) => g1Add)
export const blsG1Sum: PurePrecompile = {
  kind: 'pure',
  gas: sumGas(G1_TERM, 12_000n, G1_DISCOUNTS),
  run: (input) => bls12381().g1Sum(input),
}
export const blsG2Add = fixedPrice(600n, ({ g2Add }) => g2Add)
export const blsG2Sum: PurePrecompile = {
  kind: 'pure',
  gas: sumGas(G2_TERM, 22_500n, G2_DISCOUNTS),
  run: (input) => bls12381().g2Sum(input),
}
export const blsPairing: PurePrecompile = {
  kind: 'pure',
  gas: (input) => 37_700n + 32_600n * BigInt(Math.floor(input.length / PAIR)),
  run: (input) => bls12381().pairing(input),
}
export const blsMapToG1 = fixedPrice(5_500n, ({ mapToG1 }) => mapToG1)
export const blsMapToG2 = fixedPrice(23_800n, ({ mapToG2 }) => mapToG2)
