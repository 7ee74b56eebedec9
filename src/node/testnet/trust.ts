/** The block that a new node of a network trusts, so that its engine can verify a snapshot of the others. */
import { queryError } from '../../primitives/errors.ts'
import { homePaths } from '../home-paths.ts'
import { openSnapshotFolder } from '../snapshots/folder.ts'
import type { TestnetNode } from './manifest.ts'

/** Time in which a node answers. Beyond: it counts as one that does not. */
const ANSWER_MS = 5000

export interface Trust {
  /** URLs of the CometBFT RPC of nodes that answer, at least two. */
  readonly rpcServers: readonly string[]
  readonly height: bigint
  /** Hash of the block, 64 hexadecimal digits. */
  readonly hash: string
}

interface CommitAnswer {
  readonly signed_header: { readonly commit: { readonly block_id: { readonly hash: string } } }
}

/** Returns the hash that a node has for a block; undefined if it does not answer. */
async function blockHash({ comet }: TestnetNode, height: bigint): Promise<string | undefined> {
  try {
    const answer = await fetch(`${comet}/commit?height=${height}`, { signal: AbortSignal.timeout(ANSWER_MS) })
    return ((await answer.json()) as { readonly result?: CommitAnswer }).result?.signed_header.commit.block_id.hash
  } catch {
    return undefined
  }
}

/**
 * Returns the block of the newest snapshot in the homes of a network, and the nodes that have it. Rejects with
 * `failedPrecondition` without a snapshot, and with `unavailable` if no node answers.
 */
export async function trustOf(nodes: readonly TestnetNode[]): Promise<Trust> {
  const heights = nodes.flatMap(({ home }) => openSnapshotFolder(homePaths(home).snapshots).list())
  const height = heights.reduce((newest, one) => (one.height > newest ? one.height : newest), 0n)
  if (height === 0n) {
    throw queryError(
      'failedPrecondition',
      `--state-sync: no node has a snapshot yet; each makes one at the heights of snapshots.interval, and \`almanac snapshot create --home ${nodes[0]!.home}\` makes one now`,
    )
  }
  const hashes = await Promise.all(nodes.map((node) => blockHash(node, height)))
  const hash = hashes.find((one) => one !== undefined)
  if (hash === undefined)
    throw queryError('unavailable', '--state-sync: no node of the network answers; start it first')
  const rpcServers = nodes.filter((_, i) => hashes[i] === hash).map(({ comet }) => comet)
  // The engine compares two servers, also those of a network of one.
  return { rpcServers: rpcServers.length > 1 ? rpcServers : [...rpcServers, ...rpcServers], height, hash }
}
