/** Modules brought from the versions they have to those they should have (upgrade.md §4.5). */
import type { VersionMap } from '../../modules/upgrade/keeper.ts'
import type { MigrationContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import type { Module } from '../../sdk/module.ts'
import { inPlace } from '../../sdk/place.ts'
import { sorted } from './versions.ts'

/** Modules by name, in byte order, accounts last: others may still need them as they were. */
function ordered(names: Iterable<string>): string[] {
  const all = [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return [...all.filter((name) => name !== 'auth'), ...all.filter((name) => name === 'auth')]
}

/**
 * Runs what leads from one map to another: migrations of modules that `from` has, the default genesis of those that it has
 * not. Throws sdk 38 where a migration is missing. `log` hears of each.
 */
export function migrate(
  ctx: MigrationContext,
  modules: ReadonlyMap<string, Module>,
  from: VersionMap,
  to: VersionMap,
  log: (line: string) => void,
): VersionMap {
  for (const name of ordered(to.keys())) {
    const [before, after] = [from.get(name), to.get(name)!]
    if (before === after) continue
    const module = modules.get(name)
    if (!module) throw errors.notFound(`this build has no module ${name}`)
    if (before === undefined) beginModule(ctx, module, log)
    else migrateModule(ctx, module, before, after, log)
  }
  return sorted(to)
}

function migrateModule(
  ctx: MigrationContext,
  { name, migrations }: Module,
  before: number,
  after: number,
  log: (line: string) => void,
): void {
  for (let version = before; version < after; version++) {
    const step = migrations[version]
    if (!step) {
      const none = Object.keys(migrations).length === 0
      throw errors.notFound(
        none
          ? `no migrations found for module ${name}`
          : `no migration found for module ${name} from version ${version} to version ${version + 1}`,
      )
    }
    log(`migrating module ${name} from version ${version} to version ${version + 1}`)
    inPlace(`migration of module ${name} from version ${version}`, () => step(ctx))
  }
}

function beginModule(ctx: MigrationContext, { name, genesis }: Module, log: (line: string) => void): void {
  log(`adding a new module: ${name}`)
  if (genesis) inPlace(`genesis of module ${name}`, () => genesis.init(ctx, genesis.defaults(ctx)))
}
