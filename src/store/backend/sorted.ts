/** Items in the order of their texts, in runs that are short enough to insert into. */
import { toKey } from '../../primitives/bytes.ts'
import type { Range } from '../types.ts'

/** What has a key in the form of `toKey`. */
export interface Texted {
  readonly text: string
}

export interface Sorted<Item extends Texted> {
  /** Adds an item whose text none has. */
  insert(item: Item): void
  /** Removes the item with a text, which one has. */
  remove(text: string): void
  /** Those in a range of keys. Goes on where it was when others come and go meanwhile. */
  walk(range: Range): IterableIterator<Item>
}

const RUN_LENGTH = 512

/** Before which text of which run. */
interface Spot {
  readonly run: number
  readonly at: number
}

/** Index of the first item that is not before a text. */
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
  /** Counts what comes and goes, so that a walk knows when its spot has moved. */
  let revision = 0

  /** Index of the run that was found last: what follows one another often lies together. */
  let latest = 0

  /** Index of the run that holds the text, or would. */
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

  function seek(text: string): Spot {
    if (runs.length === 0) return { run: 0, at: 0 }
    const run = runOf(text)
    const at = firstFrom(runs[run]!, text)
    return at === runs[run]!.length ? { run: run + 1, at: 0 } : { run, at }
  }

  function before({ run, at }: Spot): Spot {
    return at > 0 ? { run, at: at - 1 } : { run: run - 1, at: (runs[run - 1]?.length ?? 0) - 1 }
  }

  function behind({ run, at }: Spot): Spot {
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
      let spot = reverse ? (last === undefined ? { run: runs.length, at: 0 } : seek(last)) : seek(first)
      for (;;) {
        if (reverse) spot = before(spot)
        const item = runs[spot.run]?.[spot.at]
        if (!item) return
        const { text } = item
        if (reverse ? text < first : last !== undefined && text >= last) return
        yield item
        if (revision !== known) {
          known = revision
          spot = seek(reverse ? text : `${text}\0`)
        } else if (!reverse) spot = behind(spot)
      }
    },
  }
}
