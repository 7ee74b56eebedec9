/** What of the recorded chain this build does not execute. Shrinks with each module that is built. */
import { modules } from '../src/app/modules.ts'

/** Modules whose writes replay takes from the recording. The one list: a module that is built leaves it. */
export const UNBUILT_MODULES: readonly string[] = [
  ...['authz', 'capability', 'crisis', 'feegrant', 'gov'],
  ...['ibc', 'icacontroller', 'icahost', 'params', 'transfer'],
  ...['upgrade', 'wasm'],
]

/** Module accounts that do not have their module's name. */
const ACCOUNT_OWNERS: Readonly<Record<string, string>> = {
  fee_collector: 'distribution',
  bonded_tokens_pool: 'staking',
  not_bonded_tokens_pool: 'staking',
  mint: 'inflation',
}

/** Names of module accounts that movements of coins are known by. */
export const ACCOUNT_NAMES: readonly string[] = [...UNBUILT_MODULES, ...Object.keys(ACCOUNT_OWNERS)]

/** Stores that do not have their module's name. */
const STORE_OWNERS: Readonly<Record<string, string>> = { acc: 'auth', '08-wasm': 'ibc', feeibc: 'ibc', x: 'evm' }

const unbuilt = new Set(UNBUILT_MODULES)
const built = new Set(modules.map(({ name }) => name))

/** Also of a module that nobody has heard of. */
export function isUnbuilt(module: string): boolean {
  return unbuilt.has(module) || !built.has(module)
}

/** The module that spends from a module account. */
export function ownerOfAccount(name: string): string {
  return ACCOUNT_OWNERS[name] ?? name
}

export function ownerOfStore(store: string): string {
  return STORE_OWNERS[store] ?? store
}

/** The module that handles a message, by the message's neutral name: `chain.oracle.v1beta1.MsgX` is of `oracle`. */
export function ownerOfMessage(typeName: string): string {
  return typeName.startsWith('ibc.') ? 'ibc' : (typeName.split('.')[1] ?? typeName)
}
