/** A replica: what it begins from, its sources, and its driver (docs/follow.md). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storesOf } from '../../app/stores.ts'
import type { Application } from '../../app/types.ts'
import type { Executor } from '../../consensus/executor.ts'
import { openStreamFolder } from '../../consensus/follow/files/stream-folder.ts'
import { type Replica, startReplica } from '../../consensus/follow/replica.ts'
import { createNodeBlocks } from '../../consensus/follow/rpc/node-blocks.ts'
import { createNodeRpc, type NodeRpc, requireUrl } from '../../consensus/follow/rpc/node-rpc.ts'
import type { BlockSource } from '../../consensus/follow/source.ts'
import { requireSigned, requireWhole } from '../../consensus/follow/verify.ts'
import type { MempoolLimits } from '../../consensus/solo/mempool.ts'
import { createIdentity } from '../../identity/identity.ts'
import { queryError } from '../../primitives/errors.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import type { Build } from '../build.ts'
import type { OpenedChain } from '../chain.ts'
import { configError, parseMilliseconds, type ResolvedConfig } from '../config.ts'
import { diskFiles } from '../files.ts'
import { type Log, moduleLog } from '../log.ts'
import type { Config } from '../settings.ts'
import { findSnapshot } from '../snapshots/find-snapshot.ts'
import { restoreChunks, restoreTargetOf } from '../snapshots/home-snapshots.ts'
import { hasBlocks } from '../snapshots/restore-run.ts'

const isReplica = ({ consensus }: Pick<Config, 'consensus'>): boolean => consensus.engine === 'follow'

/** Returns the settings of a replica, which has no feeder. Throws `invalidArgument` for settings with which it cannot follow. */
export function settingsOfReplica(resolved: ResolvedConfig): ResolvedConfig {
  const { config } = resolved
  if (!isReplica(config)) return resolved
  const { stream, rpc, forward, snapshot, trustHeight, trustHash } = config.follow
  if (stream === '') {
    throw configError(
      'follow.stream (--stream) is empty: set the folder into which the node writes its changes, its streamers.file.write_dir',
    )
  }
  if (rpc.length === 0)
    throw configError('follow.rpc (--rpc) is empty: set the URL of the RPC of the node, such as http://127.0.0.1:26657')
  for (const url of rpc) requireUrl(url, 'follow.rpc (--rpc)')
  for (const url of forward) requireUrl(url, 'follow.forward (--forward)')
  if (snapshot !== '' && config.chain.genesis !== '')
    throw configError(
      'follow.snapshot (--snapshot) and chain.genesis (--genesis) exclude each other: a replica begins once',
    )
  if (trustHeight > 0n !== (trustHash !== ''))
    throw configError('follow.trust_height (--trust-height) and follow.trust_hash (--trust-hash) belong together')
  if (trustHash !== '' && !/^[0-9a-f]{64}$/i.test(trustHash)) {
    throw configError(
      `follow.trust_hash (--trust-hash) is "${trustHash}": it must be the hash of block ${trustHeight}, 64 hexadecimal digits`,
    )
  }
  return { ...resolved, config: { ...config, feeder: { ...config.feeder, enabled: false } } }
}

const rpcOf = (urls: readonly string[], log: Log): NodeRpc =>
  createNodeRpc({
    urls,
    onFailure(url, reason) {
      if (urls.length > 1) log('warn', 'a node does not answer: the next one is asked', { url, reason })
    },
  })

/** Returns the settings of a new replica with the node's genesis document, unless they name another. */
export async function withNodeGenesis(
  resolved: ResolvedConfig,
  isNew: boolean,
  all: Log,
  undo: (() => unknown)[],
): Promise<ResolvedConfig> {
  const { config, origins } = resolved
  if (!isReplica(config) || !isNew || config.chain.genesis !== '') return resolved
  const rpc = rpcOf(config.follow.rpc, moduleLog(all, 'follow'))
  const document = await genesisOf(rpc)
  const folder = mkdtempSync(join(tmpdir(), 'almanac-follow-'))
  undo.push(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'genesis.json')
  diskFiles.write(path, document)
  return {
    ...resolved,
    config: { ...config, chain: { ...config.chain, genesis: path } },
    origins: new Map([...origins, ['chain.genesis', 'flag']]),
  }
}

