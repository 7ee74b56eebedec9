/** Taking a stopped chain back to an earlier height: state, blocks and what is found by them. */
import { createIdentity } from '../identity/identity.ts'
import { rollbackRows } from '../indexer/rollback.ts'
import { openVersionedStore } from '../store/versioned.ts'
import type { Files } from './files.ts'
import { type HomePaths, profileOfHome, requireDatabase } from './home.ts'
import { openLmdb } from './lmdb.ts'
import { storeOptionsOf } from './profile.ts'
import { readUpgradeInfo, upgradeInfoPath } from './upgrade-info.ts'

export interface RolledBack {
  /** Where the chain stood before. */
  readonly from: bigint
  readonly appHash: Uint8Array
  /** The upgrade that a removed `upgrade-info.json` named: the chain stands long before its height again. */
  readonly forgotten: string | undefined
}

/**
 * Makes the chain of a home what it was after a kept height. Throws with `HeightBounds` for a height that is not kept or
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
  const store = openVersionedStore(openLmdb(paths.data), {
    ...storeOptionsOf(identity),
    ...(keepHeights > 0 && { keepHeights }),
  })
  try {
    const from = store.latestHeight()
    // It throws what is wrong with the height, before anything is changed.
    store.at(height).close()
    if (height === from) return { from, appHash: store.appHash(), forgotten: undefined }
    const rows = rollbackRows(store.tables, height)
    const { appHash } = store.rollback({ height, records: () => rows })
    return { from, appHash, forgotten: forgetUpgrade(paths, files, height) }
  } finally {
    await store.close()
  }
}

/** Removes what an upgrade after the next block left, so that nobody takes it for one that is due. */
function forgetUpgrade({ data }: HomePaths, files: Files, height: bigint): string | undefined {
  const found = readUpgradeInfo(data, files)
  if (found.kind !== 'whole' || found.upgrade.height <= height + 1n) return undefined
  files.remove(upgradeInfoPath(data))
  return found.upgrade.name
}
