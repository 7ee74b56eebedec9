/** Consensus versions before and after an upgrade, and the module editions that they select. */
import type { Identity } from '../../identity/types.ts'
import type { VersionMap } from '../../modules/upgrade/keeper.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Module } from '../../sdk/module.ts'
import { firstVersions } from '../first-versions.ts'
import type { Upgrade } from './types.ts'

/** Returns the version map that an upgrade must produce, sorted by name. */
export function versionsAfter(from: VersionMap, { modules = {} }: Pick<Upgrade, 'modules'>): VersionMap {
  const to = new Map(from)
  for (const [name, version] of Object.entries(modules)) {
    if (version === 'removed') to.delete(name)
    else to.set(name, version)
  }
  return sorted(to)
}

/** Returns the versions after all upgrades, which are given in order. */
export function newestVersions(modules: readonly Module[], upgrades: readonly Upgrade[]): VersionMap {
  const last = new Map(upgrades.flatMap(({ modules = {} }) => Object.entries(modules)))
  const present = modules.filter(({ name }) => last.get(name) !== 'removed')
  return new Map(present.map(({ name, version }) => [name, version]))
}

/** Returns the versions of an identity's chain after all upgrades of this build. */
export function versionsOfBuild(
  identity: Identity,
  modules: readonly Module[],
  upgrades: readonly Upgrade[],
): VersionMap {
  const present = newestVersions(modules, upgrades)
  const gone = modules.flatMap(({ name }) => (present.has(name) ? [] : [name]))
  const versions = firstVersions(
    identity,
    modules.filter(({ name }) => present.has(name)),
  )
  return sorted(new Map([...versions].filter(([name]) => !gone.includes(name))))
}

/** Throws 9 if a handler returned other versions than its upgrade declares. */
export function requireDeclared(upgrade: Upgrade, from: VersionMap, to: VersionMap): void {
  const expected = versionsAfter(from, upgrade)
  for (const name of sorted(new Map([...expected, ...to])).keys()) {
    const [declared, left] = [expected.get(name), to.get(name)]
    if (declared === left) continue
    const says = declared === undefined ? 'declares no version' : `declares version ${declared}`
    const does = left === undefined ? 'without a version' : `at version ${left}`
    throw queryError('failedPrecondition', `the handler of ${upgrade.name} leaves module ${name} ${does}; it ${says}`)
  }
}

/** Returns a module at a consensus version: the first edition of at least that version, with the migrations of the newest. */
export function editionOf(module: Module, version: number): Module {
  if (module.version === version) return module
  const edition = module.editions.find((older) => older.version >= version) ?? module
  return { ...edition, version, migrations: module.migrations }
}

export function sorted(versions: VersionMap): VersionMap {
  return new Map([...versions].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
