/**
 * The curves on mcl-wasm, about ten times as fast as pure JavaScript. This file instantiates the wasm of the package, once for
 * each curve: the wrapper of the package is asynchronous, supports one curve at a time and copies every value twice.
 */
import { compare } from '../../primitives/bytes.ts'
import { loadModule } from '../wasm.ts'
import { BLS12_381_LAYOUT, type BlsCurve, BN254_LAYOUT, type Curve, type CurveLayout } from './curve.ts'
import { isZero } from './input.ts'

const BN_SNARK1 = 4
const BLS12_381 = 5
/** Argument of `mclBn_init` that selects the sizes below. */
const COMPILED_TIME_VAR = 46
/** The method of mapping to a curve: RFC 9380. */
const MAP_TO_MODE = 5

/** The sizes of the library's values, the same for every curve. Unit: bytes. */
const FP = 48
const FP2 = 96
const G1_SIZE = 144
const G2_SIZE = 288
const FR = 32
const GT = 576
const SCRATCH = 1024

type Pointer = number
type Exports = Readonly<Record<string, (...parameters: number[]) => number>>

interface Program {
  readonly run: Exports
  readonly memory: WebAssembly.Memory
}

/** Creates the operations on a curve; undefined if the package's wasm does not load. */
export function createMclBn254(): Curve<Pointer, Pointer> | undefined {
  const program = instantiate(BN_SNARK1)
  return program && createCurve(program, BN254_LAYOUT).curve
}

export function createMclBls12381(): BlsCurve<Pointer, Pointer> | undefined {
  const program = instantiate(BLS12_381)
  if (!program) return undefined
  const { run } = program
  run.mclBn_setETHserialization!(1)
  run.mclBn_setMapToMode!(MAP_TO_MODE)
  const { curve, alloc, readField, put } = createCurve(program, BLS12_381_LAYOUT)
  return {
    ...curve,
    mapToG1(input, offset) {
      const element = alloc(FP)
      const point = alloc(G1_SIZE)
      return readField(element, input, offset) && run.mclBnFp_mapToG1!(point, element) === 0 ? point : undefined
    },
    mapToG2(input, offset) {
      const element = alloc(FP2)
      const point = alloc(G2_SIZE)
      const { fieldLength } = BLS12_381_LAYOUT
      if (!readField(element, input, offset) || !readField(element + FP, input, offset + fieldLength)) return undefined
      return run.mclBnFp2_mapToG2!(point, element) === 0 ? point : undefined
    },
    decompressG1(bytes) {
      const at = put(bytes)
      const point = alloc(G1_SIZE)
      if (run.mclBnG1_deserialize!(point, at, bytes.length) !== bytes.length) return undefined
      return run.mclBnG1_isValid!(point) && run.mclBnG1_isValidOrder!(point) ? point : undefined
    },
  }
}

function instantiate(curve: number): Program | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: 32 })
    const run = new WebAssembly.Instance(loadModule('mcl'), { env: { memory } }).exports as Exports
    run.__wasm_call_ctors!()
    return run.mclBn_init!(curve, COMPILED_TIME_VAR) === 0 ? { run, memory } : undefined
  } catch {
    return undefined
  }
}

