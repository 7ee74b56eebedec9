/** Questions about many heights, a few at a time, so that a page does not burden its node. */

/** Questions that wait for an answer at once. */
const AT_ONCE = 4

/** Maps items in parallel, at most four at a time, in their order. Rejects with the first failure, and starts no more then. */
export async function mapFew<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length)
  let next = 0
  let isFailed = false
  const work = async (): Promise<void> => {
    while (next < items.length && !isFailed) {
      const index = next++
      try {
        results[index] = await map(items[index]!, index)
      } catch (error) {
        isFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work))
  return results
}

/** Returns at most `count` heights from `first` to `last`, both included, at even distances. */
export function sampleHeights(first: bigint, last: bigint, count: number): bigint[] {
  if (last < first || count < 1) return []
  const span = last - first
  if (span < BigInt(count)) return Array.from({ length: Number(span) + 1 }, (_, i) => first + BigInt(i))
  if (count === 1) return [last]
  return Array.from({ length: count }, (_, i) => first + (span * BigInt(i)) / BigInt(count - 1))
}

/**
 * Finds the heights in (first, last] at which a text that `read` returns differs from the height before, by bisection. It asks at
 * most `budget` heights; `isComplete` is false if that was not enough. A value that changes and changes back between two
 * heights that were asked is not seen.
 */
export async function findChanges(
  first: bigint,
  last: bigint,
  read: (height: bigint) => Promise<string>,
  budget: number,
): Promise<{ readonly heights: readonly bigint[]; readonly isComplete: boolean }> {
  let left = budget - 2
  const heights: bigint[] = []
  let isComplete = true
  const [start, end] = await Promise.all([read(first), read(last)])
  const spans = [{ from: first, to: last, before: start, after: end }]
  for (let span = spans.pop(); span; span = spans.pop()) {
    const { from, to, before, after } = span
    if (before === after) continue
    if (to - from <= 1n) {
      heights.push(to)
      continue
    }
    if (left <= 0) {
      isComplete = false
      continue
    }
    left--
    const middle = (from + to) / 2n
    const between = await read(middle)
    spans.push({ from: middle, to, before: between, after }, { from, to: middle, before, after: between })
  }
  return { heights: heights.sort((a, b) => (a < b ? -1 : 1)), isComplete }
}
