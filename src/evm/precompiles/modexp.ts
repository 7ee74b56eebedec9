/** Address 0x05: modular exponentiation (EIP-198, 2565, 7823, 7883). */
import { decodeUint, EMPTY, encodeUint } from '../../primitives/bytes.ts'
import type { Rules } from '../forks.ts'
import type { PurePrecompile } from '../types.ts'
import { arithmetic } from './arithmetic.ts'
import { isZero, slice } from './input.ts'

const HEADER = 96
/** The maximum length of an operand from Osaka on (EIP-7823). Unit: bytes. */
const MAX_LENGTH = 1024n
const MAX_GAS = (1n << 64n) - 1n
/** The minimum bits of an exponent for which a table of powers is faster. */
const MIN_WINDOWED_BITS = 48
const PAGE = 65_536

interface Lengths {
  readonly base: bigint
  readonly exponent: bigint
  readonly modulus: bigint
}

/** Creates the precompile with the pricing of a fork. */
export function modexpPrecompile({ eips }: Rules): PurePrecompile {
  const gas = eips.has(7883) ? gasOsaka : eips.has(2565) ? gasBerlin : gasByzantium
  const isBounded = eips.has(7823)
  return {
    kind: 'pure',
    gas(input) {
      const price = gas(input, readLengths(input))
      return price > MAX_GAS ? MAX_GAS : price
    },
    run(input) {
      const lengths = readLengths(input)
      const { base, exponent, modulus } = lengths
      if (isBounded && (base > MAX_LENGTH || exponent > MAX_LENGTH || modulus > MAX_LENGTH)) return undefined
      return modexp(input, lengths)
    },
  }
}

function readLengths(input: Uint8Array): Lengths {
  const word = (index: number) => decodeUint(slice(input, index * 32, 32))
  return { base: word(0), exponent: word(1), modulus: word(2) }
}

const max = (a: bigint, b: bigint): bigint => {
  if (a > b) return a
  return b
}

/** Counts the bits below the highest set one in the exponent's first 32 bytes, and `perByte` for each byte after them. */
function iterations(input: Uint8Array, { base, exponent }: Lengths, perByte: bigint): bigint {
  const length = exponent > 32n ? 32 : Number(exponent)
  // If the base reaches beyond the end of the input, so does the exponent.
  const head = base > BigInt(input.length) ? 0n : decodeUint(slice(input, HEADER + Number(base), length))
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1)
  return exponent > 32n ? perByte * (exponent - 32n) + bits : bits
}

function gasByzantium(input: Uint8Array, lengths: Lengths): bigint {
  const x = max(lengths.base, lengths.modulus)
  const square = x * x
  let complexity = square
  if (x > 1024n) complexity = square / 16n + 480n * x - 199_680n
  else if (x > 64n) complexity = square / 4n + 96n * x - 3_072n
  return (complexity * max(iterations(input, lengths, 8n), 1n)) / 20n
}

function gasBerlin(input: Uint8Array, lengths: Lengths): bigint {
  const words = (max(lengths.base, lengths.modulus) + 7n) / 8n
  return max((words * words * max(iterations(input, lengths, 8n), 1n)) / 3n, 200n)
}

function gasOsaka(input: Uint8Array, lengths: Lengths): bigint {
  const longest = max(lengths.base, lengths.modulus)
  const words = (longest + 7n) / 8n
  const complexity = longest > 32n ? 2n * words * words : 16n
  return max(complexity * max(iterations(input, lengths, 16n), 1n), 500n)
}

/** Runs the precompile. It is called only with enough gas, so the price bounds the lengths. */
function modexp(input: Uint8Array, lengths: Lengths): Uint8Array {
  if (lengths.modulus === 0n) return EMPTY
  const baseLength = Number(lengths.base)
  const exponentLength = Number(lengths.exponent)
  const modulusLength = Number(lengths.modulus)
  const exponentAt = HEADER + baseLength
  const modulus = decodeUint(slice(input, exponentAt + exponentLength, modulusLength))
  if (modulus <= 1n) return new Uint8Array(modulusLength)
  const base = decodeUint(slice(input, HEADER, baseLength)) % modulus
  // The exponent's bytes after the end of the input are zeros, which are counted and not stored.
  const given = input.subarray(Math.min(exponentAt, input.length), Math.min(exponentAt + exponentLength, input.length))
  const zeros = (exponentLength - given.length) * 8
  return encodeUint(power(base, given, zeros, modulus), modulusLength)
}

/** Returns base^(exponent · 2^zeros) mod modulus; base < modulus, modulus > 1. */
export function power(base: bigint, exponent: Uint8Array, zeros: number, modulus: bigint): bigint {
  if (isZero(exponent)) return 1n
  if (base <= 1n) return base
  if (modulus < 1n << 64n) return powerInWord(base, exponent, zeros, modulus)
  let result = powerByWindow(base, exponent, modulus)
  for (let i = 0; i < zeros && result > 1n; i++) result = (result * result) % modulus
  return result
}

function powerInWord(base: bigint, exponent: Uint8Array, zeros: number, modulus: bigint): bigint {
  const { memory, powMod64, EXPONENT } = arithmetic()
  const at = EXPONENT.value
  const missing = at + exponent.length - memory.buffer.byteLength
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE))
  new Uint8Array(memory.buffer).set(exponent, at)
  return BigInt.asUintN(64, powMod64(base, at, exponent.length, BigInt(zeros), modulus))
}

/** Computes the power four bits at a time with a table of the first 16 powers. */
function powerByWindow(base: bigint, exponent: Uint8Array, modulus: bigint): bigint {
  if (exponent.length * 8 < MIN_WINDOWED_BITS) return powerByBit(base, decodeUint(exponent), modulus)
  const powers = [1n, base]
  for (let i = 2; i < 16; i++) powers.push((powers[i - 1]! * base) % modulus)
  let result = 1n
  for (const byte of exponent) {
    for (const digit of [byte >> 4, byte & 15]) {
      if (result !== 1n) {
        result = (result * result) % modulus
        result = (result * result) % modulus
        result = (result * result) % modulus
        result = (result * result) % modulus
      }
      if (digit !== 0) result = (result * powers[digit]!) % modulus
    }
  }
  return result
}

function powerByBit(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return result
}
