/** Snapshots of a home: made from its store, whether a node runs on it or not, and restored into one without blocks. */
import { readFileSync } from 'node:fs'
import { createApplication } from '../../app/application.ts'
import { type StoreList, storesOf } from '../../app/stores.ts'
import type { SnapshotRecord } from '../../consensus/cometbft/snapshot-record.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { queryError } from '../../primitives/errors.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { openBackend } from '../backend.ts'
import type { Build } from '../build.ts'
import type { OpenedChain } from '../chain.ts'
import { isAlive } from '../lock.ts'
import { type ChunkFiles, openSnapshotFolder } from './folder.ts'
import { type HomeRestore, hasBlocks, type RestoreTarget, startRestore } from './restore-run.ts'
import { budgetOf, roomOn, STATE_PERCENT } from './room.ts'
import { writeSnapshot } from './write.ts'

/** A snapshot that was made, with the app hash that it restores to. */
export interface MadeSnapshot {
  readonly record: SnapshotRecord
  readonly appHash: Uint8Array
}

export interface SnapshotSource {
  /** Folder of the database. */
  readonly data: string
  /** Folder of the snapshots. */
  readonly snapshots: string
  readonly stores: StoreList
  /** Absent: the latest height. */
  readonly height: bigint | undefined
  /** Called once the height is held: from then on the chain can prune it. */
  readonly onOpen?: () => void
  /** Receives the number of keys that are written, and that of all. */
  readonly onProgress?: (done: number, total: number) => void
}

/** Makes a snapshot. Rejects with the errors of `VersionedStore.at`, and with `alreadyExists` if there is one of the height. */
export async function makeSnapshot({
  data,
  snapshots,
  stores,
  height,
  onOpen,
  onProgress,
}: SnapshotSource): Promise<MadeSnapshot> {
  const folder = openSnapshotFolder(snapshots)
  folder.clean(isAlive)
  const backend = await openBackend({ path: data, readOnly: true })
  try {
    const state = openVersionedStore(backend, stores).exportAt(height)
    try {
      onOpen?.()
      if (folder.has(state.height))
        throw queryError('alreadyExists', `there is a snapshot of height ${state.height} already`)
      const record = await writeSnapshot(state, folder.begin(state.height), (count) =>
        onProgress?.(count, state.keyCount),
      )
      return { record, appHash: state.appHash }
    } finally {
      state.close()
    }
  } finally {
    await backend.close()
  }
}

/** Returns the target of a restore into a chain that is open, and has no block. */
export function restoreTargetOf(
  { config, home, profile, genesis }: OpenedChain,
  build: Build | undefined,
): Omit<RestoreTarget, 'height' | 'hash'> {
  const identity = createIdentity(profile)
  const chainId = genesis.chain_id
  const evmChainId = evmChainIdOf(identity, chainId)
  const app = createApplication({ identity, chainId, evmChainId, settings: { minGasPrices: '' }, ...build })
  const { data } = home!.paths
  const room = roomOn(data, STATE_PERCENT, budgetOf(config))
  return { data, stores: storesOf(identity), app, chainId, room }
}

/**
 * Restores a snapshot into a chain without blocks. Resolves with the app hash. Rejects with `failedPrecondition` if the chain has
 * blocks, `dataLoss` if the snapshot is damaged or gives another app hash than the expected one. `onChunk` receives the number
 * of chunks so far.
 */
export async function restoreChunks(
  target: Omit<RestoreTarget, 'height' | 'hash'>,
  { record, paths }: ChunkFiles,
  height: bigint,
  expected: Uint8Array | undefined,
  onChunk: (count: number) => void = () => undefined,
): Promise<Uint8Array> {
  if (await hasBlocks(target.data)) {
    throw queryError(
      'failedPrecondition',
      `${target.data} has blocks: a snapshot is restored into a home without blocks; use another with --home, or \`almanac reset\``,
    )
  }
  const run: HomeRestore = startRestore({ ...target, height, hash: record?.hash })
  try {
    for (const [index, path] of paths.entries()) {
      await run.write(readFileSync(path))
      onChunk(index + 1)
    }
    return await run.finish(expected)
  } catch (error) {
    await run.abandon()
    throw error
  }
}
