/** Preflight: whether a build fits a chain and its plan, before the height of the plan. */

import type { PlanFacts } from '../../modules/upgrade/keeper.ts'
import * as upgradeModule from '../../modules/upgrade/keeper.ts'
import type { Module } from '../../sdk/module.ts'
import { namesAfter } from '../../store/history/store-changes.ts'
import type { Reader } from '../../store/types.ts'
import { haltBefore, type OpenBlockOptions } from './opening.ts'
import type { Finding, ModuleVersions, Preflight } from './report.ts'
import type { Upgrade } from './types.ts'
import { editionOf, versionsAfter, versionsOfBuild } from './versions.ts'

/** Compares plan, handlers, store upgrades and version map. `height` is the height of the state. */
export function preflight(
  options: OpenBlockOptions,
  modules: readonly Module[],
  store: Reader,
  height: bigint,
): Preflight {
  const { eras, rules } = options
  const state = { store, identity: eras.identity }
  const plan = upgradeModule.plan(state)
  const upgrade = plan && rules.upgrades.get(plan.name)
  const chain = upgradeModule.moduleVersions(state)
  const after = upgrade ? versionsAfter(chain, upgrade) : chain
  const versions = compared(chain, after, versionsOfBuild(eras.identity, modules, [...rules.upgrades.values()]))
  const toCome = [...rules.upgrades.values()].filter(
    (one) => one !== upgrade && upgradeModule.doneHeight(state, one.name) === undefined,
  )
  return {
    plan,
    blocksLeft: plan && (plan.height > height ? plan.height - height - 1n : 0n),
    findings: [
      ...planFindings(rules, plan, upgrade, height),
      ...handlerFindings(options, store, upgrade),
      ...(upgrade ? migrationFindings(upgrade, modules, chain) : []),
      ...storeFindings(modules, upgrade, store, chain, after),
      ...versionFindings(versions, toCome),
    ],
    versions,
    halt: haltBefore(options, store, height + 1n),
  }
}

const fine = (text: string): Finding => ({ level: 'fine', text })
const note = (text: string): Finding => ({ level: 'note', text })
const fault = (text: string): Finding => ({ level: 'fault', text })

function planFindings(
  { skip }: OpenBlockOptions['rules'],
  plan: PlanFacts | undefined,
  upgrade: Upgrade | undefined,
  height: bigint,
): Finding[] {
  if (!plan) return [fine('no upgrade is scheduled')]
  const findings = [fine(`upgrade "${plan.name}" is scheduled at height ${plan.height}; the chain is at ${height}`)]
  if (plan.height <= height + 2n) findings.push(note('the height is too near for the plan to be cancelled'))
  if (skip.has(plan.height)) findings.push(note(`this node skips the plan: height ${plan.height} is on its skip list`))
  else if (!upgrade) {
    findings.push(fault(`this build has no handler "${plan.name}": it halts before block ${plan.height}`))
  }
  return findings
}

/** Returns findings about the handlers of the plan and of the last upgrade, and about the time to start this build. */
function handlerFindings({ eras, rules }: OpenBlockOptions, store: Reader, upgrade: Upgrade | undefined): Finding[] {
  const last = upgradeModule.lastApplied({ store, identity: eras.identity })
  const findings: Finding[] = []
  if (last && !rules.upgrades.has(last.name)) {
    findings.push(
      fault(
        `"${last.name}", applied at height ${last.height}, has no handler in this build, which is older than the chain`,
      ),
    )
  }
  if (upgrade?.inPlace) findings.push(fine(`the handler of "${upgrade.name}" is here, and runs in place`))
  else if (upgrade) {
    findings.push(fine(`the handler of "${upgrade.name}" is here`))
    findings.push(note(`it does not run in place: start this build after the previous one has halted, not earlier`))
  }
  return findings
}

function migrationFindings(upgrade: Upgrade, modules: readonly Module[], chain: upgradeModule.VersionMap): Finding[] {
  return Object.entries(upgrade.modules ?? {}).flatMap(([name, to]) => {
    const module = modules.find((one) => one.name === name)
    if (to === 'removed')
      return chain.has(name) ? [] : [fault(`the plan removes module ${name}, which the chain does not have`)]
    if (!module) return [fault(`the plan brings module ${name}, which this build does not have`)]
    const from = chain.get(name)
    if (from === undefined) return [fine(`module ${name} begins with its genesis`)]
    const steps = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
    const missing = steps.filter((step) => !module.migrations[step])
    if (missing.length === 0) return [fine(`module ${name} migrates from version ${from} to ${to}`)]
    return missing.map((step) => fault(`module ${name} has no migration from version ${step} to ${step + 1}`))
  })
}

