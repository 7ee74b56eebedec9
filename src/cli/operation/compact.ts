/** `almanac compact`: returns the free space in the database of a stopped chain to the disk. */
import { Command } from 'commander'
import { requireReadable } from '../../node/doctor/readable.ts'
import { processTerminal, type Terminal } from '../terminal.ts'
import { formatBytes, reportProgress } from './progress.ts'
import { chainHome, whileStopped } from './stopped.ts'

export async function compact(
  args: readonly string[],
  _build?: unknown,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const command = new Command('almanac compact').exitOverride()
  command
    .description(
      'Write the database of a stopped chain again, without its free space. It needs room on the disk for the copy.',
    )
    .option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
  command.parse([...args], { from: 'user' })
  const paths = chainHome(command.opts<{ home?: string }>().home)
  await requireReadable(paths)
  const { compactHome } = await import('../../node/maintenance/compact.ts')
  const { statSync } = await import('node:fs')
  const report = reportProgress(terminal, 'written', formatBytes)
  const size = () => statSync(`${paths.data}/data.mdb`).size
  const { beforeBytes, afterBytes } = await whileStopped(paths, 'almanac compact', () =>
    compactHome(paths, (bytes) => report(bytes, size())),
  )
  terminal.print(`compacted ${paths.data}: ${formatBytes(beforeBytes)} before, ${formatBytes(afterBytes)} now`)
  return 0
}
