/** The modules of this build, in the order of their genesis and of their begin and end hooks. The one list. */
import { auth } from '../modules/auth/index.ts'
import { bank } from '../modules/bank/index.ts'
import { consensus } from '../modules/consensus/index.ts'
import { evm } from '../modules/evm/index.ts'
import { staking } from '../modules/staking/index.ts'
import { sudo } from '../modules/sudo/index.ts'
import type { Module } from '../sdk/module.ts'

export const modules: readonly Module[] = [consensus, auth, bank, staking, sudo, evm]

/** Names of all stores, sorted. */
export const storeNames: readonly string[] = modules
  .flatMap(({ stores }) => stores)
  .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
