/** The state machine by height: which modules, at which versions, a state is of (ADR 0017). */
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

/** The state machine of a stretch of heights. */
export interface Era {
  readonly machine: Machine
  /** By name, at their versions. */
  readonly modules: ReadonlyMap<string, Module>
  /** A transaction of this era. Bytes that were decoded once are not decoded again. */
  decode(bytes: Uint8Array): DecodedTx
}

export interface Eras {
  readonly identity: Identity
  /** What a state is of. */
  of(state: Reader): Era
  /** What a state with these versions is of. */
  at(versions: VersionMap): Era
  /** What a context's facts are of. */
  byFacts(facts: AppFacts): Era
  /** Whether upgrades of this build change a module: its version is then to be read from each state. */
  readonly isChanging: boolean
}

/** Names of modules whose versions upgrades change, sorted. */
export function changingModules(upgrades: readonly Upgrade[]): string[] {
  const names = new Set(upgrades.flatMap(({ modules = {} }) => Object.keys(modules)))
  return [...names].sort((a, b) => (a < b ? -1 : 1))
}

/**
 * `modules` are all that any state of the chain may be of, at their newest. A module that no upgrade names is in every state
 * as it is now; the others are there where the state has a version of them, and as they were at it.
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
    const router = createRouter(present, common.onBug)
    const decoded = new WeakMap<Uint8Array, DecodedTx>()
    const era: Era = {
      machine: { ...common, modules: present, router },
      modules: new Map(present.map((module) => [module.name, module])),
      decode(bytes) {
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
