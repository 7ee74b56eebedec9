/**
 * HalfSipHash-1-3 of a key: who does not know the secret cannot make keys whose hashes are equal, which would make a table
 * slow. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", in its form with words of 32 bits.
 */

/** Chance of 64 bits. What is computed with another secret comes out the same, only in other places of memory. */
export type HashSecret = readonly [number, number]

/** Hash of the bytes from `at` on, as a signed number of 32 bits. */
export function hashKey(bytes: Uint8Array, at: number, length: number, [key0, key1]: HashSecret): number {
  let v0 = key0 | 0
  let v1 = key1 | 0
  let v2 = 0x6c796765 ^ key0
  let v3 = 0x74656462 ^ key1
  const end = at + length
  const words = at + (length & ~3)
  let i = at
  for (; i < words; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
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
  let last = length << 24
  for (let shift = 0; i < end; shift += 8) last |= bytes[i++]! << shift
  v3 ^= last
  // One round for the last word, three to end.
  for (let round = 0; round < 4; round++) {
    if (round === 1) {
      v0 ^= last
      v2 ^= 0xff
    }
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
  }
  return v1 ^ v3
}
