/** `almanac export`: prints the state of a home as a genesis document. */
import { Command } from 'commander'
import { exportHome } from '../node/export.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { queryError } from '../primitives/errors.ts'
import { homeOf } from './settings.ts'

export async function exportState(args: readonly string[]): Promise<number> {
  const command = new Command('almanac export').exitOverride()
  command.description('Print the state as a genesis document. Blocks and indexes are not exported.')
  command.option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
  command.option('--height <height>', 'height of the state, which must be stored (default: the latest)')
  command.parse([...args], { from: 'user' })
  const { home, height } = command.opts<{ home?: string; height?: string }>()
  if (height !== undefined && !/^\d+$/.test(height))
    throw queryError('invalidArgument', `--height ${height}: must be a height such as 100`)
  const paths = homePaths(homeOf(home))
  if (!diskFiles.exists(paths.record))
    throw queryError('notFound', `no chain in ${paths.root}; set the home of a chain with --home`)
  const document = await exportHome(paths, diskFiles, height === undefined ? undefined : BigInt(height))
  const text = `${JSON.stringify(document, null, 2)}\n`
  const error = await new Promise((written) => process.stdout.write(text, written))
  return error ? 1 : 0
}
