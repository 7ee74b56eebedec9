/** Read access to the chain of a home, whether a node runs on it or not. */
import { createApplication } from '../app/application.ts'
import { withChainConfig } from '../app/chain-config.ts'
import type { Application, GenesisDocument } from '../app/types.ts'
import { createIdentity, evmChainIdOf } from '../identity/identity.ts'
import type { Progress } from '../primitives/progress.ts'
import type { VersionedStore } from '../store/versioned.ts'
import { openBackend } from './backend.ts'
import type { Build } from './build.ts'
import type { Files } from './files.ts'
import type { HomePaths } from './home-paths.ts'
import { profileOfHome } from './home-record.ts'
import { requireDatabase } from './lost-chain.ts'
import { openReader } from './open-reader.ts'
import type { WithContext } from './state-reader.ts'

interface ReadHome {
  readonly app: Application
  readonly genesis: GenesisDocument
  readonly store: Pick<VersionedStore, 'at' | 'latestHeight'>
  readonly withContext: WithContext
}

interface ReadOptions {
  readonly build?: Build | undefined
  /** Heights of blocks that drop a due plan. */
  readonly skip?: readonly bigint[]
  /** Shows the rehearsal of an upgrade. */
  readonly progress?: Progress | undefined
}

/** Opens the chain of a home, runs `use`, and closes it. */
export async function readHome<T>(
  paths: HomePaths,
  files: Files,
  use: (home: ReadHome) => T,
  { build, skip = [], progress }: ReadOptions = {},
): Promise<T> {
  const profile = profileOfHome(paths, files)
  const genesis = JSON.parse(files.read(paths.genesis)!) as GenesisDocument
  const identity = createIdentity(withChainConfig(profile, genesis))
  requireDatabase(paths, files)
  const backend = await openBackend({ path: paths.data, readOnly: true })
  try {
    const app = createApplication({
      identity,
      chainId: genesis.chain_id,
      evmChainId: evmChainIdOf(identity, genesis.chain_id),
      settings: { minGasPrices: '' },
      skipUpgrades: skip,
      progress,
      ...build,
    })
    const { store, withContext } = openReader(backend, identity, app)
    return use({ app, genesis, store, withContext })
  } finally {
    await backend.close()
  }
}
