/** `almanac init`: prepares a home for a chain with a genesis document of its own. */
import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { createIdentity } from '../identity/identity.ts'
import { resolveConfig } from '../node/config.ts'
import { renderConfigFile } from '../node/config-file.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { chooseProfile } from '../node/profile.ts'
import { formatValidatorKey, validatorKeyOf } from '../node/validator-key.ts'
import { queryError } from '../primitives/errors.ts'
import { emptyGenesis, preparedPath, writePrepared } from './genesis/document.ts'
import { homeOf } from './settings.ts'

interface InitFlags {
  readonly home?: string
  readonly chainId?: string
  readonly profile: string
  readonly overwrite?: boolean
}

/** Runs `almanac init` with the arguments after its name. Returns the exit code. */
export async function init(args: readonly string[]): Promise<number> {
  const command = new Command('almanac init')
    .description(
      'Prepare a home for a new chain: validator key, config.toml, and config/genesis.json without accounts.',
    )
    .argument('[moniker]', 'name of the node', 'almanac')
    .option('--home <dir>', 'home to prepare (default: ALMANAC_HOME, or ~/.almanac)')
    .option('--chain-id <id>', 'chain id (default: that of the profile)')
    .option(
      '--profile <value>',
      'profile for names, prefixes and rules',
      process.env['ALMANAC_CHAIN_PROFILE'] ?? 'almanac',
    )
    .option('-o, --overwrite', 'replace the genesis document of an earlier init')
    .exitOverride()
  command.parse([...args], { from: 'user' })
  const flags = command.opts<InitFlags>()
  const home = homeOf(flags.home)
  const paths = homePaths(home)
  if (diskFiles.exists(paths.record))
    throw queryError(
      'alreadyExists',
      `${home} has a chain: \`almanac reset --home ${home}\` deletes it, or use another --home`,
    )
  if (diskFiles.exists(preparedPath(home)) && !flags.overwrite)
    throw queryError('alreadyExists', `${preparedPath(home)} exists: --overwrite replaces it`)
  const moniker = command.processedArgs[0] as string
  const { profile } = chooseProfile(flags.profile, diskFiles)
  const identity = createIdentity(profile)
  const chainId = flags.chainId ?? identity.defaultChainId
  writePrepared(home, emptyGenesis(identity, chainId, new Date().toISOString()))
  if (!diskFiles.exists(paths.validatorKey))
    diskFiles.write(paths.validatorKey, formatValidatorKey(validatorKeyOf(randomBytes(32))), {
      secret: true,
      durable: true,
    })
  const resolved = resolveConfig({ flags: { moniker, genesis: preparedPath(home), profile: flags.profile } })
  diskFiles.write(
    paths.config,
    renderConfigFile(resolved, () => true),
  )
  process.stdout.write(
    `${JSON.stringify({ moniker, chain_id: chainId, home, genesis: preparedPath(home) }, null, 2)}\n`,
  )
  return 0
}
