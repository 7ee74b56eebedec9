/** The work of one block in the store: changes to the trees, and rows of state and trees for its commit. */
import type { Report } from '../primitives/progress.ts'
import type { Backend } from './backend/backend.ts'
import { createStateRows } from './history/state-rows.ts'
import { changesStores, type StoreChanges } from './history/store-changes.ts'
import { readRefs } from './history/version-refs.ts'
import { createByteArena } from './journal/byte-arena.ts'
import type { Latest } from './latest.ts'
import { HEAD } from './tables.ts'
import type { Trees } from './tree/trees.ts'
import type { Change, Entry, Staged, TableWrite } from './types.ts'

/** The state changes of one block. */
export interface BlockChanges {
  /** One more than the latest height; any positive height in an empty store. */
  readonly height: bigint
  /** Sorted by store and key, each key once, as `Branch.changes` returns them. The first block's include genesis. */
  readonly changes: readonly Change[]
  /** Runs of writes below the changes, as `Branch.staged` returns them. */
  readonly staged?: Staged | undefined
  /** Stores that an upgrade adds, renames or deletes in this block; the changes use the new names. */
  readonly stores?: StoreChanges | undefined
  /** Receives the changes that are written, unless the block changes the stores or has runs. */
  readonly report?: Report | undefined
}

/** A block whose changes are applied to the trees, with its rows in two parts. */
export interface BlockWork {
  /** Finishes the trees, once. */
  appHash(): Uint8Array
  stateRows(): Iterable<TableWrite>
  /** Rows of the trees, after `appHash`. */
  treeRows(): Iterable<TableWrite>
  /** Whether the commit also prunes. */
  readonly prunes: boolean
  /** Stops work that has not finished. Does nothing after `appHash`. */
  abort(): void
}

export interface BlockWorks {
  /** Applies a block to the trees. Throws a `RangeError` for a key that is too long. */
  begin(trees: Trees, block: BlockChanges): BlockWork
}

export function createBlockWorks(backend: Backend, latest: Latest): BlockWorks {
  const arena = createByteArena()
  const logArena = createByteArena()

  function* stateRows(
    height: number,
    changes: Iterable<Change>,
    onChange: () => void = () => {},
  ): IterableIterator<TableWrite> {
    const { numberFor } = latest.registry
    const state = createStateRows({
      backend,
      height,
      logFrom: latest.tip.logFrom,
      numberFor,
      arena,
      logArena,
    })
    for (const change of changes) {
      yield* state.of(change)
      onChange()
    }
    yield* state.end()
  }

  /** Applies a block to the trees. A helper thread may work on them until `appHash` is called. */
  function beginSmall(trees: Trees, { height: at, changes, report }: BlockChanges): BlockWork {
    const height = Number(at)
    let written = 0
    const onChange = report && (() => report(++written, changes.length))
    const treeCommit = trees.begin(height, changes)
    let finished: ReturnType<typeof treeCommit.finish> | undefined
    const finish = () => {
      finished ??= treeCommit.finish()
      return finished
    }
    return {
      appHash: () => finish().appHash,
      stateRows: () => stateRows(height, changes, onChange),
      treeRows: () => finish().rows,
      prunes: true,
      abort: treeCommit.abort,
    }
  }

  /**
   * Applies a block that changes the stores, or is too large for memory. It is read from its runs twice, once for the trees
   * and once for the state. Tree pages go to disk first, under numbers that nothing refers to before the commit.
   */
  function beginLarge(trees: Trees, { height: at, changes, staged, stores = {} }: BlockChanges): BlockWork {
    const height = Number(at)
    const { registry, tip } = latest
    const all = () => staged?.changes(changes) ?? changes
    const before = registry.eraAt(tip.height)
    const registered = changesStores(stores) ? [registry.begin(height, stores)] : []
    const treeCommit = trees.beginStreaming({
      height,
      order: registry.eraAt(height).order,
      renamed: new Map(stores.renamed?.map(({ from, to }) => [to, from])),
      entriesOf: (store) => latestEntries(before.numbers.get(store)),
    })
    function* pages(): IterableIterator<TableWrite> {
      yield* treeCommit.begin()
      for (const change of all()) yield* treeCommit.apply(change)
    }
    backend.write(pages())
    const { appHash, rows } = treeCommit.finish()
    return {
      appHash: () => appHash,
      *stateRows() {
        yield* registered
        yield* stateRows(height, all())
      },
      *treeRows() {
        yield* rows
        if (staged) yield* staged.clearing()
      },
      prunes: false,
      abort() {},
    }
  }

  /** Yields the entries of a store at the latest height, by its number. */
  function* latestEntries(number: number | undefined): IterableIterator<Entry> {
    if (number === undefined) return
    const range = { start: Uint8Array.of(number), end: Uint8Array.of(number + 1) }
    for (const [key, bytes] of backend.iterate(HEAD, range))
      yield [key.subarray(1), bytes.subarray(readRefs(bytes).end)]
  }

  return {
    begin(trees, block) {
      const { staged, stores } = block
      const isLarge = staged !== undefined || (stores !== undefined && changesStores(stores))
      return isLarge ? beginLarge(trees, block) : beginSmall(trees, block)
    },
  }
}
