/** Division of words: quotients, remainders, sums and products modulo a word. */
import { DIVIDEND, DIVISOR, TEMP } from './layout'
import { LOW, add, copy, isNegative, isWide, isZero, less, mul, mulHigh, negate, set, setSmall, sub } from './u256'

/** The remainder of the last division that returned a quotient: high and low limb. */
let remainderHigh: u64 = 0
let remainderLow: u64 = 0

/** Returns (high · 2^64 + low) / divisor by hardware division, with high < divisor and the top bit of divisor set. */
function divideLimb(high: u64, low: u64, divisor: u64): u64 {
  const d1 = divisor >> 32, d0 = divisor & LOW
  const l1 = low >> 32, l0 = low & LOW
  let q1 = high / d1
  let r = high - q1 * d1
  while (q1 > LOW || q1 * d0 > ((r << 32) | l1)) {
    q1--
    r += d1
    if (r > LOW) break
  }
  const middle = ((high << 32) | l1) - q1 * divisor
  let q0 = middle / d1
  r = middle - q0 * d1
  while (q0 > LOW || q0 * d0 > ((r << 32) | l0)) {
    q0--
    r += d1
    if (r > LOW) break
  }
  return (q1 << 32) | q0
}

/** Returns floor((2^128 - 1) / d) - 2^64 for a d with its top bit set (Möller and Granlund, "Improved division by invariant integers"). */
@inline function reciprocal(d: u64): u64 {
  return divideLimb(~d, u64.MAX_VALUE, d)
}

/** Returns the reciprocal of the two limbs d1, d0, for dividing three limbs by two; compare `reciprocal`. */
function reciprocalOfTwo(d1: u64, d0: u64): u64 {
  let v = reciprocal(d1)
  let p = d1 * v + d0
  if (p < d0) {
    v--
    if (p >= d1) {
      v--
      p -= d1
    }
    p -= d1
  }
  const high = mulHigh(v, d0), low = v * d0
  p += high
  if (p < high) {
    v--
    if (p > d1 || (p == d1 && low >= d0)) v--
  }
  return v
}

/** Returns (high · 2^64 + low) / d, with high < d, d normalized and v its reciprocal. The remainder goes to `remainderLow`. */
@inline function divideTwoByOne(high: u64, low: u64, d: u64, v: u64): u64 {
  const l = v * high
  const q0 = l + low
  let q = mulHigh(v, high) + high + u64(q0 < l) + 1
  let r = low - q * d
  if (r > q0) {
    q--
    r += d
  }
  if (r >= d) {
    q++
    r -= d
  }
  remainderLow = r
  return q
}

/** Divides three limbs by two, with u2·2^64 + u1 < d1·2^64 + d0 and v from `reciprocalOfTwo`. The remainder goes to both globals. */
@inline function divideThreeByTwo(u2: u64, u1: u64, u0: u64, d1: u64, d0: u64, v: u64): u64 {
  const l = v * u2
  const q0 = l + u1
  let q = mulHigh(v, u2) + u2 + u64(q0 < l)
  let high = u1 - q * d1
  const t0 = q * d0
  const t1 = mulHigh(q, d0)
  let low = u0 - t0
  high -= t1 + u64(u0 < t0)
  high -= d1 + u64(low < d0)
  low -= d0
  q++
  if (high >= q0) {
    q--
    low += d0
    high += d1 + u64(low < d0)
  }
  if (high > d1 || (high == d1 && low >= d0)) {
    q++
    high -= d1 + u64(low < d0)
    low -= d0
  }
  remainderHigh = high
  remainderLow = low
  return q
}

/** Divides the word at `x` by a nonzero 64-bit divisor. Writes the quotient to `to`, which can be `x`; returns the remainder. */
function divideSmall(to: usize, x: usize, divisor: u64): u64 {
  const x0 = load<u64>(x), x1 = load<u64>(x, 8), x2 = load<u64>(x, 16), x3 = load<u64>(x, 24)
  if ((x1 | x2 | x3) == 0) {
    const q = x0 / divisor
    setSmall(to, q)
    return x0 - q * divisor
  }
  if (divisor <= LOW) {
    let r: u64 = 0, q3: u64 = 0, q2: u64 = 0
    if ((x2 | x3) != 0) {
      q3 = x3 / divisor
      r = x3 - q3 * divisor
      let t = (r << 32) | (x2 >> 32)
      const a = t / divisor
      t = ((t - a * divisor) << 32) | (x2 & LOW)
      const b = t / divisor
      r = t - b * divisor
      q2 = (a << 32) | b
    }
    let t = (r << 32) | (x1 >> 32)
    const c = t / divisor
    t = ((t - c * divisor) << 32) | (x1 & LOW)
    const d = t / divisor
    t = ((t - d * divisor) << 32) | (x0 >> 32)
    const e = t / divisor
    t = ((t - e * divisor) << 32) | (x0 & LOW)
    const f = t / divisor
    set(to, (e << 32) | f, (c << 32) | d, q2, q3)
    return t - f * divisor
  }
  const shift = clz(divisor)
  const d = divisor << shift
  const v = reciprocal(d)
  // The dividend, shifted like the divisor: five limbs, s4 < d.
  let s4: u64 = 0, s3 = x3, s2 = x2, s1 = x1, s0 = x0
  if (shift != 0) {
    const back = 64 - shift
    s4 = x3 >> back
    s3 = (x3 << shift) | (x2 >> back)
    s2 = (x2 << shift) | (x1 >> back)
    s1 = (x1 << shift) | (x0 >> back)
    s0 = x0 << shift
  }
  remainderLow = s4
  let q3: u64 = 0, q2: u64 = 0
  if ((s4 | s3) != 0) q3 = divideTwoByOne(s4, s3, d, v)
  if ((remainderLow | s2) != 0) q2 = divideTwoByOne(remainderLow, s2, d, v)
  const q1 = divideTwoByOne(remainderLow, s1, d, v)
  const q0 = divideTwoByOne(remainderLow, s0, d, v)
  set(to, q0, q1, q2, q3)
  return remainderLow >> shift
}

