/** `almanac restore DIR`: makes a home from a backup. */
import { resolve } from 'node:path'
import { Command } from 'commander'
import { diskFiles } from '../../node/files.ts'
import { homePaths } from '../../node/home-paths.ts'
import { queryError } from '../../primitives/errors.ts'
import { homeOf } from '../settings.ts'
import { processTerminal, type Terminal } from '../terminal.ts'
import { formatBytes, reportProgress } from './progress.ts'

interface Flags {
  readonly home?: string
  readonly height?: string
  readonly list?: boolean
}

export async function restore(
  args: readonly string[],
  _build?: unknown,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const command = new Command('almanac restore').exitOverride()
  command
    .description(
      'Make a home from a backup: every piece is checked against its digest, and the app hash is computed from all keys before the home takes its place.',
    )
    .argument('<dir>', 'folder of the backups')
    .option('--home <dir>', 'home to make, which must not exist or be empty (default: ALMANAC_HOME, or ~/.almanac)')
    .option('--height <height>', 'height of the backup (default: the newest backup)')
    .option('--list', 'only list the backups in the folder')
  command.parse([...args], { from: 'user' })
  const flags = command.opts<Flags>()
  const folder = resolve(command.args[0]!)
  if (flags.list) return await list(folder, terminal)
  if (flags.height !== undefined && !/^\d{1,12}$/.test(flags.height))
    throw queryError('invalidArgument', `--height ${flags.height}: must be a height such as 100`)
  const { restoreBackup } = await import('../../node/backup/restore.ts')
  const home = resolve(homeOf(flags.home))
  const { manifest, keys, later } = await restoreBackup({
    folder,
    home,
    height: flags.height === undefined ? undefined : Number(flags.height),
    onProgress: reportProgress(terminal, 'written', formatBytes),
    onVerified: (count) => terminal.note(`verified: ${count} keys`),
  })
  terminal.print(
    `restored height ${manifest.height} into ${home}: the app hash of its ${keys} keys is ${manifest.app_hash.toUpperCase()}`,
  )
  if (later.length > 0 && flags.height === undefined)
    terminal.note(
      `It is the newest backup. Older ones are of later heights, ${later.join(', ')}: the chain had lost blocks. --height H restores one of them.`,
    )
  const { validatorKey } = homePaths(home)
  terminal.note(
    diskFiles.exists(validatorKey)
      ? 'It has the key of the validator. Two nodes must never sign with one key: start it only if the other has ended.'
      : `The backup has no keys: put ${validatorKey} there, and the mnemonic if the chain has its own, before the start.`,
  )
  return 0
}

async function list(folder: string, terminal: Terminal): Promise<number> {
  const { requireBackups } = await import('../../node/backup/manifest.ts')
  for (const { manifest } of requireBackups(folder)) {
    const size = formatBytes(manifest.files.reduce((sum, file) => sum + file.size, 0))
    terminal.print(`height: ${manifest.height} time: ${manifest.time} chain: ${manifest.chain_id} size: ${size}`)
  }
  return 0
}
