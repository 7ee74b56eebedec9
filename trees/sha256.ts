/** SHA-256 (FIPS 180-4) of short messages, four at a time, one in each 32-bit lane of a vector. */
import { LANES, NOWHERE, WAITING } from './layout'

/** The longest padded message, in blocks of 64 bytes. */
export const MAX_BLOCKS: u32 = 4
const LANE_BYTES: usize = 256

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const ROUNDS: usize = memory.data<u32>([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])

/** Returns the number of 64-byte blocks of a padded message. */
@inline export function blocksOf(length: u32): u32 {
  return (length + 72) >>> 6
}

@inline function countAt(blocks: u32): usize {
  return WAITING + ((blocks as usize) << 5)
}

/** Returns the address for the next message of a length in blocks. */
export function lane(blocks: u32): usize {
  return LANES + ((blocks - 1) as usize) * 4 * LANE_BYTES + (load<u32>(countAt(blocks)) as usize) * LANE_BYTES
}

/** Pads the message in a lane: a bit 1, zeros, and its length. */
export function end(at: usize, length: u32, blocks: u32): void {
  const padded = at + (blocks << 6)
  store<u64>(at + length, 0x80)
  for (let zero = at + length + 8; zero < padded - 8; zero += 8) store<u64>(zero, 0)
  store<u64>(padded - 8, bswap<u64>((length as u64) << 3))
}

/** Queues the message in the next lane. Its 32-byte digest is written to `out` at the latest by `flush`. */
export function enqueue(blocks: u32, out: usize): void {
  const at = countAt(blocks)
  const count = load<u32>(at)
  store<u32>(at + 4 + (count << 2), out as u32)
  store<u32>(at, count + 1)
  if (count == 3) hashLanes(blocks)
}

/** Hashes all queued messages. */
export function flush(): void {
  for (let blocks: u32 = 1; blocks <= MAX_BLOCKS; blocks++) {
    const at = countAt(blocks)
    const count = load<u32>(at)
    if (count == 0) continue
    for (let i = count; i < 4; i++) store<u32>(at + 4 + (i << 2), NOWHERE as u32)
    hashLanes(blocks)
  }
}

function hashLanes(blocks: u32): void {
  const at = countAt(blocks)
  const first = LANES + ((blocks - 1) as usize) * 4 * LANE_BYTES
  store<u32>(at, 0)
  compress(first, blocks, load<u32>(at, 4), load<u32>(at, 8), load<u32>(at, 12), load<u32>(at, 16))
}

@inline function add(x: v128, y: v128): v128 {
  return i32x4.add(x, y)
}

@inline function rotated(x: v128, by: i32): v128 {
  return v128.or(i32x4.shr_u(x, by), i32x4.shl(x, 32 - by))
}

@inline function rotatedThrice(x: v128, first: i32, second: i32, third: i32): v128 {
  return v128.xor(v128.xor(rotated(x, first), rotated(x, second)), rotated(x, third))
}

@inline function mixed(x: v128, first: i32, second: i32, shift: i32): v128 {
  return v128.xor(v128.xor(rotated(x, first), rotated(x, second)), i32x4.shr_u(x, shift))
}

/** Returns the word of the message schedule sixteen after `w0`. */
@inline function later(w0: v128, w1: v128, w9: v128, w14: v128): v128 {
  return add(add(w0, mixed(w1, 7, 18, 3)), add(w9, mixed(w14, 17, 19, 10)))
}

/** Returns T1 of FIPS 180-4, which a round adds to `d` and to `second`. */
@inline function first(e: v128, f: v128, g: v128, h: v128, constants: usize, word: v128): v128 {
  const choice = v128.xor(g, v128.and(e, v128.xor(f, g)))
  // The terms that do not depend on `e` are added first, so the processor does not wait for `e`.
  return add(add(add(h, v128.load_splat<u32>(constants)), word), add(rotatedThrice(e, 6, 11, 25), choice))
}