@inline function limb(p: usize, index: i32): u64 {
  return load<u64>(p + (<usize>index << 3))
}

@inline function setLimb(p: usize, index: i32, value: u64): void {
  store<u64>(p + (<usize>index << 3), value)
}

/** Counts the significant limbs of the number at `p`, which has at most `count`. */
@inline function limbs(p: usize, count: i32): i32 {
  let n = count
  while (n > 0 && limb(p, n - 1) == 0) n--
  return n
}

/** Shifts the limbs at `p` left by 0 to 63 bits; returns the bits shifted out at the top. */
@inline function shiftLimbs(p: usize, count: i32, shift: u64): u64 {
  if (shift == 0) return 0
  const back = 64 - shift
  const out = limb(p, count - 1) >> back
  for (let i = count - 1; i > 0; i--) setLimb(p, i, (limb(p, i) << shift) | (limb(p, i - 1) >> back))
  setLimb(p, 0, limb(p, 0) << shift)
  return out
}

/** Subtracts q times the `n` limbs of DIVISOR from those at `u`; returns the borrow from the limb above. */
@inline function subtractProduct(u: usize, n: i32, q: u64): u64 {
  let carry: u64 = 0
  for (let i = 0; i < n; i++) {
    const d = limb(DIVISOR, i)
    const low = q * d
    const sum = low + carry
    carry = mulHigh(q, d) + u64(sum < low)
    const before = limb(u, i)
    setLimb(u, i, before - sum)
    carry += u64(before < sum)
  }
  return carry
}

/** Adds the `n` limbs of DIVISOR to those at `u`. */
function addBack(u: usize, n: i32): void {
  let carry: u64 = 0
  for (let i = 0; i < n; i++) {
    const sum = limb(u, i) + carry
    carry = u64(sum < carry)
    const total = sum + limb(DIVISOR, i)
    carry += u64(total < sum)
    setLimb(u, i, total)
  }
}

/**
 * Divides DIVIDEND (m limbs, one spare above) by DIVISOR (n limbs, at least 2, at most m) with Knuth's algorithm D. The remainder is
 * left in DIVIDEND. If `quotient` is not 0, the quotient is written there: m - n + 1 limbs, which must be zero before.
 */
function divideLong(m: i32, n: i32, quotient: usize): void {
  const shift = clz(limb(DIVISOR, n - 1))
  shiftLimbs(DIVISOR, n, shift)
  setLimb(DIVIDEND, m, shiftLimbs(DIVIDEND, m, shift))
  const d1 = limb(DIVISOR, n - 1), d0 = limb(DIVISOR, n - 2)
  const v = reciprocalOfTwo(d1, d0)
  for (let j = m - n; j >= 0; j--) {
    const u = DIVIDEND + (<usize>j << 3)
    const u2 = limb(u, n), u1 = limb(u, n - 1), u0 = limb(u, n - 2)
    let q: u64
    if (u2 == d1 && u1 == d0) {
      q = u64.MAX_VALUE
      setLimb(u, n, u2 - subtractProduct(u, n, q))
    } else {
      q = divideThreeByTwo(u2, u1, u0, d1, d0, v)
      const taken = subtractProduct(u, n - 2, q)
      const low = remainderLow, high = remainderHigh
      const borrow = u64(low < taken)
      setLimb(u, n - 2, low - taken)
      setLimb(u, n - 1, high - borrow)
      setLimb(u, n, 0)
      if (high < borrow) {
        q--
        addBack(u, n)
      }
    }
    if (quotient != 0) setLimb(quotient, j, q)
  }
  if (shift == 0) return
  const back = 64 - shift
  for (let i = 0; i < n - 1; i++) setLimb(DIVIDEND, i, (limb(DIVIDEND, i) >> shift) | (limb(DIVIDEND, i + 1) << back))
  setLimb(DIVIDEND, n - 1, limb(DIVIDEND, n - 1) >> shift)
}

