/** Stored records, all of which decode. */
import * as auth from '../../../src/modules/auth/keeper.ts'
import * as authState from '../../../src/modules/auth/state.ts'
import * as authz from '../../../src/modules/authz/state.ts'
import * as bank from '../../../src/modules/bank/state.ts'
import * as consensus from '../../../src/modules/consensus/state.ts'
import * as devgas from '../../../src/modules/devgas/state.ts'
import * as distribution from '../../../src/modules/distribution/state.ts'
import * as epochs from '../../../src/modules/epochs/state.ts'
import * as evidence from '../../../src/modules/evidence/state.ts'
import * as evm from '../../../src/modules/evm/state.ts'
import * as feegrant from '../../../src/modules/feegrant/state.ts'
import * as gov from '../../../src/modules/gov/state.ts'
import * as inflation from '../../../src/modules/inflation/state.ts'
import * as oracle from '../../../src/modules/oracle/state.ts'
import * as slashing from '../../../src/modules/slashing/state.ts'
import * as staking from '../../../src/modules/staking/state.ts'
import * as sudo from '../../../src/modules/sudo/state.ts'
import * as tokenfactory from '../../../src/modules/tokenfactory/state.ts'
import * as upgrade from '../../../src/modules/upgrade/state.ts'
import type { ReadContext } from '../../../src/sdk/context.ts'
import type { Invariant } from './invariant.ts'

const SECTIONS: Readonly<Record<string, object>> = {
  ...{ auth: authState, authz, bank, consensus, devgas, distribution, epochs, evidence, evm, feegrant, gov, inflation },
  ...{ oracle, slashing, staking, sudo, tokenfactory, upgrade },
}

interface Collection {
  iterate?(ctx: ReadContext): Iterable<unknown>
  get?(ctx: ReadContext): unknown
}

/** Collections whose keys other layouts use too (docs/modules/upgrade.md#state). */
const SHARED = new Set(['doneByName', 'doneByHeight'])

const collections: readonly (readonly [name: string, collection: Collection])[] = Object.entries(SECTIONS).flatMap(
  ([module, section]) =>
    Object.entries(section).flatMap(([name, value]) => {
      const isCollection =
        typeof value === 'object' && value !== null && ('iterate' in value || ('get' in value && 'set' in value))
      return isCollection && !SHARED.has(name) ? [[`${module}.${name}`, value as Collection] as const] : []
    }),
)

export const recordInvariants: readonly Invariant[] = [
  {
    name: 'every stored record decodes',
    every: 25,
    broken({ ctx }) {
      for (const [name, collection] of collections) {
        try {
          if (collection.iterate) for (const _ of collection.iterate(ctx));
          else collection.get?.(ctx)
        } catch (error) {
          return `${name}: ${error}`
        }
      }
      for (const _ of auth.accounts(ctx));
      return undefined
    },
  },
]