function createCurve({ run, memory }: Program, layout: CurveLayout) {
  const { fieldLength, modulus, imaginaryFirst } = layout
  let base: Pointer = 0
  let capacity = 0
  let used = 0
  const scratch = run.malloc!(SCRATCH)
  const bytes = (at: Pointer, length: number) => new Uint8Array(memory.buffer, at, length)

  const begin = (inputLength: number) => {
    // A point takes less than three times its encoding, and each is copied once into a contiguous array.
    const wanted = inputLength * 6 + 16 * 1024
    used = 0
    if (wanted <= capacity) return
    if (base !== 0) run.free!(base)
    base = run.malloc!(wanted)
    capacity = base === 0 ? 0 : wanted
    if (base === 0) throw new RangeError('could not allocate memory for points')
  }
  const alloc = (size: number): Pointer => {
    if (used + size > capacity) throw new RangeError(`points need ${used + size} bytes, begin reserved ${capacity}`)
    used += size
    return base + used - size
  }
  const put = (data: Uint8Array): Pointer => {
    const at = alloc((data.length + 15) & ~15)
    bytes(at, data.length).set(data)
    return at
  }

  const readField = (target: Pointer, input: Uint8Array, offset: number): boolean => {
    const encoded = input.subarray(offset, offset + fieldLength)
    if (compare(encoded, modulus) >= 0) return false
    bytes(scratch, fieldLength).set(encoded)
    // The library rejects numbers longer than its own length, so leading zeros are cut.
    const skip = Math.max(0, fieldLength - FP)
    return run.mclBnFp_setBigEndianMod!(target, scratch + skip, fieldLength - skip) === 0
  }
  const readField2 = (target: Pointer, input: Uint8Array, offset: number): boolean =>
    readField(target + (imaginaryFirst ? FP : 0), input, offset) &&
    readField(target + (imaginaryFirst ? 0 : FP), input, offset + fieldLength)

  const writeField = (out: Uint8Array, offset: number, source: Pointer) => {
    bytes(scratch, FP).fill(0)
    run.mclBnFp_getLittleEndian!(scratch, FP, source)
    const digits = bytes(scratch, FP)
    for (let i = 0; i < FP && i < fieldLength; i++) out[offset + fieldLength - 1 - i] = digits[i]!
  }
  const writeField2 = (out: Uint8Array, offset: number, source: Pointer) => {
    writeField(out, offset, source + (imaginaryFirst ? FP : 0))
    writeField(out, offset + fieldLength, source + (imaginaryFirst ? 0 : FP))
  }

  const contiguous = (points: readonly Pointer[], size: number): Pointer => {
    const at = alloc(points.length * size)
    const heap = new Uint8Array(memory.buffer)
    for (const [i, point] of points.entries()) heap.copyWithin(at + i * size, point, point + size)
    return at
  }
  const sum = (group: 'G1' | 'G2', size: number, points: readonly Pointer[], scalars: readonly Uint8Array[]) => {
    const result = alloc(size)
    const vector = contiguous(points, size)
    const factors = alloc(points.length * FR)
    for (const [i, scalar] of scalars.entries()) {
      bytes(scratch, FR).set(scalar)
      run.mclBnFr_setBigEndianMod!(factors + i * FR, scratch, FR)
    }
    run[`mclBn${group}_mulVec`]!(result, vector, factors, points.length)
    return result
  }

  const curve: Curve<Pointer, Pointer> = {
    begin,
    readG1(input, offset, inGroup) {
      const point = alloc(G1_SIZE)
      if (isZero(input.subarray(offset, offset + fieldLength * 2))) {
        run.mclBnG1_clear!(point)
        return point
      }
      if (!readField(point, input, offset) || !readField(point + FP, input, offset + fieldLength)) return undefined
      run.mclBnFp_setInt32!(point + 2 * FP, 1)
      if (!run.mclBnG1_isValid!(point)) return undefined
      return !inGroup || run.mclBnG1_isValidOrder!(point) ? point : undefined
    },
    readG2(input, offset, inGroup) {
      const point = alloc(G2_SIZE)
      if (isZero(input.subarray(offset, offset + fieldLength * 4))) {
        run.mclBnG2_clear!(point)
        return point
      }
      if (!readField2(point, input, offset) || !readField2(point + FP2, input, offset + fieldLength * 2)) {
        return undefined
      }
      run.mclBnFp2_clear!(point + 2 * FP2)
      run.mclBnFp_setInt32!(point + 2 * FP2, 1)
      if (!run.mclBnG2_isValid!(point)) return undefined
      return !inGroup || run.mclBnG2_isValidOrder!(point) ? point : undefined
    },
    writeG1(point) {
      const out = new Uint8Array(fieldLength * 2)
      if (run.mclBnG1_isZero!(point)) return out
      run.mclBnG1_normalize!(point, point)
      writeField(out, 0, point)
      writeField(out, fieldLength, point + FP)
      return out
    },
    writeG2(point) {
      const out = new Uint8Array(fieldLength * 4)
      if (run.mclBnG2_isZero!(point)) return out
      run.mclBnG2_normalize!(point, point)
      writeField2(out, 0, point)
      writeField2(out, fieldLength * 2, point + FP2)
      return out
    },
    addG1(a, b) {
      const point = alloc(G1_SIZE)
      run.mclBnG1_add!(point, a, b)
      return point
    },
    addG2(a, b) {
      const point = alloc(G2_SIZE)
      run.mclBnG2_add!(point, a, b)
      return point
    },
    sumG1: (points, scalars) => sum('G1', G1_SIZE, points, scalars),
    sumG2: (points, scalars) => sum('G2', G2_SIZE, points, scalars),
    isPairingOne(pairs) {
      const finite = pairs.filter(([a, b]) => !run.mclBnG1_isZero!(a) && !run.mclBnG2_isZero!(b))
      if (finite.length === 0) return true
      const product = alloc(GT)
      const left = contiguous(
        finite.map(([a]) => a),
        G1_SIZE,
      )
      const right = contiguous(
        finite.map(([, b]) => b),
        G2_SIZE,
      )
      run.mclBn_millerLoopVec!(product, left, right, finite.length)
      run.mclBn_finalExp!(product, product)
      return run.mclBnGT_isOne!(product) !== 0
    },
  }
  // `isValid` must check the curve only: the group is checked separately.
  run.mclBn_verifyOrderG1!(0)
  run.mclBn_verifyOrderG2!(0)
  return { curve, alloc, readField, put }
}
