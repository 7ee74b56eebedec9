/** Progress of an upgrade: its steps, and the keys that they write. */
import type { Report } from '../../primitives/progress.ts'
import type { Branch, RunEntry } from '../../store/types.ts'

interface Steps {
  /** Returns the same branch, which counts the keys that are set or deleted. */
  over(branch: Branch): Branch
  /** Says how many keys the step in progress writes, of which it is then a share. */
  expectKeys(count: number): void
  /** Ends a step. */
  end(): void
  /** Ends all steps. */
  endAll(): void
}

/**
 * Counts the steps of an upgrade, and the share of a step that has said how many keys it writes. A handler that runs a migration twice
 * has more steps than declared, which do not count.
 */
export function countSteps(total: number, report: Report): Steps {
  let ended = 0
  let keys = 0
  /** Keys before the step in progress, and those that it will write; 0 if it has not said how many. */
  let keysBefore = 0
  let expected = 0
  let done = 0

  function tell(): void {
    const share = expected > 0 ? Math.min(1, (keys - keysBefore) / expected) : 0
    done = Math.max(done, Math.min(total, ended + share))
    report(done, total, { keys })
  }
  function count(): void {
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
    expectKeys(count) {
      expected = count
    },
    end() {
      // The last step ends when all do.
      if (ended < total - 1) ended++
      keysBefore = keys
      expected = 0
      tell()
    },
    endAll() {
      ended = total
      tell()
    },
  }
}
