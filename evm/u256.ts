/** Arithmetic on 256-bit words in memory: four 64-bit limbs, the lowest first. */
import { DIVIDEND, DIVISOR, TEMP } from './layout'

const LOW: u64 = 0xffffffff

@inline export function copy(to: usize, from: usize): void {
  const a = load<u64>(from), b = load<u64>(from, 8), c = load<u64>(from, 16), d = load<u64>(from, 24)
  store<u64>(to, a)
  store<u64>(to, b, 8)
  store<u64>(to, c, 16)
  store<u64>(to, d, 24)
}

@inline export function set(to: usize, a: u64, b: u64, c: u64, d: u64): void {
  store<u64>(to, a)
  store<u64>(to, b, 8)
  store<u64>(to, c, 16)
  store<u64>(to, d, 24)
}

@inline export function setSmall(to: usize, value: u64): void {
  set(to, value, 0, 0, 0)
}

@inline export function isZero(p: usize): bool {
  return (load<u64>(p) | load<u64>(p, 8) | load<u64>(p, 16) | load<u64>(p, 24)) == 0
}

/** Whether the word needs more than 64 bits. */
@inline export function isWide(p: usize): bool {
  return (load<u64>(p, 8) | load<u64>(p, 16) | load<u64>(p, 24)) != 0
}

/** The word, or 2^64 - 1 if it is larger. */
@inline export function saturate(p: usize): u64 {
  return isWide(p) ? u64.MAX_VALUE : load<u64>(p)
}

