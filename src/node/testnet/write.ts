/** The homes of a network on this machine: keys, settings, one genesis document, and its nodes for programs. */
import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { withChainConfig } from '../../app/chain-config.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { queryError } from '../../primitives/errors.ts'
import { createLocalnet, openChain } from '../chain.ts'
import { configError, type PartialConfig, parseMilliseconds, type ResolvedConfig, resolveConfig } from '../config.ts'
import { parseConfigFile, renderConfigFile } from '../config-file.ts'
import type { Files } from '../files.ts'
import { addressOf } from '../gateways.ts'
import { homePaths } from '../home-paths.ts'
import { profileOfHome } from '../home-record.ts'
import { unwind } from '../unwind.ts'
import { formatValidatorKey, type ValidatorKey, validatorKeyOf } from '../validator-key.ts'
import { homeInTestnet, nodeAt, readTestnet, type Testnet, type TestnetNode, writeTestnet } from './manifest.ts'
import { formatPeerKey, peerIdOf } from './peer-key.ts'
import { type Layout, type Place, placeOf } from './places.ts'
import { type Trust, trustOf } from './trust.ts'

/** The genesis document in the folder of a network. */
const GENESIS = 'genesis.json'

interface World {
  readonly files: Files
  /** Wall clock, Unix milliseconds. */
  readonly clock: () => number
  readonly random?: (length: number) => Uint8Array
}

export interface TestnetOptions {
  readonly folder: string
  readonly layout: Layout
  /** The settings of the chain, of which `chain.validators` is the number of nodes. */
  readonly resolved: ResolvedConfig
}

const newKey = ({ random }: World): ValidatorKey => validatorKeyOf(random?.(32) ?? new Uint8Array(randomBytes(32)))

/** Returns the folder of the engine's configuration and keys in a home. */
export const engineConfig = (home: string): string => join(homePaths(home).engine, 'config')

/** The parts of a home that differ between nodes. */
interface NodeParts {
  readonly home: string
  readonly moniker: string
  readonly place: Place
  readonly validatorKey: ValidatorKey
  readonly peerKey: ValidatorKey
  readonly peers: readonly string[]
  /** The block that it trusts, if it begins at a snapshot of the others. */
  readonly trust?: Trust | undefined
}

/** The settings that all nodes of a network share. */
interface SharedParts {
  /** File of the genesis document. */
  readonly genesis: string
  readonly profile: string
  /** Program of the engine; empty for `cometbft` on PATH. */
  readonly program: string
  /** Time between blocks; undefined for the engine's own. */
  readonly blockTime: string | undefined
  /** Heights between two snapshots of each node. */
  readonly snapshotInterval: number
}

/** Heights between two snapshots, unless the user chooses: soon enough to try state sync. */
const SNAPSHOT_INTERVAL = 100

/** Returns the settings of a node. The machine is shared, so no node has processes of its own for its gateways. */
function settingsOf({ place, moniker, peers, trust }: NodeParts, shared: SharedParts): PartialConfig {
  const { host } = place
  return {
    chain: { genesis: shared.genesis, profile: shared.profile },
    ...(shared.blockTime !== undefined && { blocks: { time: shared.blockTime } }),
    consensus: {
      engine: 'cometbft',
      ...(shared.program !== '' && { program: shared.program }),
      rpc: `http://${addressOf(host, place.engine)}`,
      p2p: `tcp://${addressOf(host, place.p2p)}`,
      peers: peers.join(','),
    },
    node: { moniker },
    rest: { host, port: place.rest },
    grpc: { host, port: place.grpc },
    jsonrpc: { host, port: place.jsonrpc, wsPort: place.ws },
    comet: { host, port: place.comet },
    api: { workers: 0 },
    snapshots: { interval: shared.snapshotInterval },
    ...(trust && {
      statesync: { enabled: true, rpcServers: trust.rpcServers, trustHeight: trust.height, trustHash: trust.hash },
    }),
  }
}

/** Writes a home. Rejects with the errors of a start with this genesis document. */
async function writeHome(node: NodeParts, shared: SharedParts, { files, clock }: World): Promise<void> {
  const paths = homePaths(node.home)
  const resolved = resolveConfig({ caller: settingsOf(node, shared) })
  // A profile or a document that came from a file is in the home, and its path is no setting.
  files.write(
    paths.config,
    renderConfigFile(resolved, ({ section }) => section !== 'chain'),
  )
  files.write(paths.validatorKey, formatValidatorKey(node.validatorKey), { secret: true })
  files.write(join(engineConfig(node.home), 'node_key.json'), formatPeerKey(node.peerKey), { secret: true })
  const undo: (() => unknown)[] = []
  try {
    openChain({ resolved, home: node.home }, files, clock, undo)
  } finally {
    await unwind(undo)
  }
}

/** Throws `invalidArgument` unless a folder can receive a network. */
function requireEmpty(folder: string, files: Files): void {
  if (folder === '') throw configError('--output is empty: give a folder for the network')
  if (files.read(folder) !== undefined) throw configError(`--output ${folder}: is a file, and must be a folder`)
  if (files.list(folder).length === 0) return
  throw configError(`--output ${folder}: is not empty; give another folder, or delete it`)
}

