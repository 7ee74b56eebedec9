/** `almanac backup DIR`: copies a home, also while a node runs in it. */
import { resolve } from 'node:path'
import { Command } from 'commander'
import { requireReadable } from '../../node/doctor/readable.ts'
import { diskFiles } from '../../node/files.ts'
import { homePaths } from '../../node/home-paths.ts'
import { requireDatabase } from '../../node/lost-chain.ts'
import { queryError } from '../../primitives/errors.ts'
import { homeOf, resolveSettings } from '../settings.ts'
import { processTerminal, type Terminal } from '../terminal.ts'
import { formatBytes, reportProgress } from './progress.ts'

interface Flags {
  readonly home?: string
  readonly keep: string
  readonly keys: boolean
  readonly verify?: boolean
}

export async function backup(
  args: readonly string[],
  _build?: unknown,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const command = new Command('almanac backup').exitOverride()
  command
    .description(
      'Copy a home into a folder, also while a node runs in it. A later backup into the same folder copies only what has changed.',
    )
    .argument('<dir>', 'folder of the backups, best on another disk')
    .option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
    .option(
      '--keep <n>',
      'number of backups to keep in the folder; older ones are deleted, unless their height is later (default: 2)',
      '2',
    )
    .option('--verify', 'read the pieces that the folder has, and replace damaged ones')
    .option('--no-keys', 'leave out the validator key, the mnemonic and the keyrings')
    .configureHelp({ optionDescription: ({ description }) => description })
  command.parse([...args], { from: 'user' })
  const { home, keep, keys, verify = false } = command.opts<Flags>()
  if (!/^[1-9]\d{0,5}$/.test(keep)) throw queryError('invalidArgument', `--keep ${keep}: must be a number from 1 on`)
  const paths = homePaths(resolve(homeOf(home)))
  const genesis = diskFiles.read(paths.genesis)
  if (!diskFiles.exists(paths.record) || genesis === undefined)
    throw queryError('notFound', `no chain in ${paths.root}; set the home of a chain with --home`)
  const { config } = resolveSettings({}, paths.root)
  requireDatabase(paths, diskFiles)
  await requireReadable(paths)
  const { makeBackup } = await import('../../node/backup/backup.ts')
  const { manifest, path, sizeBytes, writtenBytes, removed, later } = await makeBackup({
    paths,
    folder: resolve(command.args[0]!),
    chainId: (JSON.parse(genesis) as { chain_id: string }).chain_id,
    // A flag can have chosen the engine, which the settings of the home then do not say.
    underEngine: config.consensus.engine !== 'solo' || diskFiles.exists(paths.engine),
    includeKeys: keys,
    verify,
    keep: Number(keep),
    now: Date.now(),
    onProgress: reportProgress(terminal, 'copied', formatBytes),
  })
  terminal.print(
    `backed up height ${manifest.height}, app hash ${manifest.app_hash.toUpperCase()}: ${formatBytes(sizeBytes)}, of which ${formatBytes(writtenBytes)} were copied`,
  )
  terminal.note(`${path}${removed > 0 ? `; deleted ${removed} older` : ''}`)
  if (later.length > 0) {
    const heights = later.map((one) => one.manifest.height).join(', ')
    terminal.note(
      `Kept the earlier backups of heights ${heights}, beside --keep ${keep}: the chain has lost blocks since, by a rollback, a restore or a reset. They are deleted once it has passed their heights; to do so now: rm ${later.map((one) => one.path).join(' ')}`,
    )
  }
  if (keys) terminal.note('It contains the keys of the home: guard it as you guard them, or use --no-keys.')
  return 0
}
