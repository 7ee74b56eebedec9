/** Arithmetic on 256-bit words in memory: four 64-bit limbs, the lowest first. */
import { TEMP } from './layout'

/** The lower half of a limb. */
export const LOW: u64 = 0xffffffff

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

/** Returns the word, or 2^64 - 1 if it is larger. */
@inline export function saturate(p: usize): u64 {
  return isWide(p) ? u64.MAX_VALUE : load<u64>(p)
}

/** Copies 32 bytes in reverse order: converts a word between its big-endian form and its form on the stack. */
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

/** Writes x + n, a number of at most 64 bits. */
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

/** Writes 2^bits - 1, for bits below 256. */
export function setMask(to: usize, bits: u64): void {
  for (let i: u64 = 0; i < 4; i++) {
    const from = i << 6
    store<u64>(to + <usize>(i << 3), bits >= from + 64 ? u64.MAX_VALUE : bits > from ? (<u64>1 << (bits - from)) - 1 : 0)
  }
}

/** Writes x - y. */
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

/** Returns the upper half of a 64 by 64 bit product. */
@inline export function mulHigh(a: u64, b: u64): u64 {
  const a0 = a & LOW, a1 = a >> 32, b0 = b & LOW, b1 = b >> 32
  const p01 = a0 * b1
  const mid = a1 * b0 + ((a0 * b0) >> 32) + (p01 & LOW)
  return a1 * b1 + (mid >> 32) + (p01 >> 32)
}

/** Writes a 64-bit number times a word, truncated to 256 bits. */
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

/** Writes base ^ exponent, truncated to 256 bits. */
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

/** Writes the number of leading zero bits, 256 for 0. */
export function countLeadingZeros(to: usize, x: usize): void {
  let i: i32 = 3
  while (i >= 0 && load<u64>(x + (<usize>i << 3)) == 0) i--
  setSmall(to, i < 0 ? 256 : <u64>(3 - i) * 64 + clz(load<u64>(x + (<usize>i << 3))))
}
