/** The store and the blocks of a chain that another process or thread writes. */
import { storesOf } from '../app/stores.ts'
import type { Application } from '../app/types.ts'
import type { Identity } from '../identity/types.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import type { BlockIndex } from '../indexer/types.ts'
import type { Backend } from '../store/backend/backend.ts'
import { openVersionedStore, type VersionedStore } from '../store/versioned.ts'
import { createStateReader, type WithContext } from './state-reader.ts'

interface ChainReader {
  readonly store: VersionedStore
  readonly blocks: BlockIndex
  readonly withContext: WithContext
}

/** Opens the chain in a read-only backend. The caller closes the backend. */
export function openReader(backend: Backend, identity: Identity, app: Application): ChainReader {
  const store = openVersionedStore(backend, storesOf(identity))
  const blocks = openBlockIndex(backend, () => store.latestHeight())
  return { store, blocks, withContext: createStateReader(store, blocks, app) }
}
