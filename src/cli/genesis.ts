/** `almanac genesis`: prepares a genesis document, and checks it before a chain starts from it. */
import { Command } from 'commander'
import { parseGenesis } from '../app/genesis-document.ts'
import { rewriteGenesis, validateGenesis } from '../app/genesis-validate.ts'
import { diskFiles } from '../node/files.ts'
import { chooseProfile } from '../node/profile.ts'
import { SETTINGS } from '../node/settings.ts'
import { queryError } from '../primitives/errors.ts'
import { parseRfc3339 } from '../primitives/time.ts'
import { listsCommands } from './command-list.ts'
import { addAccountCommand } from './genesis/account.ts'
import { preparedPath } from './genesis/document.ts'
import { addGentxCommands } from './genesis/gentx.ts'
import { addRoleCommands } from './genesis/roles.ts'
import { commandProgress } from './operation/progress.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { homeOf } from './settings.ts'
import { processTerminal, type Terminal } from './terminal.ts'

interface ValidateFlags {
  readonly profile: string
  readonly chainId?: string
  readonly home?: string
  readonly output: string
}

function validate(path: string, { profile, chainId, output }: ValidateFlags, terminal: Terminal): void {
  const format = parseOutputFormat(output)
  const text = diskFiles.read(path)
  if (text === undefined) throw queryError('notFound', `${path}: no such file`)
  const document = parseGenesis(text, path)
  if (chainId !== undefined && chainId !== document.chain_id) {
    throw queryError('invalidArgument', `${path}: chain_id is ${document.chain_id}, but --chain-id is ${chainId}`)
  }
  const report = commandProgress(terminal)('entries checked')
  const summary = validateGenesis(document, chooseProfile(profile, diskFiles).profile, report)
  terminal.print(formatOutput(summary, format))
  if (summary.carried.length > 0) {
    terminal.note(
      `modules that this build does not have; their sections have no effect and are exported unchanged: ${summary.carried.join(', ')}`,
    )
  }
}

interface MigrateFlags {
  readonly profile: string
  readonly chainId?: string
  readonly genesisTime?: string
}

const TARGET = 'v0.47'

function migrate(target: string, path: string, flags: MigrateFlags, terminal: Terminal): void {
  if (target !== TARGET)
    throw queryError(
      'invalidArgument',
      `target ${target}: must be ${TARGET}, the release whose documents this build writes`,
    )
  const text = diskFiles.read(path)
  if (text === undefined) throw queryError('notFound', `${path}: no such file`)
  const document = parseGenesis(text, path)
  const named = { ...document, genesis_time: flags.genesisTime ?? document.genesis_time }
  if (parseRfc3339(named.genesis_time) === undefined)
    throw queryError('invalidArgument', `--genesis-time ${named.genesis_time}: must be an RFC 3339 time`)
  // Signatures of genesis transactions cover the chain id of the file.
  const { profile } = chooseProfile(flags.profile, diskFiles)
  const rewritten = rewriteGenesis(named, profile, commandProgress(terminal)('entries checked'))
  terminal.print(JSON.stringify({ ...rewritten, chain_id: flags.chainId ?? document.chain_id }, null, 2))
}

/** Runs `almanac genesis` with the arguments after its name. Returns the exit code. */
export async function genesis(args: readonly string[]): Promise<number> {
  await listsCommands(genesisCommand()).parseAsync([...args], { from: 'user' })
  return 0
}

/** Creates the command `almanac genesis` with its subcommands. */
export function genesisCommand(): Command {
  const program = new Command('almanac genesis').description('Prepare and check a genesis document').exitOverride()
  const terminal = processTerminal()
  program
    .command('validate [file]')
    .alias('validate-genesis')
    .description(
      'Load a genesis document in memory, and print a summary or the first error (default: that of `almanac init`)',
    )
    .option('--profile <value>', SETTINGS.chain.profile.about, process.env['ALMANAC_CHAIN_PROFILE'] ?? 'almanac')
    .option('--chain-id <id>', 'expected chain id (default: not checked)')
    .option('-o, --output <format>', 'output format: yaml or json', 'yaml')
    .option('--home <dir>', 'home whose document is checked if no file is given (default: ALMANAC_HOME, or ~/.almanac)')
    .action((file: string | undefined, flags: ValidateFlags) =>
      validate(file ?? preparedPath(homeOf(flags.home)), flags, terminal),
    )
  program
    .command('migrate <target> <file>')
    .description('Print a genesis document in the form of a release, which must be v0.47: that of this build')
    .option('--profile <value>', SETTINGS.chain.profile.about, process.env['ALMANAC_CHAIN_PROFILE'] ?? 'almanac')
    .option('--chain-id <id>', 'chain id of the printed document (default: that of the file)')
    .option(
      '--genesis-time <time>',
      'time of the printed document, such as 2030-01-02T15:04:05Z (default: that of the file)',
    )
    .action((target: string, file: string, flags: MigrateFlags) => migrate(target, file, flags, terminal))
  addAccountCommand(program, terminal)
  addRoleCommands(program, terminal)
  addGentxCommands(program, terminal)
  return program
}
