/** Texts in order, in runs that are short enough to insert into. */
import { toKey } from '../primitives/bytes.ts'
import { lowerBound } from './order.ts'
import type { Range } from './types.ts'

export interface SortedTexts {
  /** Adds a text that is not among them. */
  insert(text: string): void
  /** Removes a text that is among them. */
  remove(text: string): void
  /** Those of a range of keys, in the form of `toKey`. Goes on where it was when others come and go meanwhile. */
  walk(range: Range): IterableIterator<string>
}

const RUN_LENGTH = 512

/** Before which text of which run. */
interface Spot {
  readonly run: number
  readonly at: number
}

export function createSortedTexts(): SortedTexts {
  const runs: string[][] = []
  /** Counts what comes and goes, so that a walk knows when its spot has moved. */
  let revision = 0

  /** Index of the run that holds the text, or would. */
  function runOf(text: string): number {
    let low = 0
    let high = runs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (runs[middle]![0]! <= text) low = middle
      else high = middle - 1
    }
    return low
  }

  function seek(text: string): Spot {
    if (runs.length === 0) return { run: 0, at: 0 }
    const run = runOf(text)
    const at = lowerBound(runs[run]!, text)
    return at === runs[run]!.length ? { run: run + 1, at: 0 } : { run, at }
  }

  function before({ run, at }: Spot): Spot {
    return at > 0 ? { run, at: at - 1 } : { run: run - 1, at: (runs[run - 1]?.length ?? 0) - 1 }
  }

  function behind({ run, at }: Spot): Spot {
    return at + 1 < runs[run]!.length ? { run, at: at + 1 } : { run: run + 1, at: 0 }
  }

  return {
    insert(text) {
      revision++
      if (runs.length === 0) {
        runs.push([text])
        return
      }
      const index = runOf(text)
      const run = runs[index]!
      run.splice(lowerBound(run, text), 0, text)
      if (run.length <= RUN_LENGTH) return
      // Texts that arrive in order fill their runs.
      const isLast = index === runs.length - 1 && run.at(-1) === text
      runs.splice(index + 1, 0, run.splice(isLast ? RUN_LENGTH : RUN_LENGTH >>> 1))
    },
    remove(text) {
      revision++
      const index = runOf(text)
      const run = runs[index]!
      run.splice(lowerBound(run, text), 1)
      if (run.length === 0) runs.splice(index, 1)
    },
    *walk({ start, end, reverse }) {
      const first = start ? toKey(start) : ''
      const last = end && toKey(end)
      let known = revision
      let spot = reverse ? (last === undefined ? { run: runs.length, at: 0 } : seek(last)) : seek(first)
      for (;;) {
        if (reverse) spot = before(spot)
        const text = runs[spot.run]?.[spot.at]
        if (text === undefined || (reverse ? text < first : last !== undefined && text >= last)) return
        yield text
        if (revision !== known) {
          known = revision
          spot = seek(reverse ? text : `${text}\0`)
        } else if (!reverse) spot = behind(spot)
      }
    },
  }
}
