/** Consensus versions of a new chain. */
import type { Identity } from '../identity/types.ts'
import type { VersionMap } from '../modules/upgrade/keeper.ts'
import type { Module } from '../sdk/module.ts'
import { isOwn } from './modules.ts'

/** Versions that the reference writes at v2.11: some modules are not in this build, and some of the reference are omitted. */
const OF_REFERENCE: Readonly<Record<string, number>> = {
  ...{ auth: 4, authz: 2, bank: 4, capability: 1, consensus: 1, crisis: 2, distribution: 3, epochs: 1, evidence: 1 },
  ...{ evm: 1, feegrant: 2, genutil: 1, gov: 4, inflation: 3, oracle: 1, params: 1, slashing: 3, staking: 4, sudo: 1 },
  ...{ tokenfactory: 1, upgrade: 2 },
}

/** Further versions that the reference writes from v2.17 on. */
const LATER_OF_REFERENCE: Readonly<Record<string, number>> = {
  ...{ '08-wasm': 1, devgas: 1, genmsg: 0, ibc: 4, interchainaccounts: 2, transfer: 3, wasm: 4 },
}

/** Returns the versions by name of the modules that a chain has at its first block. */
export function firstVersions({ behaviours }: Identity, modules: readonly Module[]): VersionMap {
  if (behaviours.referenceVersionMap) {
    const later = behaviours.wholeVersionMap ? LATER_OF_REFERENCE : {}
    return new Map(Object.entries({ ...OF_REFERENCE, ...later }))
  }
  const listed = modules.filter(({ name }) => !isOwn(name))
  const versions = new Map(listed.map(({ name, version }) => [name, version]))
  if (behaviours.doneMarkersByHeight) versions.set('upgrade', 2)
  return versions
}
