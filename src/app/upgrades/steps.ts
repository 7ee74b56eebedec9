/** Progress of an upgrade: its steps, and the keys that they write. */
import type { Report } from '../../primitives/progress.ts'
import type { Branch, RunEntry } from '../../store/types.ts'

interface Steps {
  /** Returns the same branch, which counts the keys that are set or deleted. */
  over(branch: Branch): Branch
  /** Ends a step. */
  end(): void
  /** Ends all steps. */
  endAll(): void
}

/** Counts the steps of an upgrade. A handler that runs a migration twice has more steps than declared, which do not count. */
export function countSteps(total: number, report: Report): Steps {
  let done = 0
  let keys = 0
  const tell = (): void => report(done, total, { keys })
  const count = (): void => {
    keys++
    tell()
  }
  function* counted(entries: Iterable<RunEntry>): IterableIterator<RunEntry> {
    for (const entry of entries) {
      yield entry
      count()
    }
  }
  return {
    over: (branch) => ({
      ...branch,
      set(store, key, value) {
        branch.set(store, key, value)
        count()
      },
      delete(store, key) {
        branch.delete(store, key)
        count()
      },
      writeRun: (store, entries) => branch.writeRun(store, counted(entries)),
    }),
    end() {
      // The last step is done when all are.
      if (done < total - 1) done++
      tell()
    },
    endAll() {
      done = total
      tell()
    },
  }
}
