/** The last height with the same block here and at a node that went back. */

/**
 * Resolves with the last height from `earliest` to `newest` that both have; with `earliest - 1` if no height is common. Equal
 * blocks have equal ones below, so that few are asked for: in steps downwards that double, then between two of them.
 */
export async function lastCommon(
  earliest: bigint,
  newest: bigint,
  isCommon: (height: bigint) => Promise<boolean>,
): Promise<bigint> {
  let other = newest + 1n
  let common = newest
  for (let stride = 1n; !(await isCommon(common)); stride *= 2n) {
    if (common === earliest) return earliest - 1n
    other = common
    common = common - stride > earliest ? common - stride : earliest
  }
  while (other - common > 1n) {
    const middle = (common + other) / 2n
    if (await isCommon(middle)) common = middle
    else other = middle
  }
  return common
}
