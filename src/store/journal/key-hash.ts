/**
 * HalfSipHash-1-3 of a key. Without the secret an attacker cannot choose keys with equal hashes, which would make a table slow.
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", the variant with words of 32 bits.
 */

/** 64 random bits. They affect memory layout only. */
export type HashSecret = readonly [number, number]

/** Returns the hash of `length` bytes from `at` on, as a signed 32-bit number. */
export function hashKey(bytes: Uint8Array, at: number, length: number, [key0, key1]: HashSecret): number {
  let v0 = key0 | 0
  let v1 = key1 | 0
  let v2 = 0x6c796765 ^ key0
  let v3 = 0x74656462 ^ key1
  let i = at
  // One round per word, one for the remaining bytes and the length, three to finish.
  for (let round = -(length >>> 2); round < 4; round++) {
    let word = 0
    if (round < 0) {
      word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
      i += 4
    } else if (round === 0) {
      word = length << 24
      for (let shift = 0; i < at + length; shift += 8) word |= bytes[i++]! << shift
    } else if (round === 1) v2 ^= 0xff
    v3 ^= word
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
    v0 ^= word
  }
  return v1 ^ v3
}
