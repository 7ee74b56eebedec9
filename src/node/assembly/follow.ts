/** A replica: what it begins from, its sources, and its driver (docs/follow.md). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storesOf } from '../../app/stores.ts'
import type { Application, GenesisDocument } from '../../app/types.ts'
import type { Executor } from '../../consensus/execution.ts'
import { openStreamFolder } from '../../consensus/follow/files/stream-folder.ts'
import type { TrustedBlock } from '../../consensus/follow/light/trust.ts'
import { createPeerChanges, withPeer } from '../../consensus/follow/peer/peer-changes.ts'
import { type Replica, startReplica } from '../../consensus/follow/replica.ts'
import { createNodeBlocks } from '../../consensus/follow/rpc/node-blocks.ts'
import { createNodeRpc, requireUrl } from '../../consensus/follow/rpc/node-rpc.ts'
import type { ChangeSource } from '../../consensus/follow/source.ts'
import type { MempoolLimits } from '../../consensus/solo/mempool.ts'
import { createIdentity } from '../../identity/identity.ts'
import { equal, formatHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Progress } from '../../primitives/progress.ts'
import { NS_PER_MS } from '../../primitives/time.ts'
import type { VersionedStore } from '../../store/versioned.ts'
import type { OpenedChain } from '../chain.ts'
import { configError, parseMemory, parseMilliseconds, type ResolvedConfig } from '../config.ts'
import { keepWithin } from '../disk-budget.ts'
import { diskFiles } from '../files.ts'
import { type Log, moduleLog } from '../log.ts'
import { chooseProfile } from '../profile.ts'
import type { Config } from '../settings.ts'
import { genesisOf } from '../snapshots/peers-trust.ts'
import { peerRpcOf, rpcOf, trustedBlock, trustOf } from './begin-replica.ts'
import { showCatchUp } from './catch-up.ts'
import { requireProfileOf } from './replica-profile.ts'

const isReplica = ({ consensus }: Pick<Config, 'consensus'>): boolean => consensus.engine === 'follow'

/** Returns the settings of a replica, which has no feeder. Throws `invalidArgument` for settings with which it cannot follow. */
export function settingsOfReplica(resolved: ResolvedConfig): ResolvedConfig {
  const { config } = resolved
  if (!isReplica(config)) return resolved
  const { stream, from, forward, snapshot, trustHeight, trustHash } = config.follow
  if (stream === '' && from === '') {
    throw configError(
      'follow.stream (--stream) is empty: set the folder into which the node writes its changes, its streamers.file.write_dir, or follow.from (--from) to the URL of another Almanac',
    )
  }
  if (from !== '') requireUrl(from, 'follow.from (--from)')
  const rpc = config.follow.rpc.length === 0 && from !== '' ? [from] : config.follow.rpc
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
  const follow = { ...config.follow, rpc }
  return { ...resolved, config: { ...config, follow, feeder: { ...config.feeder, enabled: false } } }
}

/** Returns the settings of a new replica with the node's genesis document, unless they name another. */
export async function withNodeGenesis(
  resolved: ResolvedConfig,
  isNew: boolean,
  all: Log,
  undo: (() => unknown)[],
): Promise<ResolvedConfig> {
  const { config, origins } = resolved
  if (!isReplica(config) || !isNew) return resolved
  const { profile } = chooseProfile(config.chain.profile, diskFiles)
  if (config.chain.genesis !== '') {
    requireProfileOf(diskFiles.read(config.chain.genesis) ?? '', profile)
    return resolved
  }
  const rpc = rpcOf(config.follow.rpc, moduleLog(all, 'follow'))
  const document = await genesisOf(rpc)
  requireProfileOf(document, profile)
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

interface Parts {
  readonly chain: OpenedChain
  readonly app: Application
  readonly store: VersionedStore
  readonly executor: Executor
  readonly limits: MempoolLimits
  readonly clock: () => number
  readonly elapsed: () => number
  readonly log: Log
  /** Draws bars on a terminal; absent where the log shows the work. */
  readonly bar: Progress | undefined
}

/** Begins to follow. Resolves once the replica has a block. */
export async function startReplicaEngine(
  { chain, app, store, executor, limits, clock, elapsed, log: all, bar }: Parts,
  undo: (() => unknown)[],
): Promise<Replica> {
  const { config, profile, genesis } = chain
  const { rpc, verify, forward, maxLag } = config.follow
  const log = moduleLog(all, 'follow')
  const identity = createIdentity(profile)
  const { hashedStores, otherStores } = storesOf(identity)
  const nodeRpc = rpcOf(rpc, log)
  const blocks = createNodeBlocks(nodeRpc)
  const trust = trustOf(config, clock())
  if (trust) requireTrusted(executor, trust)
  const first = firstHeight(executor, genesis)
  const anchor = trust && first !== undefined ? await trustedBlock(nodeRpc, genesis.chain_id, trust, first) : undefined
  const maxBytes = parseMemory(config.follow.maxDisk)!
  if (maxBytes > 0) undo.push(keepWithin({ store, onBlock: executor.onBlock, maxBytes, log }))
  const replica = startReplica({
    executor,
    app,
    store,
    firstStores: [...hashedStores, ...otherStores],
    identity,
    genesis,
    changes: openChanges(config),
    blocks,
    anchor,
    verifies: verify === 'every',
    forward: forward.length > 0 ? rpcOf(forward, log) : undefined,
    // Apart from the blocks: its failures do not turn to another URL for them.
    poolRpc: createNodeRpc({ urls: rpc }),
    limits,
    maxLagMs: parseMilliseconds(maxLag)!,
    now: clock,
    elapsed,
    log,
  })
  undo.push(() => replica.stop())
  const onBlock = showCatchUp({ status: replica.status, elapsed, log, bar })
  executor.onBlock(({ header }) => onBlock(header.height, clock() - Number(header.timeNs / NS_PER_MS)))
  if (executor.isEmpty()) log('info', 'waits for the first block')
  await replica.firstBlock
  return replica
}

/** Opens the sources of changes: a stream, another Almanac, or both. */
function openChanges({ follow: { stream, from, deleteFiles } }: Config): ChangeSource {
  const peer = from === '' ? undefined : createPeerChanges(peerRpcOf(from))
  if (stream === '') return peer!
  const files = openStreamFolder({ path: stream, deletes: deleteFiles })
  return peer ? withPeer(files, peer) : files
}

/** Throws `failedPrecondition` if the replica has another block at the trusted height. */
function requireTrusted({ blocks }: Executor, { height, hash }: TrustedBlock): void {
  const ours = blocks.header(height)?.hash
  if (!ours || equal(ours, hash)) return
  throw queryError(
    'failedPrecondition',
    `block ${height} of this replica is ${formatHex(ours).toUpperCase()}, and follow.trust_hash (--trust-hash) is ${formatHex(hash).toUpperCase()}: the home is of another chain, or the hash is wrong`,
  )
}

/** Returns the height of the first block that a replica follows; undefined once it has one. */
function firstHeight(executor: Executor, { initial_height }: GenesisDocument): bigint | undefined {
  if (executor.isEmpty()) return BigInt(initial_height)
  const latest = executor.committedHeight()
  return executor.blocks.block(latest) ? undefined : latest + 1n
}
