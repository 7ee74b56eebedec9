/** Modular exponentiation for moduli of one 64-bit word: the sizes at which big integers of JavaScript cost most per gas. */

/** Where the host may put an exponent: behind everything else, the memory grown as needed. */
export const EXPONENT: usize = __heap_base

/**
 * base^exponent mod modulus, by squaring. The exponent lies at `exponent`, `length` bytes, most significant first, and
 * is followed by `zeros` further zero bits. The modulus is not 0, the base less than the modulus.
 */
export function powMod64(base: u64, exponent: usize, length: u32, zeros: u64, modulus: u64): u64 {
  const isSmall = modulus <= 0xffffffff
  // Division below wants the modulus with its top bit set; everything is shifted up with it.
  const shift = clz(modulus)
  const divisor = modulus << shift
  let result: u64 = 1 % modulus
  for (let i: u32 = 0; i < length; i++) {
    const byte = <u32>load<u8>(exponent + i)
    for (let bit = 7; bit >= 0; bit--) {
      result = isSmall ? (result * result) % modulus : mulMod(result, result, divisor, shift)
      if ((byte >> bit) & 1) result = isSmall ? (result * base) % modulus : mulMod(result, base, divisor, shift)
    }
  }
  for (; zeros > 0 && result > 1; zeros--) {
    result = isSmall ? (result * result) % modulus : mulMod(result, result, divisor, shift)
  }
  return result
}

/** a · b mod (divisor >> shift), the divisor having its top bit set. */
// @ts-ignore: decorator
@inline
function mulMod(a: u64, b: u64, divisor: u64, shift: u64): u64 {
  // a is shifted with the divisor, so the remainder comes out shifted too; a < modulus keeps it below the divisor.
  const x = a << shift
  const x0 = x & 0xffffffff, x1 = x >> 32
  const b0 = b & 0xffffffff, b1 = b >> 32
  const low = x0 * b0
  const middle = x1 * b0 + (low >> 32)
  const middle2 = x0 * b1 + (middle & 0xffffffff)
  const high = x1 * b1 + (middle >> 32) + (middle2 >> 32)
  return remainder(high, (middle2 << 32) | (low & 0xffffffff), divisor) >> shift
}

/** high·2^64 + low mod divisor, by two digits of 32 bits (Knuth, algorithm D); high is below the divisor. */
// @ts-ignore: decorator
@inline
function remainder(high: u64, low: u64, divisor: u64): u64 {
  return digit(digit(high, low >> 32, divisor), low & 0xffffffff, divisor)
}

/** head·2^32 + next mod divisor. */
// @ts-ignore: decorator
@inline
function digit(head: u64, next: u64, divisor: u64): u64 {
  const d1 = divisor >> 32, d0 = divisor & 0xffffffff
  let quotient = head / d1
  let rest = head - quotient * d1
  while (quotient > 0xffffffff || quotient * d0 > ((rest << 32) | next)) {
    quotient--
    rest += d1
    if (rest > 0xffffffff) break
  }
  return (head << 32) + next - quotient * divisor
}
