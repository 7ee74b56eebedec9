/** Items sorted by their texts, in arrays short enough to insert into. */
import { toKey } from '../../primitives/bytes.ts'
import type { Range } from '../types.ts'

/** An item with a key in the form of `toKey`. */
export interface Texted {
  readonly text: string
}

export interface Sorted<Item extends Texted> {
  /** Adds an item. Its text must be new. */
  insert(item: Item): void
  /** Removes the item with a text. It must exist. */
  remove(text: string): void
  /** Yields the items in a range of keys. Items added or removed meanwhile do not disturb it. */
  walk(range: Range): IterableIterator<Item>
}

const RUN_LENGTH = 512

/** A position before the item `at` of a run. */
interface Position {
  readonly run: number
  readonly at: number
}

/** Returns the index of the first item that is not before a text. */
function firstFrom(run: readonly Texted[], text: string): number {
  let low = 0
  let high = run.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (run[middle]!.text < text) low = middle + 1
    else high = middle
  }
  return low
}

export function createSorted<Item extends Texted>(): Sorted<Item> {
  const runs: Item[][] = []
  /** Modification count; iterators use it to detect changes. */
  let revision = 0

  /** Index of the run that was found last. Consecutive accesses are often near each other. */
  let latest = 0

  /** Returns the index of the run that contains the text, or where it belongs. */
  function runOf(text: string): number {
    if (isIn(latest, text)) return latest
    let low = 0
    let high = runs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (runs[middle]![0]!.text <= text) low = middle
      else high = middle - 1
    }
    latest = low
    return low
  }

  function isIn(run: number, text: string): boolean {
    const [first, next] = [runs[run]?.[0], runs[run + 1]?.[0]]
    return first !== undefined && first.text <= text && (next === undefined || text < next.text)
  }

  function seek(text: string): Position {
    if (runs.length === 0) return { run: 0, at: 0 }
    const run = runOf(text)
    const at = firstFrom(runs[run]!, text)
    return at === runs[run]!.length ? { run: run + 1, at: 0 } : { run, at }
  }

  function before({ run, at }: Position): Position {
    return at > 0 ? { run, at: at - 1 } : { run: run - 1, at: (runs[run - 1]?.length ?? 0) - 1 }
  }

  function after({ run, at }: Position): Position {
    return at + 1 < runs[run]!.length ? { run, at: at + 1 } : { run: run + 1, at: 0 }
  }

  return {
    insert(item) {
      revision++
      const { text } = item
      if (runs.length === 0) {
        runs.push([item])
        return
      }
      const index = runOf(text)
      const run = runs[index]!
      run.splice(firstFrom(run, text), 0, item)
      if (run.length <= RUN_LENGTH) return
      // Items that arrive in order fill their runs.
      const isLast = index === runs.length - 1 && run.at(-1) === item
      runs.splice(index + 1, 0, run.splice(isLast ? RUN_LENGTH : RUN_LENGTH >>> 1))
    },
    remove(text) {
      revision++
      const index = runOf(text)
      const run = runs[index]!
      run.splice(firstFrom(run, text), 1)
      if (run.length === 0) runs.splice(index, 1)
    },
    *walk({ start, end, reverse }) {
      const first = start ? toKey(start) : ''
      const last = end && toKey(end)
      let known = revision
      let position = reverse ? (last === undefined ? { run: runs.length, at: 0 } : seek(last)) : seek(first)
      for (;;) {
        if (reverse) position = before(position)
        const item = runs[position.run]?.[position.at]
        if (!item) return
        const { text } = item
        if (reverse ? text < first : last !== undefined && text >= last) return
        yield item
        if (revision !== known) {
          known = revision
          position = seek(reverse ? text : `${text}\0`)
        } else if (!reverse) position = after(position)
      }
    },
  }
}
