/** The compression function of BLAKE2b with a free number of rounds (EIP-152). */

/** The address of the input without its rounds, which the host writes: h (64), m (128), t (16). The result replaces h. */
export const INPUT: usize = memory.data(256, 16)
const MESSAGE: usize = INPUT + 64
const COUNTER: usize = INPUT + 192

const IV0: u64 = 0x6a09e667f3bcc908
const IV1: u64 = 0xbb67ae8584caa73b
const IV2: u64 = 0x3c6ef372fe94f82b
const IV3: u64 = 0xa54ff53a5f1d36f1
const IV4: u64 = 0x510e527fade682d1
const IV5: u64 = 0x9b05688c2b3e6c1f
const IV6: u64 = 0x1f83d9abfb41bd6b
const IV7: u64 = 0x5be0cd19137e2179

/** The order of the message words by round, ten rounds, as offsets in bytes. */
// prettier-ignore
const SIGMA: usize = memory.data<u8>([
  0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
  112, 80, 32, 64, 72, 120, 104, 48, 8, 96, 0, 16, 88, 56, 40, 24,
  88, 64, 96, 0, 40, 16, 120, 104, 80, 112, 24, 48, 56, 8, 72, 32,
  56, 72, 24, 8, 104, 96, 88, 112, 16, 48, 40, 80, 32, 0, 120, 64,
  72, 0, 40, 56, 16, 32, 80, 120, 112, 8, 88, 96, 48, 64, 24, 104,
  16, 96, 48, 80, 0, 88, 64, 24, 32, 104, 56, 40, 120, 112, 8, 72,
  96, 40, 8, 120, 112, 104, 32, 80, 0, 56, 48, 24, 72, 16, 64, 88,
  104, 88, 56, 112, 96, 8, 24, 72, 40, 0, 120, 32, 64, 48, 16, 80,
  48, 120, 112, 72, 88, 24, 0, 64, 96, 16, 104, 56, 8, 32, 80, 40,
  80, 16, 64, 32, 56, 48, 8, 40, 120, 88, 72, 112, 24, 96, 104, 0,
])

// @ts-ignore: decorator
@inline
function message(row: usize, index: usize): u64 {
  return load<u64>(MESSAGE + <usize>load<u8>(row + index))
}

/** Runs `rounds` rounds over INPUT. */
export function compressBlake2b(rounds: u32, isFinal: bool): void {
  const h0 = load<u64>(INPUT), h1 = load<u64>(INPUT, 8), h2 = load<u64>(INPUT, 16), h3 = load<u64>(INPUT, 24)
  const h4 = load<u64>(INPUT, 32), h5 = load<u64>(INPUT, 40), h6 = load<u64>(INPUT, 48), h7 = load<u64>(INPUT, 56)
  let v0 = h0, v1 = h1, v2 = h2, v3 = h3, v4 = h4, v5 = h5, v6 = h6, v7 = h7
  let v8 = IV0, v9 = IV1, v10 = IV2, v11 = IV3
  let v12 = IV4 ^ load<u64>(COUNTER), v13 = IV5 ^ load<u64>(COUNTER, 8)
  let v14 = isFinal ? ~IV6 : IV6, v15 = IV7
  let row: usize = SIGMA
  for (let round: u32 = 0; round < rounds; round++) {
    v0 += v4 + message(row, 0)
    v12 = rotr(v12 ^ v0, 32)
    v8 += v12
    v4 = rotr(v4 ^ v8, 24)
    v0 += v4 + message(row, 1)
    v12 = rotr(v12 ^ v0, 16)
    v8 += v12
    v4 = rotr(v4 ^ v8, 63)
    v1 += v5 + message(row, 2)
    v13 = rotr(v13 ^ v1, 32)
    v9 += v13
    v5 = rotr(v5 ^ v9, 24)
    v1 += v5 + message(row, 3)
    v13 = rotr(v13 ^ v1, 16)
    v9 += v13
    v5 = rotr(v5 ^ v9, 63)
    v2 += v6 + message(row, 4)
    v14 = rotr(v14 ^ v2, 32)
    v10 += v14
    v6 = rotr(v6 ^ v10, 24)
    v2 += v6 + message(row, 5)
    v14 = rotr(v14 ^ v2, 16)
    v10 += v14
    v6 = rotr(v6 ^ v10, 63)
    v3 += v7 + message(row, 6)
    v15 = rotr(v15 ^ v3, 32)
    v11 += v15
    v7 = rotr(v7 ^ v11, 24)
    v3 += v7 + message(row, 7)
    v15 = rotr(v15 ^ v3, 16)
    v11 += v15
    v7 = rotr(v7 ^ v11, 63)
    v0 += v5 + message(row, 8)
    v15 = rotr(v15 ^ v0, 32)
    v10 += v15
    v5 = rotr(v5 ^ v10, 24)
    v0 += v5 + message(row, 9)
    v15 = rotr(v15 ^ v0, 16)
    v10 += v15
    v5 = rotr(v5 ^ v10, 63)
    v1 += v6 + message(row, 10)
    v12 = rotr(v12 ^ v1, 32)
    v11 += v12
    v6 = rotr(v6 ^ v11, 24)
    v1 += v6 + message(row, 11)
    v12 = rotr(v12 ^ v1, 16)
    v11 += v12
    v6 = rotr(v6 ^ v11, 63)
    v2 += v7 + message(row, 12)
    v13 = rotr(v13 ^ v2, 32)
    v8 += v13
    v7 = rotr(v7 ^ v8, 24)
    v2 += v7 + message(row, 13)
    v13 = rotr(v13 ^ v2, 16)
    v8 += v13
    v7 = rotr(v7 ^ v8, 63)
    v3 += v4 + message(row, 14)
    v14 = rotr(v14 ^ v3, 32)
    v9 += v14
    v4 = rotr(v4 ^ v9, 24)
    v3 += v4 + message(row, 15)
    v14 = rotr(v14 ^ v3, 16)
    v9 += v14
    v4 = rotr(v4 ^ v9, 63)
    row = row == SIGMA + 144 ? SIGMA : row + 16
  }
  store<u64>(INPUT, h0 ^ v0 ^ v8)
  store<u64>(INPUT, h1 ^ v1 ^ v9, 8)
  store<u64>(INPUT, h2 ^ v2 ^ v10, 16)
  store<u64>(INPUT, h3 ^ v3 ^ v11, 24)
  store<u64>(INPUT, h4 ^ v4 ^ v12, 32)
  store<u64>(INPUT, h5 ^ v5 ^ v13, 40)
  store<u64>(INPUT, h6 ^ v6 ^ v14, 48)
  store<u64>(INPUT, h7 ^ v7 ^ v15, 56)
}
