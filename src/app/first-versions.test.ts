import { expect, test } from 'vitest'
import { almanac } from '../identity/profiles/almanac.ts'
import { firstVersions } from './first-versions.ts'
import { modules } from './modules.ts'

test('a new chain starts with the consensus versions of its profile', () => {
  // Versions of the reference for the modules of this build; `upgrade` by D10, `consensus` as in Cosmos SDK 0.47.
  const line = {
    ...{ auth: 4, authz: 2, bank: 4, consensus: 1, devgas: 1, distribution: 3, epochs: 1, evidence: 1, evm: 1 },
    ...{ feegrant: 2, gov: 4, inflation: 3, oracle: 1, slashing: 3, staking: 4, sudo: 1, tokenfactory: 1, upgrade: 1 },
  }
  expect(Object.fromEntries(firstVersions(almanac, modules))).toEqual(line)
})
