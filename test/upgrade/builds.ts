/** Builds of the node that differ in their upgrades, by the name that `TEST_BUILD` gives them. */
import { labModules, labUpgrades, labVersions } from '../../src/app/upgrades/testing/modules.ts'
import type { Upgrade } from '../../src/app/upgrades/types.ts'
import type { Build } from '../../src/node/build.ts'
import { utf8 } from '../../src/primitives/bytes.ts'

/** It adds a store, renames one that nothing writes to, and leaves a note. */
const v2: Upgrade = {
  name: 'v2',
  stores: { added: ['notes'], renamed: [{ from: 'crisis', to: 'calm' }] },
  run(ctx, { name }, from) {
    ctx.store.set('notes', utf8('by'), utf8(name))
    return from
  },
}

/** It changes nothing but what every upgrade does: its mark, and the plan's end. */
const v3: Upgrade = { name: 'v3' }

const failing: Upgrade = {
  name: 'v2',
  run() {
    throw new Error('the ledger does not add up')
  },
}

/** A program that lies beside the one that this is bundled into. */
const beside = (name: string): URL => new URL(import.meta.url.replace(/(-\w+)?\.mjs$/, `-${name}.mjs`))

/** It runs its upgrades in place, and in its workers. */
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

/** The build that the environment of this process names; none is this very build. */
export const buildOfProcess = (): Build | undefined => BUILDS[process.env['TEST_BUILD'] ?? '']
