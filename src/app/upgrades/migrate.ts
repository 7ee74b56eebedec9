/** Migration of modules from one version map to another (docs/modules/upgrade.md). */
import type { VersionMap } from '../../modules/upgrade/keeper.ts'
import type { MigrationContext } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import type { Module } from '../../sdk/module.ts'
import { sorted } from './versions.ts'

/** Sorts module names in byte order, with `auth` last: other migrations can need accounts in their old form. */
function ordered(names: Iterable<string>): string[] {
  const all = [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return [...all.filter((name) => name !== 'auth'), ...all.filter((name) => name === 'auth')]
}

/**
 * Runs the migrations of modules in `from`, and the default genesis of modules that are only in `to`. Throws sdk 38 for a missing
 * migration. `log` receives a line for each step, and `onStep` is called after it.
 */
export function migrate(
  ctx: MigrationContext,
  modules: ReadonlyMap<string, Module>,
  from: VersionMap,
  to: VersionMap,
  log: (line: string) => void,
  onStep: () => void = () => {},
): VersionMap {
  for (const name of ordered(to.keys())) {
    const [before, after] = [from.get(name), to.get(name)!]
    if (before === after) continue
    const module = modules.get(name)
    if (!module) throw errors.notFound(`this build has no module ${name}`)
    if (before === undefined) beginModule(ctx, module, log, onStep)
    else migrateModule(ctx, module, before, after, log, onStep)
  }
  return sorted(to)
}

function migrateModule(
  ctx: MigrationContext,
  { name, migrations }: Module,
  before: number,
  after: number,
  log: (line: string) => void,
  onStep: () => void,
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
    withErrorPath(`migration of module ${name} from version ${version}`, () => step(ctx))
    onStep()
  }
}

function beginModule(
  ctx: MigrationContext,
  { name, genesis }: Module,
  log: (line: string) => void,
  onStep: () => void,
): void {
  log(`adding a new module: ${name}`)
  if (genesis) withErrorPath(`genesis of module ${name}`, () => genesis.init(ctx, genesis.defaults(ctx)))
  onStep()
}

/** Returns the number of steps from one version map to another: one for each version, and one for a new module. */
export function stepCount(from: VersionMap, to: VersionMap): number {
  return [...to].reduce((sum, [name, after]) => sum + Math.max(0, after - (from.get(name) ?? after - 1)), 0)
}
