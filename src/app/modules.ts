/** The modules of this build, in the order of their genesis and of their begin and end hooks. */
import type { Identity } from '../identity/types.ts'
import { auth } from '../modules/auth/index.ts'
import { authz } from '../modules/authz/index.ts'
import { bank } from '../modules/bank/index.ts'
import { consensus } from '../modules/consensus/index.ts'
import { devgas } from '../modules/devgas/index.ts'
import { distribution } from '../modules/distribution/index.ts'
import { epochs } from '../modules/epochs/index.ts'
import { evidence } from '../modules/evidence/index.ts'
import { evm } from '../modules/evm/index.ts'
import { feegrant } from '../modules/feegrant/index.ts'
import { fees } from '../modules/fees/index.ts'
import { gov } from '../modules/gov/index.ts'
import { inflation } from '../modules/inflation/index.ts'
import { oracle } from '../modules/oracle/index.ts'
import { slashing } from '../modules/slashing/index.ts'
import { staking } from '../modules/staking/index.ts'
import { sudo } from '../modules/sudo/index.ts'
import { tokenfactory } from '../modules/tokenfactory/index.ts'
import { upgrade } from '../modules/upgrade/index.ts'
import { vesting } from '../modules/vesting/index.ts'
import type { Module } from '../sdk/module.ts'

/**
 * The reference's order, derived from recorded events and account numbers: fees are distributed first, validators are slashed
 * before epochs end, and prices are tallied after the validator set is updated.
 */
const ORDER: readonly string[] = [
  ...[
    'upgrade',
    'consensus',
    'auth',
    'bank',
    'fees',
    'distribution',
    'staking',
    'slashing',
    'gov',
    'genutil',
    'evidence',
  ],
  ...['authz', 'feegrant', 'vesting', 'epochs', 'oracle', 'inflation', 'sudo', 'devgas', 'tokenfactory', 'evm'],
]

const BUILT: readonly Module[] = [
  auth,
  authz,
  bank,
  consensus,
  devgas,
  distribution,
  epochs,
  evidence,
  evm,
  feegrant,
  fees,
  gov,
  inflation,
  oracle,
  slashing,
  staking,
  sudo,
  tokenfactory,
  upgrade,
  vesting,
]

/**
 * Modules that the reference does not have, and that joined without an upgrade: version maps do not list them, and the genesis
 * documents of a replayed chain only if their state is not the default.
 */
const OWN: readonly string[] = ['fees', 'vesting']

/** Whether the reference does not have a module. */
export function isOwn(name: string): boolean {
  return OWN.includes(name)
}

/** Whether a module's genesis runs before another's. `genutil`, the genesis transactions, is part of the order. */
export function comesBefore(name: string, other: string): boolean {
  return ORDER.indexOf(name) < ORDER.indexOf(other)
}

export const modules: readonly Module[] = BUILT.toSorted((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name))

/** Returns the modules of a chain: those of this build, less those whose messages its profile does not have. */
export function modulesOf({ behaviours }: Identity): readonly Module[] {
  return behaviours.noVestingMessages ? modules.filter((module) => module !== vesting) : modules
}

/** Names of all stores, sorted. */
export const storeNames: readonly string[] = modules
  .flatMap(({ stores }) => stores)
  .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
