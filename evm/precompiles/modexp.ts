/** Modular exponentiation for moduli of one 64-bit word: the sizes at which JavaScript's big integers take the most time per gas. */

/** The address of the exponent, which the host writes: after everything else, with the memory grown as needed. */
export const EXPONENT: usize = __heap_base

/**
 * Returns base^exponent mod modulus, by squaring. The exponent is `length` bytes at `exponent`, most significant first,
 * followed by `zeros` zero bits. The modulus is not 0, and the base is less than the modulus.
 */
export function powMod64(base: u64, exponent: usize, length: u32, zeros: u64, modulus: u64): u64 {
  const isSmall = modulus <= 0xffffffff
  // Division requires the divisor's top bit set; one factor of each product is shifted up with it.
  const shift = clz(modulus)
  const divisor = modulus << shift
  const inverse = reciprocal(divisor)
  let result: u64 = 1 % modulus
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(exponent + i)
    for (let bit = 7; bit >= 0; bit--) {
      result = isSmall ? (result * result) % modulus : mulMod(result, result, divisor, inverse, shift)
      if ((byte >> bit) & 1) {
        result = isSmall ? (result * base) % modulus : mulMod(result, base, divisor, inverse, shift)
      }
    }
  }
  for (; zeros > 0 && result > 1; zeros--) {
    result = isSmall ? (result * result) % modulus : mulMod(result, result, divisor, inverse, shift)
  }
  return result
}

/** The upper half of the product of the last `multiply`, which returns the lower half. */
let high: u64 = 0

// @ts-ignore: decorator
@inline
function multiply(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff, a1 = a >> 32
  const b0 = b & 0xffffffff, b1 = b >> 32
  const low = a0 * b0
  const middle = a1 * b0 + (low >> 32)
  const middle2 = a0 * b1 + (middle & 0xffffffff)
  high = a1 * b1 + (middle >> 32) + (middle2 >> 32)
  return a * b
}

/** Returns a · b mod (divisor >> shift), both below that, by Möller and Granlund's division with a reciprocal. */
// @ts-ignore: decorator
@inline
function mulMod(a: u64, b: u64, divisor: u64, inverse: u64, shift: u64): u64 {
  const u0 = multiply(a << shift, b)
  const u1 = high
  let q0 = multiply(inverse, u1)
  let q1 = high
  q0 += u0
  q1 += u1 + <u64>(q0 < u0) + 1
  let rest = u0 - q1 * divisor
  if (rest > q0) rest += divisor
  if (rest >= divisor) rest -= divisor
  return rest >> shift
}

/** Returns floor((2^128 - 1) / divisor) - 2^64 for a divisor with its top bit set, bit by bit: it runs once per exponentiation. */
function reciprocal(divisor: u64): u64 {
  let rest = ~divisor
  let quotient: u64 = 0
  for (let i = 0; i < 64; i++) {
    // rest·2 + 1 can have 65 bits, of which the top one is `carry`.
    const carry = rest >> 63
    rest = (rest << 1) | 1
    quotient <<= 1
    if (carry != 0 || rest >= divisor) {
      rest -= divisor
      quotient |= 1
    }
  }
  return quotient
}
