/** Limits of integers. */

/** Maximum of a signed 64-bit integer. */
export const MAX_INT64: bigint = (1n << 63n) - 1n

/** Maximum of a word of the EVM, 256 bits. */
export const MAX_WORD: bigint = (1n << 256n) - 1n
