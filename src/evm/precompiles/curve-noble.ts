/** The curves on @noble/curves, in pure JavaScript. */
import type { BlsCurvePair } from '@noble/curves/abstract/bls.js'
import type { Fp2 } from '@noble/curves/abstract/tower.js'
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { compare, decodeUint, encodeUint } from '../../primitives/bytes.ts'
import { orUndefined } from '../../primitives/host-errors.ts'
import { BLS12_381_LAYOUT, type BlsCurve, BN254_LAYOUT, type Curve, type CurveLayout } from './curve.ts'
import { isZero } from './input.ts'

type G1 = WeierstrassPoint<bigint>
type G2 = WeierstrassPoint<Fp2>

export function createNobleBn254(): Curve<G1, G2> {
  return createCurve(bn254, BN254_LAYOUT)
}

export function createNobleBls12381(): BlsCurve<G1, G2> {
  const { fieldLength } = BLS12_381_LAYOUT
  const readField = fieldReader(BLS12_381_LAYOUT)
  // Despite the library's types, it accepts a single element and returns a point of the group.
  const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => G1
  const mapToG2 = bls12_381.G2.mapToCurve as unknown as (element: readonly [bigint, bigint]) => G2
  return {
    ...createCurve(bls12_381, BLS12_381_LAYOUT),
    mapToG1(input, offset) {
      const value = readField(input, offset)
      return value === undefined ? undefined : mapToG1(value)
    },
    mapToG2(input, offset) {
      const c0 = readField(input, offset)
      const c1 = readField(input, offset + fieldLength)
      return c0 === undefined || c1 === undefined ? undefined : mapToG2([c0, c1])
    },
    decompressG1: decompress,
  }
}

function decompress(bytes: Uint8Array): G1 | undefined {
  const point = orUndefined(() => bls12_381.G1.Point.fromBytes(bytes))
  return point && (point.is0() || point.isTorsionFree()) ? point : undefined
}

/** Reads a base field element; undefined unless below the modulus. */
function fieldReader({ fieldLength, modulus }: CurveLayout): (input: Uint8Array, offset: number) => bigint | undefined {
  return (input, offset) => {
    const bytes = input.subarray(offset, offset + fieldLength)
    return compare(bytes, modulus) < 0 ? decodeUint(bytes) : undefined
  }
}

function createCurve(pair: BlsCurvePair, layout: CurveLayout): Curve<G1, G2> {
  const { fieldLength, imaginaryFirst } = layout
  const readField = fieldReader(layout)
  const order = pair.fields.Fr.ORDER

  const g1 = createGroup<bigint>(pair.G1.Point, order, layout, 1, readField, (x) => [x])
  const g2 = createGroup<Fp2>(
    pair.G2.Point,
    order,
    layout,
    2,
    (input, offset) => {
      const first = readField(input, offset)
      const second = readField(input, offset + fieldLength)
      if (first === undefined || second === undefined) return undefined
      return imaginaryFirst ? { c0: second, c1: first } : { c0: first, c1: second }
    },
    ({ c0, c1 }) => (imaginaryFirst ? [c1, c0] : [c0, c1]),
  )

  return {
    begin() {},
    readG1: g1.read,
    readG2: g2.read,
    writeG1: g1.write,
    writeG2: g2.write,
    addG1: (a, b) => a.add(b),
    addG2: (a, b) => a.add(b),
    sumG1: g1.sum,
    sumG2: g2.sum,
    isPairingOne(pairs) {
      const finite = pairs.flatMap(([a, b]) => (a.is0() || b.is0() ? [] : [{ g1: a, g2: b }]))
      const { Fp12 } = pair.fields
      return finite.length === 0 || Fp12.eql(pair.pairingBatch(finite), Fp12.ONE)
    },
  }
}

function createGroup<F>(
  Point: WeierstrassPointCons<F>,
  order: bigint,
  { fieldLength }: CurveLayout,
  width: 1 | 2,
  readElement: (input: Uint8Array, offset: number) => F | undefined,
  parts: (element: F) => readonly bigint[],
) {
  const { Fp, ZERO } = Point
  const { b } = Point.CURVE()
  const elementLength = fieldLength * width
  return {
    read(input: Uint8Array, offset: number, inGroup: boolean): WeierstrassPoint<F> | undefined {
      if (isZero(input.subarray(offset, offset + elementLength * 2))) return ZERO
      const x = readElement(input, offset)
      const y = readElement(input, offset + elementLength)
      if (x === undefined || y === undefined) return undefined
      // All these curves are y² = x³ + b.
      if (!Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), b))) return undefined
      const point = Point.fromAffine({ x, y })
      return !inGroup || point.isTorsionFree() ? point : undefined
    },
    write(point: WeierstrassPoint<F>): Uint8Array {
      const out = new Uint8Array(elementLength * 2)
      if (point.is0()) return out
      const { x, y } = point.toAffine()
      for (const [i, value] of [...parts(x), ...parts(y)].entries()) {
        out.set(encodeUint(value, fieldLength), i * fieldLength)
      }
      return out
    },
    sum(points: readonly WeierstrassPoint<F>[], scalars: readonly Uint8Array[]): WeierstrassPoint<F> {
      let total = ZERO
      for (const [i, point] of points.entries()) {
        const scalar = decodeUint(scalars[i]!) % order
        if (scalar !== 0n && !point.is0()) total = total.add(point.multiplyUnsafe(scalar))
      }
      return total
    },
  }
}
