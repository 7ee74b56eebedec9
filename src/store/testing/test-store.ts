/** A versioned store for tests, with its own stores. */
import type { Backend } from '../backend/backend.ts'
import { openVersionedStore, type VersionedStore, type VersionedStoreOptions } from '../versioned.ts'

const TEST_STORES = {
  hashedStores: ['acc', 'bank', 'evm', 'inflation', 'oracle', 'staking', 'wasm'],
  otherStores: ['x'],
}

/** Opens a store with the test's stores, unless the options name others. */
export function openTestStore(backend: Backend, options: Partial<VersionedStoreOptions> = {}): VersionedStore {
  return openVersionedStore(backend, { ...TEST_STORES, ...options })
}
