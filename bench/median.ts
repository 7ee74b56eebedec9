/** The middle of an odd number of values; of an even number, the higher of the two. */
export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!
