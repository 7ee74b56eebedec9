/** The begin of a replica: the snapshot that it restores, and the block that it trusts (docs/follow.md). */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashHeader } from '../../consensus/comet/hashes.ts'
import { type TrustedBlock, trustedHeader } from '../../consensus/follow/light/trust.ts'
import { createNodeBlocks } from '../../consensus/follow/rpc/node-blocks.ts'
import { createNodeHeaders } from '../../consensus/follow/rpc/node-headers.ts'
import { createNodeRpc, type NodeRpc } from '../../consensus/follow/rpc/node-rpc.ts'
import { difference, isSetOf, requireSigned, requireWhole } from '../../consensus/follow/verify.ts'
import { hex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import type { Build } from '../build.ts'
import type { OpenedChain } from '../chain.ts'
import { configError, parseMilliseconds } from '../config.ts'
import { type Log, moduleLog } from '../log.ts'
import type { Config } from '../settings.ts'
import { unpackArchive } from '../snapshots/archive.ts'
import { findSnapshot, type PlacedChunks } from '../snapshots/find-snapshot.ts'
import { restoreChunks, restoreTargetOf } from '../snapshots/home-snapshots.ts'
import { fetchSnapshot } from '../snapshots/peer-snapshot.ts'
import { hasBlocks } from '../snapshots/restore-run.ts'
import { budgetOf, CHUNKS_PERCENT, roomOn } from '../snapshots/room.ts'

/** Time between two questions for the header after a snapshot, and how often it is asked for. Unit: milliseconds. */
const NEXT_MS = 1000
const NEXT_ASKS = 60
/** Time for the changes of many blocks or a chunk of a snapshot, over a slow line. Unit: milliseconds. */
const PEER_MS = 60_000

/** Creates the client of another Almanac's RPC. */
export const peerRpcOf = (url: string): NodeRpc => createNodeRpc({ urls: [url], timeoutMs: PEER_MS })

/** Creates the client of the node's RPC. */
export const rpcOf = (urls: readonly string[], log: Log): NodeRpc =>
  createNodeRpc({
    urls,
    onFailure(url, reason) {
      if (urls.length > 1) log('warn', 'a node does not answer: the next one is asked', { url, reason })
    },
  })

/** Returns the block that the operator trusts; undefined without one. `nowMs` is the wall clock, Unix milliseconds. */
export function trustOf({ follow }: Config, nowMs: number): TrustedBlock | undefined {
  const { trustHeight, trustHash, trustPeriod } = follow
  if (trustHeight === 0n) return undefined
  const vouchesFromNs = BigInt(Math.round(nowMs - parseMilliseconds(trustPeriod)!)) * NS_PER_MS
  return { height: trustHeight, hash: hex(trustHash.toLowerCase()), vouchesFromNs }
}

/** Resolves with the block of a height for which the trusted one vouches. Rejects as `trustedHeader`. */
export async function trustedBlock(
  rpc: NodeRpc,
  chainId: string,
  trust: TrustedBlock,
  height: bigint,
): Promise<Pick<TrustedBlock, 'height' | 'hash'>> {
  const headers = createNodeHeaders(rpc, createNodeBlocks(rpc))
  const header = await trustedHeader(headers, chainId, trust, height, new AbortController().signal)
  return { height, hash: hashHeader(header) }
}

/** Restores the snapshot of a new replica, from a folder or its peer, whose app hash must be the one in a header that validators have signed. */
export async function beginReplica(chain: OpenedChain, build: Build | undefined, all: Log): Promise<void> {
  const { config, home } = chain
  if (config.consensus.engine !== 'follow') return
  const { snapshot, stream, from } = config.follow
  if (snapshot === '' && (from === '' || !home || hasFirstFile(chain))) return
  if (!home) throw configError('follow.snapshot (--snapshot) needs a home: a chain in memory has no snapshots')
  if (await hasBlocks(home.paths.data)) return
  const log = moduleLog(all, 'follow')
  const unpacked = `${home.paths.data}-archive`
  try {
    if (snapshot === '') {
      if (!(await fetched(chain, unpacked, log))) return
    }
    const chunks = await placed(snapshot === '' ? unpacked : snapshot, stream, unpacked)
    await restore(chain, build, chunks, log)
  } finally {
    rmSync(unpacked, { recursive: true, force: true })
  }
}

/** Whether the stream has the file of the first block. */
function hasFirstFile({ config: { follow }, genesis }: OpenedChain): boolean {
  if (follow.stream === '' || !existsSync(follow.stream)) return false
  return readdirSync(follow.stream).some((name) => name.endsWith(`block-${genesis.initial_height}-data`))
}

/** Fetches a snapshot of the peer into a folder, if the peer does not have the first block. Resolves with whether it did. */
async function fetched({ config, genesis }: OpenedChain, folder: string, log: Log): Promise<boolean> {
  const { from } = config.follow
  const { signal } = new AbortController()
  const { earliest } = await createNodeBlocks(rpcOf([from], log)).tip(signal)
  if (earliest <= BigInt(genesis.initial_height)) return false
  log('info', 'fetches a snapshot of the peer', { from, peer_earliest: earliest })
  rmSync(folder, { recursive: true, force: true })
  await fetchSnapshot(peerRpcOf(from), folder, roomOn(folder, CHUNKS_PERCENT, budgetOf(config)), signal)
  return true
}

async function restore(chain: OpenedChain, build: Build | undefined, chunks: PlacedChunks, log: Log): Promise<void> {
  const { config, genesis } = chain
  const { rpc, verify } = config.follow
  const { height } = chunks
  log('info', 'restores a snapshot', { height, chunks: chunks.paths.length })
  const expected = await appHashAfter(rpcOf(rpc, log), {
    height,
    chainId: genesis.chain_id,
    trust: trustOf(config, Date.now()),
    verifies: verify === 'every',
  })
  const appHash = await restoreChunks(restoreTargetOf(chain, build), chunks, height, expected)
  log('info', 'restored the snapshot', { height, app_hash: Buffer.from(appHash).toString('hex').toUpperCase() })
}

/** Resolves with the chunks of a snapshot: of a folder, or of an archive, which is unpacked. */
async function placed(path: string, stream: string, unpacked: string): Promise<PlacedChunks> {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return findSnapshot(path, stream)
  rmSync(unpacked, { recursive: true, force: true })
  await unpackArchive(path, unpacked)
  return findSnapshot(unpacked, stream)
}

interface Wanted {
  /** Height of the snapshot. */
  readonly height: bigint
  readonly chainId: string
  readonly trust: TrustedBlock | undefined
  readonly verifies: boolean
}

/** Resolves with the app hash after a height, from the next header of the node, which validators have signed. */
async function appHashAfter(rpc: NodeRpc, { height, chainId, trust, verifies }: Wanted): Promise<Uint8Array> {
  const { signal } = new AbortController()
  const blocks = createNodeBlocks(rpc, { readsAhead: false })
  for (let asks = 1; ; asks++) {
    const tip = await blocks.tip(signal)
    if (tip.chainId !== chainId)
      throw queryError(
        'failedPrecondition',
        `the node is of chain ${tip.chainId}, and the genesis document of ${chainId}`,
      )
    if (tip.height > height) break
    if (asks >= NEXT_ASKS || tip.height < height)
      throw queryError(
        'failedPrecondition',
        `the snapshot is of height ${height}, and the node has blocks up to ${tip.height}: its app hash is in the next one`,
      )
    await sleep(NEXT_MS)
  }
  const next = await blocks.block(height + 1n, signal)
  requireWhole(next, chainId)
  if (!verifies) return next.header.appHash
  const set = await blocks.validators(height + 1n, signal)
  if (!isSetOf(next.header.validatorsHash, set))
    throw difference(height + 1n, 'the validators that the node names are not those of its header')
  requireSigned(chainId, next, set)
  if (!trust) return next.header.appHash
  const headers = createNodeHeaders(rpc, blocks)
  return (await trustedHeader(headers, chainId, trust, height + 1n, signal)).appHash
}
