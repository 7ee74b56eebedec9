/** `almanac db stats`: prints the sizes of the tables of a home. */
import { Command } from 'commander'
import { requireReadable } from '../../node/doctor/readable.ts'
import { diskFiles } from '../../node/files.ts'
import { requireDatabase } from '../../node/lost-chain.ts'
import { listsCommands } from '../command-list.ts'
import { processTerminal, type Terminal } from '../terminal.ts'
import { formatBytes, reportProgress } from './progress.ts'
import { chainHome } from './stopped.ts'

interface Flags {
  readonly home?: string
  readonly json?: boolean
}

export async function db(
  args: readonly string[],
  _build?: unknown,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const program = new Command('almanac db').description('The database of a home.').exitOverride()
  program
    .command('stats')
    .description('Count rows and bytes of every table, also while a node runs.')
    .option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
    .option('--json', 'print JSON')
    .action((flags: Flags) => stats(flags, terminal))
  await listsCommands(program).parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' })
  return 0
}

async function stats({ home, json }: Flags, terminal: Terminal): Promise<void> {
  const paths = chainHome(home)
  requireDatabase(paths, diskFiles)
  await requireReadable(paths)
  const { databaseStats } = await import('../../node/maintenance/stats.ts')
  const { statSync } = await import('node:fs')
  const { size } = statSync(`${paths.data}/data.mdb`)
  const report = reportProgress(terminal, 'read', formatBytes)
  const { fileBytes, tip, tables } = await databaseStats(paths.data, (_, bytes) => report(bytes, size))
  const dataBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0)
  if (json) {
    const { height, earliest } = tip
    terminal.print(
      JSON.stringify(
        { height, earliest_height: earliest, file_bytes: fileBytes, data_bytes: dataBytes, tables },
        null,
        2,
      ),
    )
    return
  }
  const width = Math.max(...tables.map(({ name }) => name.length))
  for (const { name, rows, bytes } of [...tables].sort((a, b) => b.bytes - a.bytes))
    if (rows > 0)
      terminal.print(`${name.padEnd(width)}  ${String(rows).padStart(12)} rows  ${formatBytes(bytes).padStart(10)}`)
  terminal.print(
    `heights ${tip.earliest} to ${tip.height}; keys and values ${formatBytes(dataBytes)}, file ${formatBytes(fileBytes)}`,
  )
}
