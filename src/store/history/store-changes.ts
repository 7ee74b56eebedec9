/** What an upgrade does to the stores of a chain. */
import { compareTexts } from '../order.ts'
import type { Reader } from '../types.ts'

/** What an upgrade does to the stores, from its block on. */
export interface StoreChanges {
  readonly added?: readonly string[]
  /** What was in `from` is in `to`. */
  readonly renamed?: readonly { readonly from: string; readonly to: string }[]
  readonly deleted?: readonly string[]
}

/**
 * Names of the stores after the changes, in order. Throws an `Error` that says what is wrong: a name twice, a store to be
 * added that there is, one to be renamed or deleted that there is not.
 */
export function namesAfter(names: readonly string[], changes: StoreChanges): string[] {
  const { added = [], renamed = [], deleted = [] } = changes
  const given = [...added, ...deleted, ...renamed.flatMap(({ from, to }) => [from, to])]
  const twice = given.find((name, i) => given.indexOf(name) !== i)
  if (twice !== undefined)
    throw new Error(`the store changes name "${twice}" twice: a later upgrade may give a name again`)
  const gone = [...deleted, ...renamed.map(({ from }) => from)]
  const come = [...added, ...renamed.map(({ to }) => to)]
  for (const name of gone) {
    if (!names.includes(name)) throw new Error(`the store changes take away "${name}", which there is not`)
  }
  for (const name of come) {
    if (names.includes(name)) throw new Error(`the store changes make "${name}", which there is`)
    if (!/^[\w.:-]+$/.test(name)) throw new Error(`"${name}" is no name for a store`)
  }
  return [...names.filter((name) => !gone.includes(name)), ...come].sort(compareTexts)
}

/** Whether there is anything in store changes. */
export function changesStores({ added, renamed, deleted }: StoreChanges): boolean {
  return [added, renamed, deleted].some((list) => list !== undefined && list.length > 0)
}

/**
 * What a block with store changes sees from its beginning: a renamed store under its new name alone, a deleted one not at
 * all, an added one empty. Throws as `namesAfter` does if the reader knows its stores.
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
