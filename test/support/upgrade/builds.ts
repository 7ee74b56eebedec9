/** Builds of the node that differ in their upgrades, by the name in `TEST_BUILD`. */
import { labModules, labUpgrades, labVersions } from '../../../src/app/upgrades/testing/modules.ts'
import type { Upgrade } from '../../../src/app/upgrades/types.ts'
import type { Build } from '../../../src/node/build.ts'
import { utf8 } from '../../../src/primitives/bytes.ts'

/** An upgrade that adds a store, renames an unused one, and writes a note. */
const v2: Upgrade = {
  name: 'v2',
  stores: { added: ['notes'], renamed: [{ from: 'crisis', to: 'calm' }] },
  run(ctx, { name }, from) {
    ctx.store.set('notes', utf8('by'), utf8(name))
    return from
  },
}

/** An upgrade that only does what every upgrade does: it writes the done marker and removes the plan. */
const v3: Upgrade = { name: 'v3' }

const failing: Upgrade = {
  name: 'v2',
  run() {
    throw new Error('the ledger does not add up')
  },
}

/** Returns the path of a program beside the one that includes this file. */
const beside = (name: string): URL => new URL(import.meta.url.replace(/(-\w+)?\.mjs$/, `-${name}.mjs`))

/** A build that runs its upgrades in place, and in its workers. */
const lab: Build = {
  ...{ modules: labModules, upgrades: labUpgrades, firstVersions: labVersions },
  workers: { compute: beside('compute'), api: beside('api') },
}

const BUILDS: Readonly<Record<string, Build>> = {
  lab,
  v2: { upgrades: [v2] },
  v3: { upgrades: [v2, v3] },
  failing: { upgrades: [failing] },
}

/** Returns the build that `TEST_BUILD` names; undefined for the unchanged build. */
export const buildOfProcess = (): Build | undefined => BUILDS[process.env['TEST_BUILD'] ?? '']
