/**
 * Homes whose database is gone although their chain has made blocks: a disk that is not mounted, or a deleted folder. Without its
 * database the chain would begin again, and its validator would sign other blocks at heights that it has signed.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type ChainError, queryError } from '../primitives/errors.ts'
import type { OpenedChain } from './chain.ts'
import { DATABASE } from './database-meta.ts'
import type { Files } from './files.ts'
import type { HomePaths } from './home-paths.ts'
import { hadBlocks, recordBlocks } from './home-record.ts'

/** Remedies, the first two of which keep the chain. */
export const LOST_CHAIN_REMEDY =
  'mount the disk with its data, or restore a backup (`almanac restore DIR --home NEW`); `almanac reset` deletes the rest for a new chain'

/** Says that the chain of a home has made blocks that its database does not contain. */
export const lostChainText = ({ root, data }: HomePaths): string =>
  `the chain in ${root} has blocks that ${data} does not contain`

const lostChain = (paths: HomePaths): ChainError =>
  queryError('dataLoss', `${lostChainText(paths)}: ${LOST_CHAIN_REMEDY}`)

/** Whether a home has a database file with content. */
export function hasDatabase({ data }: HomePaths): boolean {
  return (statSync(join(data, DATABASE), { throwIfNoEntry: false })?.size ?? 0) > 0
}

/**
 * Throws `dataLoss` if the chain of a home has made blocks and `hasBlocks` is false. An engine beside the node keeps its own
 * record of what it has signed, and makes the state again from its blocks.
 */
export function requireChain({ home, config }: OpenedChain, hasBlocks: boolean, files: Files): void {
  if (!home || hasBlocks || config.consensus.engine !== 'solo' || !hadBlocks(home.paths, files)) return
  throw lostChain(home.paths)
}

/** Returns the error for a home without a block: its chain never made one (`failedPrecondition`), or lost them (`dataLoss`). */
export function noBlockError(paths: HomePaths, files: Files): ChainError {
  return hadBlocks(paths, files)
    ? lostChain(paths)
    : queryError('failedPrecondition', `the chain in ${paths.root} has no block yet: \`almanac start\` makes the first`)
}

/** Throws the error of `noBlockError` for a home without a database. */
export function requireDatabase(paths: HomePaths, files: Files): void {
  if (!hasDatabase(paths)) throw noBlockError(paths, files)
}

/** Records that the chain of a home has blocks, now or once the first is made. */
export function recordFirstBlock(
  { home }: OpenedChain,
  files: Files,
  height: bigint,
  onBlock: (listener: () => void) => () => void,
): void {
  if (!home) return
  if (height > 0n) {
    recordBlocks(home.paths, files)
    return
  }
  const end = onBlock(() => {
    end()
    recordBlocks(home.paths, files)
  })
}
