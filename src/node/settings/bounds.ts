/** Bounds that several settings share. */
export const port = { min: 0, max: 65_535 }
export const host = { min: 1 }
export const count = { min: 0, max: 1_000_000_000 }
export const HOUR_MS = 3_600_000
/** Upper bound of a memory size, more than any machine has. */
export const MAX_BYTES = 2 ** 40
