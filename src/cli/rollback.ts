/** `almanac rollback --to-height H`: returns a stopped chain to a stored height. */
import { Command } from 'commander'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { acquireLock } from '../node/lock.ts'
import { rollbackHome } from '../node/rollback.ts'
import { formatHex } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { homeOf, resolveSettings } from './settings.ts'

export async function rollback(args: readonly string[]): Promise<number> {
  const command = new Command('almanac rollback').exitOverride()
  command.description(
    'Return a stopped chain to a stored height: remove state, blocks, receipts and indexes of later heights.',
  )
  command.requiredOption('--to-height <height>', 'last height to keep')
  command.option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
  command.parse([...args], { from: 'user' })
  const { home, toHeight } = command.opts<{ home?: string; toHeight: string }>()
  if (!/^[1-9]\d{0,17}$/.test(toHeight)) {
    throw queryError('invalidArgument', `--to-height ${toHeight}: must be a height such as 100`)
  }
  const height = BigInt(toHeight)
  const paths = homePaths(homeOf(home))
  if (!diskFiles.exists(paths.record))
    throw queryError('notFound', `no chain in ${paths.root}; set the home of a chain with --home`)
  const { store } = resolveSettings({}, paths.root).config
  const release = acquireLock(paths.lock, diskFiles)
  try {
    const { from, appHash, forgotten } = await rollbackHome(paths, diskFiles, height, store.keep)
    const hash = formatHex(appHash).toUpperCase()
    process.stdout.write(
      from === height
        ? `the chain is already at height ${height}, app hash ${hash}\n`
        : `rolled back from height ${from} to ${height}, app hash ${hash}\n`,
    )
    if (forgotten !== undefined) {
      process.stdout.write(
        `removed data/upgrade-info.json, which named ${JSON.stringify(forgotten)}: start the build that ran height ${height}\n`,
      )
    }
    return 0
  } finally {
    release()
  }
}
