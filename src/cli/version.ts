/** `almanac version`: the version of this build. */
import { Command } from 'commander'
import { VERSION } from '../node/version.ts'
import { formatOutput, parseOutputFormat } from './output.ts'

/** The release of the Cosmos SDK whose messages, queries and errors this build reproduces. */
const SDK_VERSION = 'v0.47.11'

/** Runs `almanac version` with the arguments after its name. Returns the exit code. */
export async function version(args: readonly string[]): Promise<number> {
  const command = new Command('almanac version')
    .description('Print the version of this build')
    .option('--long', 'print also the versions that it runs on and answers as')
    .option('-o, --output <format>', 'output format of --long: yaml or json', 'yaml')
    .exitOverride()
  command.parse([...args], { from: 'user' })
  const { long, output } = command.opts<{ long?: boolean; output: string }>()
  const format = parseOutputFormat(output)
  const facts = {
    name: 'almanac',
    server_name: 'almanac',
    version: VERSION,
    cosmos_sdk_version: SDK_VERSION,
    node: process.version,
    platform: `${process.platform}/${process.arch}`,
  }
  process.stdout.write(`${long || format === 'json' ? formatOutput(facts, format) : VERSION}\n`)
  return 0
}
