/** The state of a home at one height, as the genesis document of a chain that goes on from there. */

import { createApplication } from '../app/application.ts'
import type { GenesisDocument } from '../app/types.ts'
import { evmChainIdOf } from '../identity/identity.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import { formatRfc3339Nano } from '../primitives/time.ts'
import { openVersionedStore } from '../store/versioned.ts'
import type { Files } from './files.ts'
import type { HomePaths } from './home.ts'
import { openLmdb } from './lmdb.ts'
import { createStateReader } from './state-reader.ts'

/** Throws with `HeightBounds` for a height that is not kept. */
export async function exportHome(paths: HomePaths, files: Files, height: bigint | undefined): Promise<GenesisDocument> {
  const genesis = JSON.parse(files.read(paths.genesis)!) as GenesisDocument
  const backend = openLmdb(paths.data, { readOnly: true })
  try {
    const store = openVersionedStore(backend)
    const app = createApplication({
      identity: almanac,
      chainId: genesis.chain_id,
      evmChainId: evmChainIdOf(almanac, genesis.chain_id),
      settings: { minGasPrices: '' },
    })
    const withContext = createStateReader(store, openBlockIndex(backend), app)
    return withContext(height, (ctx) => ({
      ...genesis,
      genesis_time: formatRfc3339Nano(ctx.block.timeNs),
      initial_height: (ctx.block.height + 1n).toString(),
      app_state: app.exportGenesis(ctx),
    }))
  } finally {
    await backend.close()
  }
}
