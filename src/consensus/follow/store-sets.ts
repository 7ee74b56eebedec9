/**
 * The stores of a node where they are not those here. The stream tells what a block wrote, not which stores there are: an upgrade
 * can add a store and write nothing to it, delete one, or move one to another name, and an older build began with fewer.
 */
import { equal } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { StoreChanges } from '../../store/history/store-changes.ts'
import { compareTexts } from '../../store/order.ts'
import { merkleRoot, storeLeaf } from '../../store/tree/multi-store.ts'
import type { Change } from '../../store/types.ts'

/** Sets of stores that are tried for a block. Each takes less than a millisecond. */
const MOST_TRIES = 20_000
/** Root hash of a store without entries. */
const EMPTY_ROOT = sha256(new Uint8Array(0))
/** Store and key of the plan, which the upgrade removes in its block. Source: docs/state-layout.md. */
const UPGRADE_STORE = 'upgrade'
const PLAN_KEY = Uint8Array.of(0)

/** Whether a block can change the stores: the first one, and that of an upgrade. */
export const canChangeStores = (written: readonly Change[], isFirst: boolean): boolean =>
  isFirst ||
  written.some(({ store, key, value }) => store === UPGRADE_STORE && value === undefined && equal(key, PLAN_KEY))

export interface StoreSets {
  /** Root hashes of the stores here after the block, by name. */
  readonly roots: ReadonlyMap<string, Uint8Array>
  /** The app hash that the node states. */
  readonly appHash: Uint8Array
  /** The changes of the block. */
  readonly written: readonly Change[]
  /** Stores that only the changes name; they are among the roots. */
  readonly added: readonly string[]
  /** Names of stores that the chain may have. */
  readonly known: readonly string[]
}

/**
 * Yields the changes of the stores that can explain an app hash: first stores that come empty or go, which its leaves prove, then
 * every store in turn under a new name, which is to be tried.
 */
export function* otherStores(sets: StoreSets): Generator<StoreChanges> {
  const { roots, added } = sets
  const writtenTo = new Set(sets.written.map(({ store }) => store))
  const found = findStores(sets, writtenTo)
  if (found) yield found
  for (const to of added) {
    for (const from of roots.keys()) {
      if (!writtenTo.has(from)) yield { added: added.filter((name) => name !== to), renamed: [{ from, to }] }
    }
  }
}

/** Returns the stores that come empty or go. Small differences are tried first. */
function findStores(
  { roots, appHash, added, known }: StoreSets,
  writtenTo: ReadonlySet<string>,
): StoreChanges | undefined {
  const leaves = new Map([...roots].map(([name, root]) => [name, storeLeaf(name, root)]))
  const missing = known.filter((name) => !roots.has(name))
  for (const name of missing) leaves.set(name, storeLeaf(name, EMPTY_ROOT))
  const changing = [...missing, ...[...roots.keys()].filter((name) => !writtenTo.has(name))]
  const names = [...leaves.keys()].sort(compareTexts)
  let tries = 0
  for (let size = 1; size <= changing.length; size++) {
    for (const chosen of subsets(changing, size)) {
      if (++tries > MOST_TRIES) return undefined
      const present = names.filter((name) => roots.has(name) !== chosen.has(name))
      if (!equal(merkleRoot(present.map((name) => leaves.get(name)!)), appHash)) continue
      return {
        added: [...added, ...missing.filter((name) => chosen.has(name))],
        deleted: [...roots.keys()].filter((name) => chosen.has(name)),
      }
    }
  }
  return undefined
}

/** Yields the subsets of a size, in the order of the list. Bounded by: the size. */
function* subsets(list: readonly string[], size: number, from = 0): Generator<Set<string>> {
  if (size === 0) {
    yield new Set()
    return
  }
  for (let i = from; i <= list.length - size; i++) {
    for (const rest of subsets(list, size - 1, i + 1)) yield rest.add(list[i]!)
  }
}
