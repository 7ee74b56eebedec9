/**
 * Homes whose database is gone although their chain has made blocks: a disk that is not mounted, or a deleted folder. Without its
 * database the chain would begin again, and its validator would sign other blocks at heights that it has signed.
 */
import { queryError } from '../primitives/errors.ts'
import type { OpenedChain } from './chain.ts'
import type { Files } from './files.ts'
import { hadBlocks, recordBlocks } from './home-record.ts'

/** Remedies, the first two of which keep the chain. */
export const LOST_CHAIN_REMEDY =
  'mount the disk with its data, or restore a backup (`almanac restore`); `almanac reset` deletes the rest for a new chain'

/**
 * Throws `dataLoss` if the chain of a home has made blocks that its database does not contain. An engine beside the node keeps its own
 * record of what it has signed, and makes the state again from its blocks.
 */
export function requireChain({ home, config }: OpenedChain, height: number, files: Files): void {
  if (!home || height > 0 || config.consensus.engine !== 'solo' || !hadBlocks(home.paths, files)) return
  const { root, data } = home.paths
  throw queryError('dataLoss', `the chain in ${root} has blocks that ${data} does not contain: ${LOST_CHAIN_REMEDY}`)
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
