/** Keccak-256 for the host. A separate module without imports. */
import { keccak } from '../keccak'
import { SPONGE } from '../layout'

/** The address of the input, which the host writes after growing the memory as needed; the 32-byte hash is at OUTPUT. */
export const INPUT: usize = 0x11000
export const OUTPUT: usize = SPONGE

/** Hashes `length` bytes at INPUT. */
export function hash(length: u32): void {
  keccak(INPUT, length)
}
