/** The state of a home at one height, as the genesis document of a chain that goes on from there. */

import { createApplication } from '../app/application.ts'
import type { GenesisDocument } from '../app/types.ts'
import { createIdentity, evmChainIdOf } from '../identity/identity.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import { openVersionedStore } from '../store/versioned.ts'
import type { Files } from './files.ts'
import { type HomePaths, profileOfHome } from './home.ts'
import { openLmdb } from './lmdb.ts'
import { storeOptionsOf } from './profile.ts'
import { createStateReader } from './state-reader.ts'

/** Throws with `HeightBounds` for a height that is not kept. */
export async function exportHome(paths: HomePaths, files: Files, height: bigint | undefined): Promise<GenesisDocument> {
  const identity = createIdentity(profileOfHome(paths, files))
  const genesis = JSON.parse(files.read(paths.genesis)!) as GenesisDocument
  const backend = openLmdb(paths.data, { readOnly: true })
  try {
    const store = openVersionedStore(backend, storeOptionsOf(identity))
    const app = createApplication({
      identity,
      chainId: genesis.chain_id,
      evmChainId: evmChainIdOf(identity, genesis.chain_id),
      settings: { minGasPrices: '' },
    })
    const withContext = createStateReader(store, openBlockIndex(backend), app)
    return withContext(height, (ctx) => app.exportGenesis(ctx, genesis))
  } finally {
    await backend.close()
  }
}
