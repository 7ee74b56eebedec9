/** The rollback of a stopped chain to an earlier height: state, blocks and indexes. */

import { storesOf } from '../app/stores.ts'
import { rollbackChain } from '../consensus/rollback.ts'
import { createIdentity } from '../identity/identity.ts'
import { openStore } from './backend.ts'
import type { Files } from './files.ts'
import type { HomePaths } from './home-paths.ts'
import { profileOfHome } from './home-record.ts'
import { requireDatabase } from './lost-chain.ts'
import { readUpgradeInfo, upgradeInfoPath } from './upgrade-info.ts'

export interface RolledBack {
  /** Height before the rollback. */
  readonly from: bigint
  readonly appHash: Uint8Array
  /** The upgrade of a deleted `upgrade-info.json`, whose height is in the future again. */
  readonly forgotten: string | undefined
}

/**
 * Restores the chain of a home as it was after a kept height. Rejects with `HeightBounds` for a height that is not kept or
 * not reached. `keepHeights` as in the settings: 0 keeps all.
 */
export async function rollbackHome(
  paths: HomePaths,
  files: Files,
  height: bigint,
  keepHeights: number,
): Promise<RolledBack> {
  const identity = createIdentity(profileOfHome(paths, files))
  requireDatabase(paths, files)
  const { store } = await openStore(
    { path: paths.data },
    { ...storesOf(identity), ...(keepHeights > 0 && { keepHeights }) },
  )
  try {
    const from = store.latestHeight()
    // Throws for an unavailable height before anything changes.
    store.at(height).close()
    if (height === from) return { from, appHash: store.appHash(), forgotten: undefined }
    const { appHash } = rollbackChain(store, height)
    return { from, appHash, forgotten: forgetUpgrade(paths, files, height) }
  } finally {
    await store.close()
  }
}

/** Deletes the file of an upgrade after the next block, so that no supervisor takes it for one that is due. */
function forgetUpgrade({ data }: HomePaths, files: Files, height: bigint): string | undefined {
  const found = readUpgradeInfo(data, files)
  if (found.kind !== 'whole' || found.upgrade.height <= height + 1n) return undefined
  files.remove(upgradeInfoPath(data))
  return found.upgrade.name
}