/** Returns findings about the stores after the plan: changes that are impossible, and stores that modules lack or no longer use. */
function storeFindings(
  modules: readonly Module[],
  upgrade: Upgrade | undefined,
  store: Reader,
  chain: upgradeModule.VersionMap,
  after: upgradeModule.VersionMap,
): Finding[] {
  if (!store.stores) return []
  let names: readonly string[]
  try {
    names = upgrade?.stores ? namesAfter(store.stores, upgrade.stores) : store.stores
  } catch (error) {
    return [fault(error instanceof Error ? error.message : String(error))]
  }
  const owned = (versions: upgradeModule.VersionMap) =>
    modules.flatMap((module) => {
      const version = versions.get(module.name)
      return version === undefined ? [] : editionOf(module, version).stores.map((name) => [name, module.name] as const)
    })
  const needed = new Map(owned(after))
  return [
    ...[...needed].flatMap(([name, module]) => (names.includes(name) ? [] : [fault(storeMisfit(module, name))])),
    ...owned(chain).flatMap(([name]) =>
      !needed.has(name) && names.includes(name)
        ? [note(`store ${name} stays, although no module uses it any more`)]
        : [],
    ),
  ]
}

function compared(
  chain: upgradeModule.VersionMap,
  after: upgradeModule.VersionMap,
  build: upgradeModule.VersionMap,
): readonly ModuleVersions[] {
  const names = [...new Set([...chain.keys(), ...after.keys(), ...build.keys()])].sort((a, b) => (a < b ? -1 : 1))
  return names.flatMap((module) => {
    const [onChain, afterPlan, inBuild] = [chain.get(module), after.get(module), build.get(module)]
    return onChain === afterPlan && afterPlan === inBuild ? [] : [{ module, onChain, afterPlan, inBuild }]
  })
}

/** Returns findings about modules whose version after the plan differs from this build's. */
function versionFindings(versions: readonly ModuleVersions[], toCome: readonly Upgrade[]): Finding[] {
  return versions.flatMap(({ module, afterPlan, inBuild }) => {
    if (afterPlan === inBuild) return []
    const later = toCome.find(({ modules = {} }) => module in modules)
    if (!later) return [fault(versionMisfit(module, afterPlan, inBuild))]
    return [note(`${versionsText(module, afterPlan, inBuild)}: upgrade "${later.name}" changes it`)]
  })
}

function versionMisfit(module: string, onChain: number | undefined, inBuild: number | undefined): string {
  return `${versionsText(module, onChain, inBuild)}: no upgrade changes it`
}

function versionsText(module: string, onChain: number | undefined, inBuild: number | undefined): string {
  return `module ${module} is ${versionText(onChain)} on the chain and ${versionText(inBuild)} in this build`
}

function versionText(version: number | undefined): string {
  return version === undefined ? 'absent' : `at version ${version}`
}

/**
 * Returns the misfits of a state, regardless of plans: modules that this build lacks or has at another version, and stores that
 * its modules need, unless a later upgrade changes them (docs/modules/upgrade.md).
 */
export function misfits(options: OpenBlockOptions, modules: readonly Module[], store: Reader): readonly string[] {
  const { eras, rules } = options
  const state = { store, identity: eras.identity }
  const upgrades = [...rules.upgrades.values()]
  const toCome = upgrades.filter(({ name }) => upgradeModule.doneHeight(state, name) === undefined)
  const chain = upgradeModule.moduleVersions(state)
  const build = versionsOfBuild(eras.identity, modules, upgrades)
  const versions = [...chain].flatMap(([name, version]) => {
    const isChanged = toCome.some(({ modules = {} }) => name in modules)
    return version === build.get(name) || isChanged ? [] : [versionMisfit(name, version, build.get(name))]
  })
  const stores = [...eras.of(store).modules.values()].flatMap((module) =>
    module.stores.flatMap((name) => {
      const isMade = toCome.some(({ stores = {} }) => makesStore(stores, name))
      return !store.stores || store.stores.includes(name) || isMade ? [] : [storeMisfit(module.name, name)]
    }),
  )
  return [...versions, ...stores]
}

const storeMisfit = (module: string, store: string): string =>
  `module ${module} needs store ${store}, which no upgrade adds`

function makesStore({ added = [], renamed = [] }: NonNullable<Upgrade['stores']>, name: string): boolean {
  return added.includes(name) || renamed.some(({ to }) => to === name)
}
