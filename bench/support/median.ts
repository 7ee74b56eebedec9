/** Returns the middle value; for an even number of values, the higher of the two in the middle. */
export const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!