function sharedOf({ config, origins }: ResolvedConfig, genesis: string): SharedParts {
  const { program } = config.consensus
  const isTimed = origins.get('blocks.time') !== 'default'
  if (isTimed && parseMilliseconds(config.blocks.time) === undefined) {
    throw configError(
      `--block-time ${config.blocks.time}: the blocks of a network have an interval, such as 1 or 500ms`,
    )
  }
  return {
    genesis,
    profile: config.chain.profile,
    program: program === '' || program === 'none' ? program : resolve(program),
    blockTime: isTimed ? config.blocks.time : undefined,
    snapshotInterval: origins.get('snapshots.interval') === 'default' ? SNAPSHOT_INTERVAL : config.snapshots.interval,
  }
}

/**
 * Writes the homes of a network into an empty folder: DIR/node0, DIR/node1, …, DIR/genesis.json and DIR/testnet.json. Each
 * starts by `almanac start --home DIR/nodeN`. Rejects with `invalidArgument` that names the flag; then nothing is written.
 */
export async function writeNetwork({ folder, layout, resolved }: TestnetOptions, world: World): Promise<Testnet> {
  const { files, clock } = world
  requireEmpty(folder, files)
  const { config, origins } = resolved
  const count = config.chain.validators
  const places = Array.from({ length: count }, (_, i) => placeOf(layout, i))
  const keys = places.map(() => newKey(world))
  const peerKeys = places.map(() => newKey(world))
  const accounts =
    origins.get('chain.accounts') === 'default' ? Math.max(count, config.chain.accounts) : config.chain.accounts
  const shared = sharedOf(resolved, join(resolve(folder), GENESIS))
  const { genesis, profile } = createLocalnet(
    {
      ...resolved,
      config: { ...config, chain: { ...config.chain, accounts }, feeder: { ...config.feeder, enabled: false } },
    },
    () => keys,
    files,
    clock,
  )
  const nodes = places.map((place, i) => nodeAt(homeInTestnet(folder, i), place, peerIdOf(peerKeys[i]!), true))
  const testnet: Testnet = {
    chain_id: genesis.chain_id,
    evm_chain_id: Number(evmChainIdOf(createIdentity(withChainConfig(profile.profile, genesis)), genesis.chain_id)),
    layout,
    nodes,
  }
  try {
    files.write(shared.genesis, `${JSON.stringify(genesis, null, 2)}\n`)
    for (const [i, place] of places.entries()) {
      const peers = nodes.filter((_, other) => other !== i).map(({ peer }) => peer)
      await writeHome(
        {
          home: nodes[i]!.home,
          moniker: `node${i}`,
          place,
          validatorKey: keys[i]!,
          peerKey: peerKeys[i]!,
          peers,
        },
        shared,
        world,
      )
    }
    writeTestnet(folder, testnet, files)
  } catch (error) {
    for (const name of files.list(folder)) files.remove(join(folder, name))
    throw error
  }
  return testnet
}

/** Returns what a further node shares with the first one of its network. */
function sharedWithFirst(folder: string, { home }: TestnetNode, files: Files): SharedParts {
  const paths = homePaths(home)
  const { name } = profileOfHome(paths, files)
  const text = files.read(paths.config)
  const { config, origins } = resolveConfig(text === undefined ? {} : { file: parseConfigFile(text) })
  return {
    genesis: join(resolve(folder), GENESIS),
    profile: files.exists(paths.profile) ? paths.profile : name,
    program: config.consensus.program,
    blockTime: origins.get('blocks.time') === 'default' ? undefined : config.blocks.time,
    snapshotInterval: config.snapshots.interval,
  }
}

/**
 * Writes the home of a further node, which is no validator: it fetches all blocks from the others, or with `byStateSync` begins at
 * a snapshot of theirs. Rejects with `notFound` for a folder without a network, and with the errors of `trustOf`.
 */
export async function addToNetwork(folder: string, world: World, byStateSync = false): Promise<TestnetNode> {
  const { files } = world
  const testnet = readTestnet(folder, files)
  const index = testnet.nodes.length
  const place = placeOf(testnet.layout, index)
  const home = homeInTestnet(folder, index)
  if (files.list(home).length > 0) throw queryError('failedPrecondition', `${home} is not empty: delete it first`)
  const shared = sharedWithFirst(folder, testnet.nodes[0]!, files)
  const [validatorKey, peerKey] = [newKey(world), newKey(world)]
  const peers = testnet.nodes.map(({ peer }) => peer)
  const trust = byStateSync ? await trustOf(testnet.nodes) : undefined
  const node = nodeAt(home, place, peerIdOf(peerKey), false)
  try {
    await writeHome({ home, moniker: `node${index}`, place, validatorKey, peerKey, peers, trust }, shared, world)
    writeTestnet(folder, { ...testnet, nodes: [...testnet.nodes, node] }, files)
  } catch (error) {
    files.remove(home)
    throw error
  }
  return node
}
