/** A branch that accepts writes only to the stores that an upgrade declares. */
import { queryError } from '../../primitives/errors.ts'
import type { Module } from '../../sdk/module.ts'
import type { Branch } from '../../store/types.ts'
import type { Upgrade } from './types.ts'

/** Returns the stores that an upgrade can write to: added, renamed and named ones, and those of migrated modules. */
export function declaredStores(upgrade: Upgrade, modules: ReadonlyMap<string, Module>): ReadonlySet<string> {
  const { stores = {}, writes = [], modules: versions = {} } = upgrade
  return new Set([
    ...(stores.added ?? []),
    ...(stores.renamed ?? []).map(({ to }) => to),
    ...writes,
    ...Object.entries(versions).flatMap(([name, version]) =>
      version === 'removed' ? [] : (modules.get(name)?.stores ?? []),
    ),
  ])
}

/** Returns the same branch, which throws for a write to an undeclared store. */
export function declaredBranch(branch: Branch, upgrade: Upgrade, stores: ReadonlySet<string>): Branch {
  const require = (store: string): void => {
    if (stores.has(store)) return
    const remedy = 'an upgrade names the stores that it writes to in `writes`, `stores` or `modules`'
    throw queryError(
      'failedPrecondition',
      `the handler of ${upgrade.name} writes to store ${store} without declaring it: ${remedy}`,
    )
  }
  const wrap = (inner: Branch): Branch => ({
    ...inner,
    set(store, key, value) {
      require(store)
      inner.set(store, key, value)
    },
    delete(store, key) {
      require(store)
      inner.delete(store, key)
    },
    writeRun(store, entries) {
      require(store)
      inner.writeRun(store, entries)
    },
    branch: () => wrap(inner.branch()),
  })
  return wrap(branch)
}