/** Writes x / y, or 0 if y is 0. `to` can be x or y. */
export function div(to: usize, x: usize, y: usize): void {
  if (!isWide(y)) {
    const divisor = load<u64>(y)
    if (divisor == 0) setSmall(to, 0)
    else divideSmall(to, x, divisor)
    return
  }
  if (less(x, y)) return setSmall(to, 0)
  copy(DIVIDEND, x)
  copy(DIVISOR, y)
  setSmall(TEMP, 0)
  divideLong(limbs(DIVIDEND, 4), limbs(DIVISOR, 4), TEMP)
  copy(to, TEMP)
}

/** Writes x mod y, or 0 if y is 0. */
export function mod(to: usize, x: usize, y: usize): void {
  if (!isWide(y)) {
    const divisor = load<u64>(y)
    setSmall(to, divisor == 0 ? 0 : divideSmall(TEMP, x, divisor))
    return
  }
  if (less(x, y)) return copy(to, x)
  copy(DIVIDEND, x)
  copy(DIVISOR, y)
  const n = limbs(DIVISOR, 4)
  divideLong(limbs(DIVIDEND, 4), n, 0)
  takeRemainder(to, n)
}

@inline function takeRemainder(to: usize, n: i32): void {
  for (let i = n; i < 4; i++) setLimb(DIVIDEND, i, 0)
  copy(to, DIVIDEND)
}

export function sdiv(to: usize, x: usize, y: usize): void {
  const negative = isNegative(x) != isNegative(y)
  magnitude(TEMP + 32, x)
  magnitude(TEMP + 64, y)
  div(to, TEMP + 32, TEMP + 64)
  if (negative) negate(to, to)
}

export function smod(to: usize, x: usize, y: usize): void {
  const negative = isNegative(x)
  magnitude(TEMP + 32, x)
  magnitude(TEMP + 64, y)
  mod(to, TEMP + 32, TEMP + 64)
  if (negative) negate(to, to)
}

@inline function magnitude(to: usize, x: usize): void {
  if (isNegative(x)) negate(to, x)
  else copy(to, x)
}

/** Writes the number at DIVIDEND (`count` limbs, one spare above) mod the word at `m`, which is not 0. */
function reduce(to: usize, count: i32, m: usize): void {
  copy(DIVISOR, m)
  const n = limbs(DIVISOR, 4)
  const length = limbs(DIVIDEND, count)
  if (n == 1) {
    const shift = clz(limb(DIVISOR, 0))
    const d = limb(DIVISOR, 0) << shift
    const v = reciprocal(d)
    remainderLow = length == 0 ? 0 : shiftLimbs(DIVIDEND, length, shift)
    for (let i = length - 1; i >= 0; i--) divideTwoByOne(remainderLow, limb(DIVIDEND, i), d, v)
    return setSmall(to, remainderLow >> shift)
  }
  if (length < n) return takeRemainder(to, length)
  divideLong(length, n, 0)
  takeRemainder(to, n)
}

export function addmod(to: usize, x: usize, y: usize, m: usize): void {
  if (isZero(m)) return setSmall(to, 0)
  add(TEMP, x, y)
  const carry = less(TEMP, x)
  if (less(x, m) && less(y, m)) {
    if (carry || !less(TEMP, m)) sub(to, TEMP, m)
    else copy(to, TEMP)
    return
  }
  if (!carry) return mod(to, TEMP, m)
  copy(DIVIDEND, TEMP)
  store<u64>(DIVIDEND, 1, 32)
  reduce(to, 5, m)
}

export function mulmod(to: usize, x: usize, y: usize, m: usize): void {
  if (isZero(m)) return setSmall(to, 0)
  if (((load<u64>(x, 16) | load<u64>(x, 24) | load<u64>(y, 16) | load<u64>(y, 24)) == 0)) {
    mul(TEMP + 32, x, y)
    return mod(to, TEMP + 32, m)
  }
  for (let i: usize = 0; i < 64; i += 8) store<u64>(DIVIDEND + i, 0)
  for (let i: usize = 0; i < 32; i += 8) {
    const a = load<u64>(x + i)
    if (a == 0) continue
    let carry: u64 = 0
    for (let j: usize = 0; j < 32; j += 8) {
      const b = load<u64>(y + j)
      const p = DIVIDEND + i + j
      const low = a * b
      const t = load<u64>(p) + low
      const r = t + carry
      carry = mulHigh(a, b) + u64(t < low) + u64(r < carry)
      store<u64>(p, r)
    }
    store<u64>(DIVIDEND + i + 32, carry)
  }
  reduce(to, 8, m)
}
