/** `almanac genesis`: what can be done with a genesis document before a chain begins with it. */
import { Command } from 'commander'
import { parseGenesis } from '../app/genesis-document.ts'
import { validateGenesis } from '../app/genesis-validate.ts'
import { diskFiles } from '../node/files.ts'
import { chooseProfile } from '../node/profile.ts'
import { SETTINGS } from '../node/settings.ts'
import { queryError } from '../primitives/errors.ts'
import { formatOutput, parseOutputFormat } from './output.ts'

interface ValidateFlags {
  readonly profile: string
  readonly chainId?: string
  readonly output: string
}

function validate(path: string, { profile, chainId, output }: ValidateFlags): void {
  const format = parseOutputFormat(output)
  const text = diskFiles.read(path)
  if (text === undefined) throw queryError('notFound', `${path}: no such file`)
  const document = parseGenesis(text, path)
  if (chainId !== undefined && chainId !== document.chain_id) {
    throw queryError('invalidArgument', `${path}: chain_id is ${document.chain_id}, and --chain-id says ${chainId}`)
  }
  const summary = validateGenesis(document, chooseProfile(profile, diskFiles).profile)
  process.stdout.write(`${formatOutput(summary, format)}\n`)
  if (summary.carried.length > 0) {
    process.stderr.write(
      `modules that this build has not, kept for exports, without effect: ${summary.carried.join(', ')}\n`,
    )
  }
}

/** Runs `almanac genesis` with what stands behind its name; the exit code. Throws what `main` prints. */
export async function genesis(args: readonly string[]): Promise<number> {
  const program = new Command('almanac genesis').description('Look at a genesis document').exitOverride()
  program
    .command('validate <file>')
    .description('Begin a chain with the document in memory, and say what it holds or what is wrong with it')
    .option('--profile <value>', SETTINGS.chain.profile.about, process.env['ALMANAC_CHAIN_PROFILE'] ?? 'almanac')
    .option('--chain-id <id>', 'the chain it should be of')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .action((file: string, flags: ValidateFlags) => validate(file, flags))
  await program.parseAsync([...args], { from: 'user' })
  return 0
}
