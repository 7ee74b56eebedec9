/** Eras: the state machine of a stretch of heights, selected by the module versions in a state (ADR 0017). */
import type { Identity } from '../../identity/types.ts'
import type { VersionMap } from '../../modules/upgrade/keeper.ts'
import * as upgrade from '../../modules/upgrade/keeper.ts'
import type { AppFacts } from '../../sdk/context.ts'
import type { Module } from '../../sdk/module.ts'
import { type DecodedTx, decodeTx } from '../../sdk/tx.ts'
import type { Reader } from '../../store/types.ts'
import type { Machine } from '../machine.ts'
import { createRouter } from '../router.ts'
import type { Upgrade } from './types.ts'
import { editionOf } from './versions.ts'

/** The modules at one set of versions, and the state machine made of them. */
export interface Era {
  readonly machine: Machine
  /** Modules by name, at the era's versions. */
  readonly modules: ReadonlyMap<string, Module>
  /** Decodes a transaction with the messages of this era. Results are cached by the byte array. */
  decode(bytes: Uint8Array): DecodedTx
}

export interface Eras {
  readonly identity: Identity
  /** Returns the era of a state. */
  of(state: Reader): Era
  /** Returns the era of a state with these versions. */
  at(versions: VersionMap): Era
  /** Returns the era of a context's facts. */
  byFacts(facts: AppFacts): Era
  /** Whether upgrades of this build change modules, so that each state's versions must be read. */
  readonly isChanging: boolean
}

/** Returns the names of the modules whose versions upgrades change, sorted. */
export function changingModules(upgrades: readonly Upgrade[]): string[] {
  const names = new Set(upgrades.flatMap(({ modules = {} }) => Object.keys(modules)))
  return [...names].sort((a, b) => (a < b ? -1 : 1))
}

/**
 * Creates the eras. `modules` are the modules of every state of the chain, at their newest version. A module that no upgrade names is
 * the same in every state. The others are present in a state that has their version, in the edition of that version.
 */
export function createEras(
  common: Omit<Machine, 'modules' | 'router'>,
  modules: readonly Module[],
  upgrades: readonly Upgrade[],
): Eras {
  const changing = changingModules(upgrades)
  const eras = new Map<string, Era>()
  const byFacts = new WeakMap<AppFacts, Era>()

  function eraOf(versionOf: (name: string) => number | undefined): Era {
    const key = changing.map((name) => versionOf(name) ?? '').join()
    const known = eras.get(key)
    if (known) return known
    const present = modules.flatMap((module) => {
      if (!changing.includes(module.name)) return [module]
      const version = versionOf(module.name)
      return version === undefined ? [] : [editionOf(module, version)]
    })
    const { substitution } = common
    const own = createRouter(present)
    const router = substitution ? { ...own, route: (name: string) => substitution.route(name, own.route(name)) } : own
    const decoded = new WeakMap<Uint8Array, DecodedTx>()
    const era: Era = {
      machine: { ...common, modules: present, router },
      modules: new Map(present.map((module) => [module.name, module])),
      decode(bytes) {
        if (substitution) return substitution.decode(router.facts, bytes)
        const found = decoded.get(bytes)
        if (found) return found
        const tx = decodeTx(router.facts, common.identity, bytes)
        decoded.set(bytes, tx)
        return tx
      },
    }
    eras.set(key, era)
    byFacts.set(router.facts, era)
    return era
  }

  const context = (store: Reader) => ({ store, identity: common.identity })
  return {
    identity: common.identity,
    isChanging: changing.length > 0,
    of: (state) => eraOf((name) => upgrade.moduleVersion(context(state), name)),
    at: (versions) => eraOf((name) => versions.get(name)),
    byFacts: (facts) => byFacts.get(facts) ?? eraOf((name) => facts.versionOf(name)),
  }
}
