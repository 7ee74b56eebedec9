/** Limits of integers. */

/** Maximum of a signed 64-bit integer. */
export const MAX_INT64: bigint = (1n << 63n) - 1n
