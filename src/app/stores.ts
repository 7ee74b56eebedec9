/** The stores of the chain. The versioned store does not depend on modules, so the application declares the stores. */
import type { Identity } from '../identity/types.ts'

/** The declared stores of a chain. A write to any other store throws. */
export interface StoreList {
  /** Stores in the app hash, in the order of their names. */
  readonly hashedStores: readonly string[]
  /** Stores outside the app hash. */
  readonly otherStores: readonly string[]
}

/** The stores of the reference chain, all in its app hash, in use or not (docs/state-layout.md#stores). */
const CHAIN_STORES: readonly string[] = [
  ...['08-wasm', 'acc', 'authz', 'bank', 'capability', 'consensus', 'crisis', 'devgas', 'distribution', 'epochs'],
  ...['evidence', 'evm', 'feegrant', 'feeibc', 'gov', 'ibc', 'icacontroller', 'icahost', 'inflation', 'oracle'],
  ...['params', 'slashing', 'staking', 'sudo', 'tokenfactory', 'transfer', 'upgrade', 'wasm'],
]

/** The store of state that only this implementation has (D29). */
const OWN_STORE = 'x'

/** Stores of a chain under this implementation's own profiles: all of them are in the app hash. */
export const ALMANAC_STORES: StoreList = { hashedStores: [...CHAIN_STORES, OWN_STORE], otherStores: [] }

/** Stores of a chain whose app hashes equal those of the reference chain (D28). */
export const REFERENCE_STORES: StoreList = { hashedStores: CHAIN_STORES, otherStores: [OWN_STORE] }

/** Returns the stores of a chain under a profile. */
export function storesOf({ behaviours }: Identity): StoreList {
  return behaviours.ownStoreOutsideAppHash ? REFERENCE_STORES : ALMANAC_STORES
}
