/** The chain of a home, for reading: beside a node that runs on it, or without one. */
import { createApplication } from '../app/application.ts'
import type { Application, GenesisDocument } from '../app/types.ts'
import { createIdentity, evmChainIdOf } from '../identity/identity.ts'
import { openBlockIndex } from '../indexer/block-index.ts'
import { openVersionedStore, type VersionedStore } from '../store/versioned.ts'
import type { Build } from './build.ts'
import type { Files } from './files.ts'
import { type HomePaths, profileOfHome, requireDatabase } from './home.ts'
import { openLmdb } from './lmdb.ts'
import { storeOptionsOf } from './profile.ts'
import { createStateReader, type WithContext } from './state-reader.ts'

interface ReadHome {
  readonly app: Application
  readonly genesis: GenesisDocument
  readonly store: Pick<VersionedStore, 'at' | 'latestHeight'>
  readonly withContext: WithContext
}

/** Opens it, hands it over, closes it. `skip`: heights of blocks that drop a plan that is due. */
export async function readHome<T>(
  paths: HomePaths,
  files: Files,
  use: (home: ReadHome) => T,
  { build, skip = [] }: { readonly build?: Build | undefined; readonly skip?: readonly bigint[] } = {},
): Promise<T> {
  const identity = createIdentity(profileOfHome(paths, files))
  const genesis = JSON.parse(files.read(paths.genesis)!) as GenesisDocument
  requireDatabase(paths, files)
  const backend = openLmdb(paths.data, { readOnly: true })
  try {
    const store = openVersionedStore(backend, storeOptionsOf(identity))
    const app = createApplication({
      identity,
      chainId: genesis.chain_id,
      evmChainId: evmChainIdOf(identity, genesis.chain_id),
      settings: { minGasPrices: '' },
      skipUpgrades: skip,
      ...build,
    })
    return use({ app, genesis, store, withContext: createStateReader(store, openBlockIndex(backend), app) })
  } finally {
    await backend.close()
  }
}
