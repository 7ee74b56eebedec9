/** `almanac start`: runs a chain until it is stopped. */

import type { BlockTiming } from '../consensus/driver.ts'
import type { AssembledNode } from '../node/assembly.ts'
import type { Build } from '../node/build.ts'
import { diskFiles } from '../node/files.ts'
import { requirePrivateMnemonic } from '../node/public-node.ts'
import { queryError } from '../primitives/errors.ts'
import { refuseForeignFlags } from './foreign-flags.ts'
import { readMnemonicFile } from './mnemonic-file.ts'
import { nodeOutput } from './operation/progress.ts'
import { writeOutputFile } from './output-file.ts'
import { bannerlessLog, runNode } from './run-node.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'
import { processTerminal } from './terminal.ts'

/**
 * Runs a chain until the process is stopped. Resolves only if the chain halts during the start, to the exit code. `build`
 * replaces the state machine of this build.
 */
export async function start(args: readonly string[], build?: Build): Promise<number> {
  refuseForeignFlags(args, 'start')
  const command = commandWithSettings(
    'start',
    'Run a chain: one validator, twenty funded accounts, simulated prices, a block each second and on arrival of a transaction.',
  )
  command.option(
    '--ephemeral [true|false]',
    'Keep the chain in memory or a temporary folder, and remove it at the stop. (ALMANAC_EPHEMERAL; default: false)',
  )
  command.option('--show-keys', 'Print all accounts with their keys, and the mnemonic, if it is the public one.')
  command.option(
    '--mnemonic-file <path>',
    'File with the BIP-39 mnemonic of a new chain; - reads standard input. The home keeps a copy for its owner alone.',
  )
  command.parse([...args], { from: 'user' })
  const { ephemeral: ephemeralFlag, 'mnemonic-file': mnemonicFile, 'show-keys': showKeys, ...flags } = flagsOf(command)
  if (mnemonicFile !== undefined) flags['mnemonic'] = readMnemonicFile(String(mnemonicFile), flags['mnemonic'])
  const ephemeral = parseEphemeral(ephemeralFlag ?? process.env['ALMANAC_EPHEMERAL'])
  const home = ephemeral ? undefined : homeOf(flags['home'])
  const resolved = resolveSettings(flags, home)
  if (mnemonicFile !== undefined && mnemonicFile !== '-')
    requirePrivateMnemonic(resolved.config, String(mnemonicFile), diskFiles)
  const { assembleNode } = await import('../node/assembly.ts')
  const terminal = process.stderr.isTTY === true ? processTerminal() : undefined
  const { format } = resolved.config.log
  return runNode({
    open: (reactions) =>
      assembleNode({
        resolved,
        home,
        ...(build && { build }),
        freePorts: false,
        log: undefined,
        ...nodeOutput(terminal, format),
        ...reactions,
      }),
    logFormat: format,
    announce: (node) => announce(node, home, showKeys === true),
  })
}

/** Prints the banner, unless it is turned off, and writes the `--config-out` file. */
async function announce(node: AssembledNode, home: string | undefined, showKeys: boolean): Promise<void> {
  const { config } = node
  bannerlessLog(node)('info', 'started', { chain_id: node.chainId, height: node.height, home, ...node.urls })
  if (!config.node.silent) {
    const { renderBanner } = await import('./banner.ts')
    const { VERSION } = await import('../node/version.ts')
    const { isDevelopment } = await import('../node/gateway-node.ts')
    const { hasPublicKeys } = await import('../node/settings.ts')
    process.stdout.write(
      renderBanner({
        version: VERSION,
        chainId: node.chainId,
        evmChainId: node.evmChainId,
        height: node.height,
        home,
        keys: isDevelopment(config)
          ? {
              publicMnemonic: hasPublicKeys(config) ? config.chain.mnemonic : undefined,
              accounts: node.accounts,
              balance: config.chain.balance,
              all: showKeys,
            }
          : undefined,
        displayDenom: node.identity.displayDenom,
        urls: node.urls,
        console: config.rest.console && node.urls.rest ? `${node.urls.rest}/` : undefined,
        blocks: node.production ? describeBlocks(node.timing) : 'decided by CometBFT',
        startedInMs: performance.now(),
      }),
    )
  }
  if (config.node.configOut !== '') {
    writeOutputFile('--config-out', config.node.configOut, `${JSON.stringify(configOut(node), null, 2)}\n`, {
      secret: true,
    })
  }
}

/** Parses the value of `--ephemeral`, which is not a setting. Throws `invalidArgument` if it is not a boolean. */
function parseEphemeral(value: unknown): boolean {
  if (value === undefined || value === 'false' || value === '0') return false
  if (value === true || value === 'true' || value === '1') return true
  throw queryError('invalidArgument', `--ephemeral (ALMANAC_EPHEMERAL) = "${value}": must be true or false`)
}

/** Describes when blocks are made. */
export function describeBlocks(timing: BlockTiming): string {
  switch (timing.mode) {
    case 'manual':
      return 'by hand'
    case 'interval':
      return `every ${timing.intervalMs / 1000} s`
    case 'arrival':
      return `${timing.everyMs ? `every ${timing.everyMs / 1000} s, and ` : ''}when a transaction arrives`
  }
}

/** Returns the content of the `--config-out` file: the facts of the banner, for programs. */
export function configOut(node: AssembledNode): Readonly<Record<string, unknown>> {
  return {
    chain_id: node.chainId,
    evm_chain_id: Number(node.evmChainId),
    mnemonic: node.config.chain.mnemonic,
    accounts: node.accounts.map(({ address, bech32, privateKey, path }) => ({
      address,
      bech32,
      private_key: privateKey,
      path,
    })),
    urls: node.urls,
    genesis_time: node.genesisTime,
  }
}
