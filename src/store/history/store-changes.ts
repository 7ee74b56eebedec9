/** Changes that an upgrade makes to the stores of a chain: their names, and the view of its block. */
import { compareTexts } from '../order.ts'
import type { Reader } from '../types.ts'

/** Stores that an upgrade adds, renames and deletes, from its block on. */
export interface StoreChanges {
  readonly added?: readonly string[]
  /** The entries of `from` are in `to`. */
  readonly renamed?: readonly { readonly from: string; readonly to: string }[]
  readonly deleted?: readonly string[]
}

/**
 * Returns the names of the stores after the changes, sorted. Throws an `Error` for a name that is used twice, an added store that
 * exists, and a renamed or deleted store that does not.
 */
export function namesAfter(names: readonly string[], changes: StoreChanges): string[] {
  const { added = [], renamed = [], deleted = [] } = changes
  const given = [...added, ...deleted, ...renamed.flatMap(({ from, to }) => [from, to])]
  const twice = given.find((name, i) => given.indexOf(name) !== i)
  if (twice !== undefined)
    throw new Error(`the store changes use the name "${twice}" twice: use it again in a later upgrade`)
  const gone = [...deleted, ...renamed.map(({ from }) => from)]
  const come = [...added, ...renamed.map(({ to }) => to)]
  for (const name of gone) {
    if (!names.includes(name)) throw new Error(`the store changes delete or rename "${name}", which does not exist`)
  }
  for (const name of come) {
    if (names.includes(name)) throw new Error(`the store changes add "${name}", which exists`)
    if (!/^[\w.:-]+$/.test(name))
      throw new Error(`"${name}" is not a store name: use letters, digits, "_", ".", ":" and "-"`)
  }
  return [...names.filter((name) => !gone.includes(name)), ...come].sort(compareTexts)
}

/** Returns the error for a write to a store that is neither in the application's list nor added by an upgrade. */
export function undeclaredStore(store: string): Error {
  const ways = 'add it to the stores of the application (src/app/stores.ts), or to the store changes of an upgrade'
  return new Error(`store "${store}" is not declared: ${ways}`)
}

/** Whether the changes name any store. */
export function changesStores({ added, renamed, deleted }: StoreChanges): boolean {
  return [added, renamed, deleted].some((list) => list !== undefined && list.length > 0)
}

/**
 * Returns the view of a block with store changes: a renamed store appears only under its new name, a deleted one is hidden, an
 * added one is empty. Throws the errors of `namesAfter` if the reader lists its stores.
 */
export function withStoreChanges(base: Reader, changes: StoreChanges): Reader {
  const { added = [], renamed = [], deleted = [] } = changes
  const sources = new Map<string, string>(renamed.map(({ from, to }) => [to, from]))
  const hidden = new Set([...deleted, ...renamed.map(({ from }) => from), ...added])
  const sourceOf = (store: string) => sources.get(store) ?? (hidden.has(store) ? undefined : store)
  return {
    get(store, key) {
      const source = sourceOf(store)
      return source === undefined ? undefined : base.get(source, key)
    },
    has(store, key) {
      const source = sourceOf(store)
      return source !== undefined && base.has(source, key)
    },
    iterate(store, range) {
      const source = sourceOf(store)
      return source === undefined ? [][Symbol.iterator]() : base.iterate(source, range)
    },
    ...(base.stores && { stores: namesAfter(base.stores, changes) }),
    ...(base.openStaging && { openStaging: base.openStaging }),
  }
}