/** Thirty-two bytes with their order reversed: between memory's and the stack's form of a word. */
@inline export function swap(to: usize, from: usize): void {
  const lower = v128.shuffle<u8>(i64x2.replace_lane(i64x2.splat(load<u64>(from)), 1, load<u64>(from, 8)), i64x2.splat(0),
    15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
  const upper = v128.shuffle<u8>(i64x2.replace_lane(i64x2.splat(load<u64>(from, 16)), 1, load<u64>(from, 24)), i64x2.splat(0),
    15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
  v128.store(to, upper)
  v128.store(to, lower, 16)
}

@inline export function add(to: usize, x: usize, y: usize): void {
  const x0 = load<u64>(x), x1 = load<u64>(x, 8), x2 = load<u64>(x, 16), x3 = load<u64>(x, 24)
  const r0 = x0 + load<u64>(y)
  const c0 = u64(r0 < x0)
  const t1 = x1 + load<u64>(y, 8)
  const r1 = t1 + c0
  const c1 = u64(t1 < x1) | u64(r1 < c0)
  const t2 = x2 + load<u64>(y, 16)
  const r2 = t2 + c1
  const c2 = u64(t2 < x2) | u64(r2 < c1)
  set(to, r0, r1, r2, x3 + load<u64>(y, 24) + c2)
}

/** x and a number of at most 64 bits. */
@inline export function addSmall(to: usize, x: usize, n: u64): void {
  const low = load<u64>(x) + n
  let a = load<u64>(x, 8), b = load<u64>(x, 16), c = load<u64>(x, 24)
  if (low < n) {
    a++
    if (a == 0) {
      b++
      if (b == 0) c++
    }
  }
  set(to, low, a, b, c)
}

@inline export function and(to: usize, x: usize, y: usize): void {
  set(to, load<u64>(x) & load<u64>(y), load<u64>(x, 8) & load<u64>(y, 8), load<u64>(x, 16) & load<u64>(y, 16),
    load<u64>(x, 24) & load<u64>(y, 24))
}

/** 2^bits - 1, for bits below 256. */
export function setMask(to: usize, bits: u64): void {
  for (let i: u64 = 0; i < 4; i++) {
    const from = i << 6
    store<u64>(to + <usize>(i << 3), bits >= from + 64 ? u64.MAX_VALUE : bits > from ? (<u64>1 << (bits - from)) - 1 : 0)
  }
}

/** x - y. */
@inline export function sub(to: usize, x: usize, y: usize): void {
  const x0 = load<u64>(x), x1 = load<u64>(x, 8), x2 = load<u64>(x, 16), x3 = load<u64>(x, 24)
  const y0 = load<u64>(y), y1 = load<u64>(y, 8), y2 = load<u64>(y, 16), y3 = load<u64>(y, 24)
  const b0 = u64(x0 < y0)
  const t1 = x1 - y1
  const b1 = u64(x1 < y1) | u64(t1 < b0)
  const t2 = x2 - y2
  const b2 = u64(x2 < y2) | u64(t2 < b1)
  set(to, x0 - y0, t1 - b0, t2 - b1, x3 - y3 - b2)
}

@inline export function less(x: usize, y: usize): bool {
  const x3 = load<u64>(x, 24), y3 = load<u64>(y, 24)
  if (x3 != y3) return x3 < y3
  const x2 = load<u64>(x, 16), y2 = load<u64>(y, 16)
  if (x2 != y2) return x2 < y2
  const x1 = load<u64>(x, 8), y1 = load<u64>(y, 8)
  if (x1 != y1) return x1 < y1
  return load<u64>(x) < load<u64>(y)
}

@inline export function signedLess(x: usize, y: usize): bool {
  const x3 = load<i64>(x, 24), y3 = load<i64>(y, 24)
  return x3 != y3 ? x3 < y3 : less(x, y)
}

@inline export function equals(x: usize, y: usize): bool {
  return ((load<u64>(x) ^ load<u64>(y)) | (load<u64>(x, 8) ^ load<u64>(y, 8)) |
    (load<u64>(x, 16) ^ load<u64>(y, 16)) | (load<u64>(x, 24) ^ load<u64>(y, 24))) == 0
}

@inline export function isNegative(x: usize): bool {
  return load<i64>(x, 24) < 0
}

export function negate(to: usize, x: usize): void {
  const a = load<u64>(x), b = load<u64>(x, 8), c = load<u64>(x, 16), d = load<u64>(x, 24)
  const r0 = ~a + 1
  let carry = u64(r0 == 0)
  const r1 = ~b + carry
  carry &= u64(r1 == 0)
  const r2 = ~c + carry
  carry &= u64(r2 == 0)
  set(to, r0, r1, r2, ~d + carry)
}

/** The upper half of a 64 by 64 bit product. */
@inline function mulHigh(a: u64, b: u64): u64 {
  const a0 = a & LOW, a1 = a >> 32, b0 = b & LOW, b1 = b >> 32
  const p01 = a0 * b1
  const mid = a1 * b0 + ((a0 * b0) >> 32) + (p01 & LOW)
  return a1 * b1 + (mid >> 32) + (p01 >> 32)
}

/** A 64-bit number times a word, to 256 bits. */
@inline function mulSmall(to: usize, a: u64, y: usize): void {
  const y0 = load<u64>(y), y1 = load<u64>(y, 8), y2 = load<u64>(y, 16), y3 = load<u64>(y, 24)
  const h0 = mulHigh(a, y0)
  const l1 = a * y1
  const r1 = l1 + h0
  const h1 = mulHigh(a, y1) + u64(r1 < l1)
  const l2 = a * y2
  const r2 = l2 + h1
  const h2 = mulHigh(a, y2) + u64(r2 < l2)
  set(to, a * y0, r1, r2, a * y3 + h2)
}

export function mul(to: usize, x: usize, y: usize): void {
  const x0 = load<u64>(x), x1 = load<u64>(x, 8), x2 = load<u64>(x, 16), x3 = load<u64>(x, 24)
  const y0 = load<u64>(y), y1 = load<u64>(y, 8), y2 = load<u64>(y, 16), y3 = load<u64>(y, 24)
  const wideX = (x1 | x2 | x3) != 0
  const wideY = (y1 | y2 | y3) != 0
  if (!wideX && !wideY) {
    if ((x0 | y0) <= LOW) setSmall(to, x0 * y0)
    else set(to, x0 * y0, mulHigh(x0, y0), 0, 0)
    return
  }
  if (!wideX) return mulSmall(to, x0, y)
  if (!wideY) return mulSmall(to, y0, x)

  // Row of x0.
  let h = mulHigh(x0, y0)
  const r0 = x0 * y0
  let l = x0 * y1
  let r1 = l + h
  h = mulHigh(x0, y1) + u64(r1 < l)
  l = x0 * y2
  let r2 = l + h
  h = mulHigh(x0, y2) + u64(r2 < l)
  let r3 = x0 * y3 + h
  // Row of x1.
  l = x1 * y0
  r1 += l
  h = mulHigh(x1, y0) + u64(r1 < l)
  r2 += h
  let c = u64(r2 < h)
  l = x1 * y1
  r2 += l
  c += mulHigh(x1, y1) + u64(r2 < l)
  r3 += x1 * y2 + c
  // Row of x2 and x3.
  if (x2 != 0) {
    l = x2 * y0
    r2 += l
    r3 += mulHigh(x2, y0) + u64(r2 < l) + x2 * y1
  }
  r3 += x3 * y0
  set(to, r0, r1, r2, r3)
}

/** The remainder that goes with a quotient returned: high and low limb. */
let remainderHigh: u64 = 0
let remainderLow: u64 = 0

/** (high · 2^64 + low) / divisor by hardware division, with high < divisor and the top bit of divisor set. */
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

/** floor((2^128 - 1) / d) - 2^64 for a d with its top bit set (Möller and Granlund, "Improved division by invariant integers"). */
@inline function reciprocal(d: u64): u64 {
  return divideLimb(~d, u64.MAX_VALUE, d)
}

/** As `reciprocal`, of the two limbs d1, d0: what a quotient of three limbs by two needs. */
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

/** (high · 2^64 + low) / d, with high < d, d normalized and v its reciprocal. The remainder goes to `remainderLow`. */
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

/** Three limbs by two, u2·2^64 + u1 < d1·2^64 + d0, v from `reciprocalOfTwo`. The remainder goes to both globals. */
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

/** Word at `x` by a 64-bit divisor (not 0): quotient to `to` (in place allowed); returns the remainder. */
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
  // The dividend, shifted as the divisor is: five limbs, s4 < d.
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

/** Significant limbs of the number at `p` that has at most `count`. */
@inline function limbs(p: usize, count: i32): i32 {
  let n = count
  while (n > 0 && limb(p, n - 1) == 0) n--
  return n
}

/** Shifts the limbs at `p` left by 0 to 63 bits; returns what leaves at the top. */
@inline function shiftLimbs(p: usize, count: i32, shift: u64): u64 {
  if (shift == 0) return 0
  const back = 64 - shift
  const out = limb(p, count - 1) >> back
  for (let i = count - 1; i > 0; i--) setLimb(p, i, (limb(p, i) << shift) | (limb(p, i - 1) >> back))
  setLimb(p, 0, limb(p, 0) << shift)
  return out
}

/** Subtracts q times the `n` limbs of DIVISOR from those at `u`; returns what is to be taken from the limb above. */
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
 * Long division (Knuth, D) of DIVIDEND (m limbs, one spare above) by DIVISOR (n limbs, at least 2, no more than m). The remainder is
 * left in DIVIDEND; the quotient's limbs go to `quotient` if it is not 0, which has room for m - n + 1 limbs and is zero.
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

/** x / y, 0 if y is 0. `to` may be x or y. */
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

/** x mod y, 0 if y is 0. */
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

/** The number at DIVIDEND (`count` limbs, one spare above) mod the word at `m`, which is not 0. */
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

/** base ^ exponent. */
export function exp(to: usize, base: usize, exponent: usize): void {
  if (!isWide(base) && load<u64>(base) == 2) {
    if (isWide(exponent) || load<u64>(exponent) > 255) return setSmall(to, 0)
    const n = load<u64>(exponent)
    setSmall(to, 0)
    store<u64>(to + <usize>((n >> 6) << 3), <u64>1 << (n & 63))
    return
  }
  const result = TEMP + 32, power = TEMP + 64
  copy(power, base)
  setSmall(result, 1)
  let last: usize = 32
  while (last > 0 && load<u64>(exponent + last - 8) == 0) last -= 8
  for (let i: usize = 0; i < last; i += 8) {
    let bits = load<u64>(exponent + i)
    const final = i + 8 == last
    for (let k = 0; k < 64; k++) {
      if ((bits & 1) != 0) mul(result, result, power)
      bits >>= 1
      if (final && bits == 0) break
      mul(power, power, power)
    }
  }
  copy(to, result)
}

/** Extends the sign of the byte with index `k` (0 = lowest). */
export function signextend(to: usize, k: usize, x: usize): void {
  if (isWide(k) || load<u64>(k) > 30) return copy(to, x)
  const index = <usize>load<u64>(k)
  const limb = index >> 3
  const shift = 56 - ((index & 7) << 3)
  const extended = (load<i64>(x + (limb << 3)) << shift) >> shift
  const fill = extended >> 63
  for (let i: usize = 0; i < 4; i++) {
    store<i64>(to + (i << 3), i < limb ? load<i64>(x + (i << 3)) : i == limb ? extended : fill)
  }
}

export function shl(to: usize, by: usize, x: usize): void {
  if (isWide(by) || load<u64>(by) > 255) return setSmall(to, 0)
  shiftLeft(to, load<u64>(by), x)
}

/** Shifts in place by 0 to 255. */
export function shlBy(x: usize, n: u64): void {
  shiftLeft(x, n, x)
}

@inline function shiftLeft(to: usize, n: u64, x: usize): void {
  let a = load<u64>(x), b = load<u64>(x, 8), c = load<u64>(x, 16), d = load<u64>(x, 24)
  if ((n & 128) != 0) {
    d = b
    c = a
    b = 0
    a = 0
  }
  if ((n & 64) != 0) {
    d = c
    c = b
    b = a
    a = 0
  }
  const k = n & 63
  if (k != 0) {
    const back = 64 - k
    d = (d << k) | (c >> back)
    c = (c << k) | (b >> back)
    b = (b << k) | (a >> back)
    a = a << k
  }
  set(to, a, b, c, d)
}

/** Shifts right; `fill` is 0, or all ones for the arithmetic shift of a negative word. */
@inline function shiftRight(to: usize, n: u64, x: usize, fill: u64): void {
  let a = load<u64>(x), b = load<u64>(x, 8), c = load<u64>(x, 16), d = load<u64>(x, 24)
  if ((n & 128) != 0) {
    a = c
    b = d
    c = fill
    d = fill
  }
  if ((n & 64) != 0) {
    a = b
    b = c
    c = d
    d = fill
  }
  const k = n & 63
  if (k != 0) {
    const back = 64 - k
    a = (a >> k) | (b << back)
    b = (b >> k) | (c << back)
    c = (c >> k) | (d << back)
    d = (d >> k) | (fill << back)
  }
  set(to, a, b, c, d)
}

export function shr(to: usize, by: usize, x: usize): void {
  if (isWide(by) || load<u64>(by) > 255) return setSmall(to, 0)
  shiftRight(to, load<u64>(by), x, 0)
}

export function shrBy(x: usize, n: u64): void {
  shiftRight(x, n, x, 0)
}

export function sar(to: usize, by: usize, x: usize): void {
  const fill = <u64>(load<i64>(x, 24) >> 63)
  if (isWide(by) || load<u64>(by) > 255) return set(to, fill, fill, fill, fill)
  shiftRight(to, load<u64>(by), x, fill)
}

export function sarBy(x: usize, n: u64): void {
  shiftRight(x, n, x, <u64>(load<i64>(x, 24) >> 63))
}

/** Leading zero bits, 256 for 0. */
export function countLeadingZeros(to: usize, x: usize): void {
  let i: i32 = 3
  while (i >= 0 && load<u64>(x + (<usize>i << 3)) == 0) i--
  setSmall(to, i < 0 ? 256 : <u64>(3 - i) * 64 + clz(load<u64>(x + (<usize>i << 3))))
}
