/** The bytes that anvil draws for a seed: ChaCha with 12 rounds, keyed by PCG32, as in Rust's `StdRng::seed_from_u64`. */

const PCG_MULTIPLIER = 6364136223846793005n
const PCG_INCREMENT = 11634580027462260723n
const MASK_64 = (1n << 64n) - 1n
const ROUND_PAIRS = 6
/** "expand 32-byte k". */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]

const rotateLeft = (word: number, by: number): number => ((word << by) | (word >>> (32 - by))) >>> 0

/** Returns the eight words of the key that a seed expands to. */
function keyOf(seed: bigint): number[] {
  let state = seed
  return Array.from({ length: 8 }, () => {
    state = (state * PCG_MULTIPLIER + PCG_INCREMENT) & MASK_64
    const shifted = Number((((state >> 18n) ^ state) >> 27n) & 0xffff_ffffn)
    const turns = Number(state >> 59n)
    return turns === 0 ? shifted : rotateLeft(shifted, 32 - turns)
  })
}

function quarterRound(words: Uint32Array, a: number, b: number, c: number, d: number): void {
  words[a]! += words[b]!
  words[d] = rotateLeft(words[d]! ^ words[a]!, 16)
  words[c]! += words[d]!
  words[b] = rotateLeft(words[b]! ^ words[c]!, 12)
  words[a]! += words[b]!
  words[d] = rotateLeft(words[d]! ^ words[a]!, 8)
  words[c]! += words[d]!
  words[b] = rotateLeft(words[b]! ^ words[c]!, 7)
}

/** Returns the first bytes that anvil draws for a 64-bit seed, at most 16: the lowest byte of each word of the generator. */
export function seededBytes(seed: bigint, length: number): Uint8Array {
  const start = Uint32Array.from([...CONSTANTS, ...keyOf(seed), 0, 0, 0, 0])
  const words = start.slice()
  for (let pair = 0; pair < ROUND_PAIRS; pair++) {
    for (let column = 0; column < 4; column++) quarterRound(words, column, column + 4, column + 8, column + 12)
    quarterRound(words, 0, 5, 10, 15)
    quarterRound(words, 1, 6, 11, 12)
    quarterRound(words, 2, 7, 8, 13)
    quarterRound(words, 3, 4, 9, 14)
  }
  return Uint8Array.from({ length }, (_, i) => words[i]! + start[i]!)
}
