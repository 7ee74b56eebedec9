/** Comparison of our writes of a block with the recorded ones, key by key. */
import { equal, toKey } from '../src/primitives/bytes.ts'
import type { Change, Reader } from '../src/store/types.ts'
import type { ExcludedBy } from './exclusions.ts'

/** `noOp`: one side wrote the value that the key had already, and the other side did not write the key. */
type Kind = 'value' | 'ours only' | 'recorded only' | 'noOp'

export interface KeyDifference {
  readonly store: string
  readonly key: Uint8Array
  readonly kind: Kind
  readonly parent: Uint8Array | undefined
  /** Undefined: not written. `null`: deleted. */
  readonly ours: Uint8Array | null | undefined
  readonly recorded: Uint8Array | null | undefined
}

export interface StoreTally {
  /** Keys compared. */
  compared: number
  equal: number
  /** Keys that are excluded from the comparison, counted by module. */
  readonly excluded: Map<string, number>
}

export interface Comparison {
  readonly stores: ReadonlyMap<string, StoreTally>
  readonly differences: readonly KeyDifference[]
}

interface Sides {
  readonly key: Uint8Array
  ours?: Uint8Array | null
  recorded?: Uint8Array | null
}

function groupByStore(
  changes: readonly Change[],
  side: 'ours' | 'recorded',
  into: Map<string, Map<string, Sides>>,
): void {
  for (const { store, key, value } of changes) {
    const keys = into.get(store) ?? new Map<string, Sides>()
    into.set(store, keys)
    const text = toKey(key)
    const sides: Sides = keys.get(text) ?? { key }
    sides[side] = value ?? null
    keys.set(text, sides)
  }
}

const same = (a: Uint8Array | null | undefined, b: Uint8Array | null | undefined): boolean =>
  a && b ? equal(a, b) : a === b

/** Compares two lists of writes over the same parent state. `excludedBy` returns the module that excludes a key. */
export function compareChanges(
  ours: readonly Change[],
  recorded: readonly Change[],
  parent: Reader,
  excludedBy: ExcludedBy,
): Comparison {
  const sides = new Map<string, Map<string, Sides>>()
  groupByStore(recorded, 'recorded', sides)
  groupByStore(ours, 'ours', sides)
  const stores = new Map<string, StoreTally>()
  const differences: KeyDifference[] = []
  for (const [store, keys] of sides) {
    const tally: StoreTally = { compared: 0, equal: 0, excluded: new Map() }
    stores.set(store, tally)
    for (const { key, ours: mine, recorded: theirs } of keys.values()) {
      const module = excludedBy(store, key)
      if (module !== undefined) {
        tally.excluded.set(module, (tally.excluded.get(module) ?? 0) + 1)
        continue
      }
      tally.compared++
      if (same(mine, theirs)) {
        tally.equal++
        continue
      }
      const before = parent.get(store, key)
      const written = mine === undefined ? theirs : mine
      const isNoOp = (mine === undefined || theirs === undefined) && same(written, before ?? null)
      const kind = isNoOp ? 'noOp' : mine === undefined ? 'recorded only' : theirs === undefined ? 'ours only' : 'value'
      differences.push({ store, key, kind, parent: before, ours: mine, recorded: theirs })
    }
  }
  return { stores, differences }
}