/** Asks for the genesis document, in chunks if it is large. */
async function genesisOf(rpc: NodeRpc): Promise<string> {
  const never = new AbortController().signal
  try {
    const { genesis } = await rpc.call('genesis', {}, never)
    return JSON.stringify(genesis)
  } catch (error) {
    if (!/chunk/i.test(String(error))) throw error
  }
  let text = ''
  for (let chunk = 0; ; chunk++) {
    const found = await rpc.call('genesis_chunked', { chunk: String(chunk) }, never)
    text += Buffer.from(String(found['data']), 'base64').toString('utf8')
    if (chunk + 1 >= Number(found['total'])) return text
  }
}

/** Restores the snapshot of a new replica, whose app hash must be the one in a header that validators have signed. */
export async function beginReplica(chain: OpenedChain, build: Build | undefined, all: Log): Promise<void> {
  const { config, home, genesis } = chain
  if (!isReplica(config)) return
  const { snapshot, rpc, verify, stream } = config.follow
  if (snapshot === '') return
  if (!home) throw configError('follow.snapshot (--snapshot) needs a home: a chain in memory has no snapshots')
  if (await hasBlocks(home.paths.data)) return
  const log = moduleLog(all, 'follow')
  const chunks = findSnapshot(snapshot, stream)
  const { height } = chunks
  log('info', 'restores a snapshot', { height, chunks: chunks.paths.length })
  const blocks = createNodeBlocks(rpcOf(rpc, log))
  const expected = await signedAppHash(blocks, height, genesis.chain_id, verify === 'every')
  const appHash = await restoreChunks(restoreTargetOf(chain, build), chunks, height, expected)
  log('info', 'restored the snapshot', { height, app_hash: Buffer.from(appHash).toString('hex').toUpperCase() })
}

/** Returns the app hash after a height, from the next header of the node. */
async function signedAppHash(blocks: BlockSource, height: bigint, chainId: string, verifies: boolean) {
  const never = new AbortController().signal
  const tip = await blocks.tip(never)
  if (tip.chainId !== chainId)
    throw queryError(
      'failedPrecondition',
      `the node is of chain ${tip.chainId}, and the genesis document of ${chainId}`,
    )
  if (tip.height <= height) {
    throw queryError(
      'failedPrecondition',
      `the snapshot is of height ${height}, and the node has blocks up to ${tip.height}: its app hash is in the next one`,
    )
  }
  const next = await blocks.block(height + 1n, never)
  requireWhole(next, chainId)
  if (verifies) requireSigned(chainId, next, await blocks.validators(height + 1n, never))
  return next.header.appHash
}

interface Parts {
  readonly chain: OpenedChain
  readonly app: Application
  readonly store: VersionedStore
  readonly executor: Executor
  readonly limits: MempoolLimits
  readonly clock: () => number
  readonly elapsed: () => number
  readonly log: Log
}

/** Begins to follow. Resolves once the replica has a block. */
export async function startReplicaEngine(
  { chain, app, store, executor, limits, clock, elapsed, log: all }: Parts,
  undo: (() => unknown)[],
): Promise<Replica> {
  const { config, profile, genesis } = chain
  const { stream, rpc, verify, deleteFiles, forward, maxLag } = config.follow
  const log = moduleLog(all, 'follow')
  const identity = createIdentity(profile)
  const { hashedStores, otherStores } = storesOf(identity)
  const replica = startReplica({
    executor,
    app,
    store,
    firstStores: [...hashedStores, ...otherStores],
    identity,
    genesis,
    changes: openStreamFolder({ path: stream, deletes: deleteFiles }),
    blocks: createNodeBlocks(rpcOf(rpc, log)),
    verifies: verify === 'every',
    forward: forward.length > 0 ? rpcOf(forward, log) : undefined,
    limits,
    maxLagMs: parseMilliseconds(maxLag)!,
    now: clock,
    elapsed,
    log,
  })
  undo.push(() => replica.stop())
  if (executor.isEmpty()) log('info', 'waits for the first block of the stream', { stream })
  await replica.firstBlock
  return replica
}
