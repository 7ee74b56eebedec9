/** Keccak-256 for the host, in a module of its own, without imports. */
import { keccak } from '../keccak'
import { SPONGE } from '../layout'

/** Where the host puts what is hashed, the memory grown as needed, and finds the 32 bytes of the hash. */
export const INPUT: usize = 0x11000
export const OUTPUT: usize = SPONGE

/** Hashes `length` bytes at INPUT. */
export function hash(length: u32): void {
  keccak(INPUT, length)
}