@inline function second(a: v128, b: v128, c: v128): v128 {
  return add(rotatedThrice(a, 2, 13, 22), v128.xor(v128.and(a, b), v128.and(c, v128.xor(a, b))))
}

/** Returns the words with their bytes in reverse order. */
@inline function swapped(x: v128): v128 {
  return i8x16.shuffle(x, x, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
}

// Steps of the transposition of four vectors of four words.
@inline function lows(x: v128, y: v128): v128 {
  return i32x4.shuffle(x, y, 0, 4, 1, 5)
}

@inline function highs(x: v128, y: v128): v128 {
  return i32x4.shuffle(x, y, 2, 6, 3, 7)
}

@inline function evens(x: v128, y: v128): v128 {
  return i64x2.shuffle(x, y, 0, 2)
}

@inline function odds(x: v128, y: v128): v128 {
  return i64x2.shuffle(x, y, 1, 3)
}

/** Returns four words of a lane. */
@inline function wordsOf(at: usize, lane: usize): v128 {
  return swapped(v128.load(at + lane * LANE_BYTES))
}

@inline function put(o0: usize, o1: usize, o2: usize, o3: usize, a: v128, b: v128, c: v128, d: v128): void {
  v128.store(o0, swapped(evens(lows(a, b), lows(c, d))))
  v128.store(o1, swapped(odds(lows(a, b), lows(c, d))))
  v128.store(o2, swapped(evens(highs(a, b), highs(c, d))))
  v128.store(o3, swapped(odds(highs(a, b), highs(c, d))))
}

/** Hashes four messages of `blocks` blocks each, the first at `at`. The digests go to `o0` to `o3`. */
function compress(at: usize, blocks: u32, o0: usize, o1: usize, o2: usize, o3: usize): void {
  // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  let stateA = i32x4.splat(0x6a09e667)
  let stateB = i32x4.splat(0xbb67ae85)
  let stateC = i32x4.splat(0x3c6ef372)
  let stateD = i32x4.splat(0xa54ff53a)
  let stateE = i32x4.splat(0x510e527f)
  let stateF = i32x4.splat(0x9b05688c)
  let stateG = i32x4.splat(0x1f83d9ab)
  let stateH = i32x4.splat(0x5be0cd19)
  for (; blocks > 0; blocks--, at += 64) {
    let x0 = wordsOf(at, 0)
    let x1 = wordsOf(at, 1)
    let x2 = wordsOf(at, 2)
    let x3 = wordsOf(at, 3)
    let w0 = evens(lows(x0, x1), lows(x2, x3))
    let w1 = odds(lows(x0, x1), lows(x2, x3))
    let w2 = evens(highs(x0, x1), highs(x2, x3))
    let w3 = odds(highs(x0, x1), highs(x2, x3))
    x0 = wordsOf(at + 16, 0)
    x1 = wordsOf(at + 16, 1)
    x2 = wordsOf(at + 16, 2)
    x3 = wordsOf(at + 16, 3)
    let w4 = evens(lows(x0, x1), lows(x2, x3))
    let w5 = odds(lows(x0, x1), lows(x2, x3))
    let w6 = evens(highs(x0, x1), highs(x2, x3))
    let w7 = odds(highs(x0, x1), highs(x2, x3))
    x0 = wordsOf(at + 32, 0)
    x1 = wordsOf(at + 32, 1)
    x2 = wordsOf(at + 32, 2)
    x3 = wordsOf(at + 32, 3)
    let w8 = evens(lows(x0, x1), lows(x2, x3))
    let w9 = odds(lows(x0, x1), lows(x2, x3))
    let w10 = evens(highs(x0, x1), highs(x2, x3))
    let w11 = odds(highs(x0, x1), highs(x2, x3))
    x0 = wordsOf(at + 48, 0)
    x1 = wordsOf(at + 48, 1)
    x2 = wordsOf(at + 48, 2)
    x3 = wordsOf(at + 48, 3)
    let w12 = evens(lows(x0, x1), lows(x2, x3))
    let w13 = odds(lows(x0, x1), lows(x2, x3))
    let w14 = evens(highs(x0, x1), highs(x2, x3))
    let w15 = odds(highs(x0, x1), highs(x2, x3))
    let a = stateA
    let b = stateB
    let c = stateC
    let d = stateD
    let e = stateE
    let f = stateF
    let g = stateG
    let h = stateH
    let sum: v128
    let constants = ROUNDS
    while (true) {
      sum = first(e, f, g, h, constants, w0)
      d = add(d, sum)
      h = add(sum, second(a, b, c))
      sum = first(d, e, f, g, constants + 4, w1)
      c = add(c, sum)
      g = add(sum, second(h, a, b))
      sum = first(c, d, e, f, constants + 8, w2)
      b = add(b, sum)
      f = add(sum, second(g, h, a))
      sum = first(b, c, d, e, constants + 12, w3)
      a = add(a, sum)
      e = add(sum, second(f, g, h))
      sum = first(a, b, c, d, constants + 16, w4)
      h = add(h, sum)
      d = add(sum, second(e, f, g))
      sum = first(h, a, b, c, constants + 20, w5)
      g = add(g, sum)
      c = add(sum, second(d, e, f))
      sum = first(g, h, a, b, constants + 24, w6)
      f = add(f, sum)
      b = add(sum, second(c, d, e))
      sum = first(f, g, h, a, constants + 28, w7)
      e = add(e, sum)
      a = add(sum, second(b, c, d))
      sum = first(e, f, g, h, constants + 32, w8)
      d = add(d, sum)
      h = add(sum, second(a, b, c))
      sum = first(d, e, f, g, constants + 36, w9)
      c = add(c, sum)
      g = add(sum, second(h, a, b))
      sum = first(c, d, e, f, constants + 40, w10)
      b = add(b, sum)
      f = add(sum, second(g, h, a))
      sum = first(b, c, d, e, constants + 44, w11)
      a = add(a, sum)
      e = add(sum, second(f, g, h))
      sum = first(a, b, c, d, constants + 48, w12)
      h = add(h, sum)
      d = add(sum, second(e, f, g))
      sum = first(h, a, b, c, constants + 52, w13)
      g = add(g, sum)
      c = add(sum, second(d, e, f))
      sum = first(g, h, a, b, constants + 56, w14)
      f = add(f, sum)
      b = add(sum, second(c, d, e))
      sum = first(f, g, h, a, constants + 60, w15)
      e = add(e, sum)
      a = add(sum, second(b, c, d))
      constants += 64
      if (constants == ROUNDS + 256) break
      w0 = later(w0, w1, w9, w14)
      w1 = later(w1, w2, w10, w15)
      w2 = later(w2, w3, w11, w0)
      w3 = later(w3, w4, w12, w1)
      w4 = later(w4, w5, w13, w2)
      w5 = later(w5, w6, w14, w3)
      w6 = later(w6, w7, w15, w4)
      w7 = later(w7, w8, w0, w5)
      w8 = later(w8, w9, w1, w6)
      w9 = later(w9, w10, w2, w7)
      w10 = later(w10, w11, w3, w8)
      w11 = later(w11, w12, w4, w9)
      w12 = later(w12, w13, w5, w10)
      w13 = later(w13, w14, w6, w11)
      w14 = later(w14, w15, w7, w12)
      w15 = later(w15, w0, w8, w13)
    }
    stateA = add(stateA, a)
    stateB = add(stateB, b)
    stateC = add(stateC, c)
    stateD = add(stateD, d)
    stateE = add(stateE, e)
    stateF = add(stateF, f)
    stateG = add(stateG, g)
    stateH = add(stateH, h)
  }
  put(o0, o1, o2, o3, stateA, stateB, stateC, stateD)
  put(o0 + 16, o1 + 16, o2 + 16, o3 + 16, stateE, stateF, stateG, stateH)
}
