/** `almanac snapshot`: makes, lists, restores and deletes snapshots of the state of a home. */
import { Command } from 'commander'
import type { Build } from '../node/build.ts'
import type { OpenedChain } from '../node/chain.ts'
import { diskFiles } from '../node/files.ts'
import { type HomePaths, homePaths } from '../node/home-paths.ts'
import { profileOfHome } from '../node/home-record.ts'
import { requireDatabase } from '../node/lost-chain.ts'
import { formatHex, parseHex } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { listsCommands } from './command-list.ts'
import { commandProgress, reportProgress } from './operation/progress.ts'
import { addSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'
import { processTerminal, type Terminal } from './terminal.ts'

const upperHex = (bytes: Uint8Array): string => formatHex(bytes).toUpperCase()

export async function snapshot(
  args: readonly string[],
  build?: Build,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const program = new Command('almanac snapshot')
    .description('Snapshots of the state, from which a new node begins at a recent height.')
    .exitOverride()
  const add = (usage: string, about: string): Command =>
    program
      .command(usage)
      .description(about)
      .option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')

  add('create', 'Make a snapshot, also while a node runs.')
    .option('--height <height>', 'height of the state, which must be stored (default: the latest)')
    .action(async (flags: Flags) => create(pathsOf(flags), parseHeight('--height', flags.height), terminal))
  add('list', 'List the snapshots, the newest first.').action((flags: Flags) => list(pathsOf(flags), terminal))
  const restoring = add('restore <folder>', 'Restore the snapshot in a folder, into a home without blocks.')
    .option('--height <height>', 'height of the snapshot, if neither its record nor its folder names it')
    .option('--app-hash <hash>', 'app hash after that height, from a source that you trust, such as the next header')
  addSettings(restoring, ({ flag }) => RESTORE_SETTINGS.includes(flag))
  restoring.action(async (folder: string, flags: Flags) => {
    const { height, 'app-hash': _, home: __, ...settings } = flagsOf(restoring)
    return restore({ folder, flags, settings, build, terminal })
  })
  program
    .command('fetch <folder>')
    .description(
      'Fetch the newest snapshot that peers of a chain offer, into a folder that restore and follow --snapshot read.',
    )
    .requiredOption('--peers <list>', 'peers that keep snapshots, ID@HOST:PORT each, separated by commas')
    .requiredOption('--rpc <list>', 'URLs of the RPC of nodes of the chain, by which the snapshot is verified')
    .option('--trust-height <height>', 'height of a block that you trust (default: the latest of the RPC)')
    .option('--trust-hash <hash>', 'hash of that block, 64 hexadecimal digits')
    .option('--trust-period <duration>', 'age up to which that block is accepted', '168h')
    .option('--engine <path>', 'program of the engine (default: cometbft on PATH)')
    .option('--timeout <seconds>', 'time after which it is given up', '600')
    .action((folder: string, flags: FetchFlags) => fetchTo(folder, flags, terminal))
  add('delete <height>', 'Delete a snapshot.').action((height: string, flags: Flags) =>
    remove(pathsOf(flags), parseHeight('height', height)!, terminal),
  )
  add('dump <height>', 'Write a snapshot to an archive, which another machine loads.')
    .option('-o, --output-file <path>', 'file of the archive (default: HEIGHT-3.tar.gz, in the current folder)')
    .action((height: string, flags: Flags & { readonly outputFile?: string }) =>
      dump(pathsOf(flags), parseHeight('height', height)!, flags.outputFile, terminal),
    )
  add('load <archive>', 'Add the snapshot in an archive to those of the home.').action((path: string, flags: Flags) =>
    load(pathsOf(flags), path, terminal),
  )
  await listsCommands(program).parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' })
  return 0
}

/** Flags of the settings of a new home that a snapshot is restored into. */
const RESTORE_SETTINGS: readonly string[] = ['profile', 'genesis']

interface Flags {
  readonly home?: string
  readonly height?: string
  readonly appHash?: string
}

const pathsOf = ({ home }: Flags): HomePaths => homePaths(homeOf(home))

function parseHeight(name: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw queryError('invalidArgument', `${name} ${text}: must be a height such as 100`)
  return BigInt(text)
}

async function create(paths: HomePaths, height: bigint | undefined, terminal: Terminal): Promise<void> {
  const { storesOf } = await import('../app/stores.ts')
  const { createIdentity } = await import('../identity/identity.ts')
  const { makeSnapshot } = await import('../node/snapshots/home-snapshots.ts')
  const stores = storesOf(createIdentity(profileOfHome(paths, diskFiles)))
  requireDatabase(paths, diskFiles)
  const { data, snapshots } = paths
  const onProgress = reportProgress(terminal, 'snapshot', (count) => `${count.toFixed(0)} keys`)
  const { record, appHash } = await makeSnapshot({ data, snapshots, stores, height, onProgress })
  terminal.print(
    `made a snapshot of height ${record.height}: ${record.chunkHashes.length} chunks in ${snapshots}/${record.height}, app hash ${upperHex(appHash)}`,
  )
}

async function list({ snapshots }: HomePaths, terminal: Terminal): Promise<void> {
  const { openSnapshotFolder } = await import('../node/snapshots/folder.ts')
  for (const { height, format, chunkHashes, hash } of openSnapshotFolder(snapshots).list())
    terminal.print(`height: ${height} format: ${format} chunks: ${chunkHashes.length} hash: ${upperHex(hash)}`)
}

async function remove({ snapshots }: HomePaths, height: bigint, terminal: Terminal): Promise<void> {
  const { openSnapshotFolder } = await import('../node/snapshots/folder.ts')
  if (!openSnapshotFolder(snapshots).remove(height))
    throw queryError('notFound', `there is no snapshot of height ${height} in ${snapshots}`)
  terminal.print(`deleted the snapshot of height ${height}`)
}

async function dump(
  { snapshots }: HomePaths,
  height: bigint,
  outputFile: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const { dumpSnapshot } = await import('../node/snapshots/home-archives.ts')
  const { SNAPSHOT_FORMAT } = await import('../consensus/cometbft/snapshot-record.ts')
  const path = outputFile ?? `${height}-${SNAPSHOT_FORMAT}.tar.gz`
  const { chunkHashes } = await dumpSnapshot(snapshots, height, path)
  terminal.print(`wrote the snapshot of height ${height} to ${path}: ${chunkHashes.length} chunks`)
}

async function load({ snapshots }: HomePaths, path: string, terminal: Terminal): Promise<void> {
  const { loadSnapshot } = await import('../node/snapshots/home-archives.ts')
  const { height } = await loadSnapshot(snapshots, path)
  terminal.print(`loaded the snapshot of height ${height} into ${snapshots}/${height}`)
}

interface FetchFlags {
  readonly peers: string
  readonly rpc: string
  readonly trustHeight?: string
  readonly trustHash?: string
  readonly trustPeriod: string
  readonly engine?: string
  readonly timeout: string
}

const words = (text: string): string[] => text.split(',').filter((word) => word !== '')

async function fetchTo(folder: string, flags: FetchFlags, terminal: Terminal): Promise<void> {
  const { fetchFromPeers } = await import('../node/snapshots/peers-snapshot.ts')
  const { readChain } = await import('../node/snapshots/peers-trust.ts')
  const { peers, rpc, trustHeight, trustHash, trustPeriod, engine = '', timeout } = flags
  const seconds = Number(timeout)
  if (!(seconds > 0 && seconds <= 86_400))
    throw queryError('invalidArgument', `--timeout ${timeout}: must be a number of seconds up to 86400`)
  if ((trustHeight === undefined) !== (trustHash === undefined))
    throw queryError('invalidArgument', '--trust-height and --trust-hash belong together')
  if (trustHash !== undefined && !/^[0-9a-f]{64}$/i.test(trustHash))
    throw queryError('invalidArgument', `--trust-hash ${trustHash}: must be 64 hexadecimal digits`)
  const bad = words(peers).find((peer) => !/^[0-9a-f]{40}@[^@]+:\d{1,5}$/.test(peer))
  if (words(peers).length === 0 || bad !== undefined)
    throw queryError(
      'invalidArgument',
      `--peers ${bad ?? peers}: must be ID@HOST:PORT, with an id of 40 hexadecimal digits`,
    )
  const trusted = parseHeight('--trust-height', trustHeight)
  const { genesis, tip } = await readChain(words(rpc))
  const height = await fetchFromPeers({
    program: engine,
    genesis,
    peers: words(peers),
    trust: {
      // The engine wants two, and takes one twice.
      rpcServers: words(rpc).length === 1 ? [rpc, rpc] : words(rpc),
      trustHeight: trusted ?? tip.height,
      trustHash: trustHash ?? tip.hash,
      trustPeriod,
    },
    folder,
    log: (level, message, facts) => {
      if (level !== 'debug') terminal.note(`${level} ${message} ${JSON.stringify(facts, plain)}`)
    },
    timeoutMs: seconds * 1000,
  })
  terminal.print(`fetched the snapshot of height ${height} into ${folder}/${height}`)
}

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value instanceof Error ? value.message : value

/** Parses `--app-hash`. */
function parseAppHash(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined
  const hash = parseHex(text.replace(/^0x/i, ''))
  if (hash?.length !== 32) throw queryError('invalidArgument', `--app-hash ${text}: must be 64 hexadecimal digits`)
  return hash
}

async function restore(asked: {
  readonly folder: string
  readonly flags: Flags
  readonly settings: Readonly<Record<string, unknown>>
  readonly build: Build | undefined
  readonly terminal: Terminal
}): Promise<void> {
  const { folder, flags, settings, build, terminal } = asked
  const { findChunks } = await import('../node/snapshots/folder.ts')
  const { restoreChunks, restoreTargetOf } = await import('../node/snapshots/home-snapshots.ts')
  const { openChain } = await import('../node/chain.ts')
  const expected = parseAppHash(flags.appHash)
  const chunks = findChunks(folder)
  const height = parseHeight('--height', flags.height) ?? chunks.height
  if (height === undefined)
    throw queryError('invalidArgument', `${folder} does not say the height of its state: set it with --height`)
  if (chunks.height !== undefined && chunks.height !== height)
    throw queryError('invalidArgument', `--height ${height}: the snapshot in ${folder} is of height ${chunks.height}`)
  const paths = pathsOf(flags)
  if (!diskFiles.exists(paths.record) && settings['genesis'] === undefined)
    throw queryError(
      'invalidArgument',
      `no chain in ${paths.root}: set the genesis document of the chain with --genesis`,
    )
  const undo: (() => unknown)[] = []
  try {
    const resolved = resolveSettings(settings, paths.root)
    const chain: OpenedChain = openChain(
      { resolved, home: paths.root, ...(build && { build }), progress: commandProgress(terminal) },
      diskFiles,
      Date.now,
      undo,
    )
    const report = reportProgress(terminal, 'restored', (count) => `${Number(count.toFixed(1))} chunks`)
    const appHash = await restoreChunks(restoreTargetOf(chain, build), chunks, height, expected, (count) =>
      report(count, chunks.paths.length),
    )
    terminal.print(`restored height ${height} into ${paths.root}, app hash ${upperHex(appHash)}`)
    if (!expected)
      terminal.note(`The app hash was not compared: it must be in the header of height ${height + 1n} of the chain.`)
  } finally {
    for (const step of undo.reverse()) step()
  }
}
