/** Progress of a genesis: the entries of its document that are read and written. */
import { MAX_JSON_LEVELS } from '../primitives/nesting.ts'
import type { Report } from '../primitives/progress.ts'
import type { ElementCounter } from '../sdk/json.ts'
import type { Branch } from '../store/types.ts'
import type { GenesisDocument } from './types.ts'

export interface GenesisEntries {
  /** Counts the entries that are read from the section in progress. */
  readonly elements: ElementCounter
  /** Returns the same branch, which counts the writes of the section in progress. */
  over(branch: Branch): Branch
  /** Runs the genesis of a section, whose entries are all done at its end. */
  during(name: string, run: () => void): void
}

/**
 * Counts the entries of a value: the elements of its lists, and instead of an element with lists of its own, their elements. Levels
 * that no module reads count nothing. Bounded by: `MAX_JSON_LEVELS`.
 */
export function countEntries(value: unknown, level = 0): number {
  if (typeof value !== 'object' || value === null || level > MAX_JSON_LEVELS) return 0
  const isList = Array.isArray(value)
  let count = 0
  for (const part of isList ? value : Object.values(value)) {
    const within = countEntries(part, level + 1)
    count += isList && within === 0 ? 1 : within
  }
  return count
}

/**
 * Watches the genesis of the named sections. An entry is done by half when it is read, and by half when it is written. An entry
 * can write to several collections, such as a balance and its index, so the collection with the most writes counts.
 */
export function watchEntries(document: GenesisDocument, names: readonly string[], report: Report): GenesisEntries {
  const sizes = new Map(names.map((name) => [name, countEntries(document.app_state[name])]))
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  /** Entries of the sections before, and of the one in progress. */
  let before = 0
  let size = 0
  let read = 0
  let written = 0
  let last = 0
  const writes = new Map<string, number>()

  function tell(): void {
    const done = before + Math.floor((Math.min(read, size) + Math.min(written, size)) / 2)
    if (done === last) return
    last = done
    report(done, total)
  }

  function countWrite(store: string, key: Uint8Array): void {
    const collection = `${store} ${key[0]}`
    const count = (writes.get(collection) ?? 0) + 1
    writes.set(collection, count)
    if (count <= written) return
    written = count
    tell()
  }

  return {
    elements: {
      get count() {
        return read
      },
      add() {
        read++
        tell()
      },
    },
    over: (branch) => ({
      ...branch,
      set(store, key, value) {
        branch.set(store, key, value)
        countWrite(store, key)
      },
    }),
    during(name, run) {
      read = 0
      written = 0
      writes.clear()
      size = sizes.get(name) ?? 0
      run()
      before += size
      size = 0
      tell()
    },
  }
}
