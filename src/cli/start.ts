/** `almanac start`: runs a chain until it is stopped. */

import { readFileSync } from 'node:fs'
import type { BlockTiming } from '../consensus/driver.ts'
import type { AssembledNode } from '../node/assembly.ts'
import type { Build } from '../node/build.ts'
import { diskFiles } from '../node/files.ts'
import type { GatewayUrls } from '../node/gateways.ts'
import type { HaltNotice } from '../node/halts.ts'
import { queryError } from '../primitives/errors.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'

/** Time limit of a clean stop, after which the process exits anyway. Unit: milliseconds. */
const STOP_TIMEOUT_MS = 10_000
/**
 * Delay between closing everything and the exit of a process that has halted for the next build. Supervisors poll for
 * `upgrade-info.json` every 300 ms by default; if cosmovisor polls at the moment of the exit, it takes the exit for a crash.
 * Unit: milliseconds.
 */
const SUPERVISOR_DELAY_MS = 2000

/**
 * Runs a chain until the process is stopped. Resolves only if the chain halts during the start, to the exit code. `build`
 * replaces the state machine of this build.
 */
export async function start(args: readonly string[], build?: Build): Promise<number> {
  const command = commandWithSettings(
    'start',
    'Run a chain: one validator, ten funded accounts, simulated prices, a block each second and on arrival of a transaction.',
  )
  command.option(
    '--ephemeral [true|false]',
    'Keep the chain in memory or a temporary folder, and remove it at the stop. (ALMANAC_EPHEMERAL; default: false)',
  )
  command.option(
    '--mnemonic-file <path>',
    'File with the BIP-39 mnemonic of a new chain; - reads standard input. The home keeps a copy for its owner alone.',
  )
  command.parse([...args], { from: 'user' })
  const { ephemeral: ephemeralFlag, 'mnemonic-file': mnemonicFile, ...flags } = flagsOf(command)
  if (mnemonicFile !== undefined) flags['mnemonic'] = readMnemonicFile(String(mnemonicFile), flags['mnemonic'])
  const ephemeral = parseEphemeral(ephemeralFlag ?? process.env['ALMANAC_EPHEMERAL'])
  const home = ephemeral ? undefined : homeOf(flags['home'])
  const resolved = resolveSettings(flags, home)
  const { assembleNode } = await import('../node/assembly.ts')
  let exitCode = 0
  let lingerMs = 0
  let stop = () => {}
  const opening = assembleNode({
    resolved,
    home,
    ...(build && { build }),
    freePorts: false,
    log: undefined,
    onHalt(notice) {
      announce(notice, resolved.config.log.format)
      if (notice.serves) return
      exitCode = notice.exitCode
      if (notice.callsSupervisor) lingerMs = SUPERVISOR_DELAY_MS
      stop()
    },
  })
  let node: AssembledNode
  try {
    node = await opening
  } catch (error) {
    if (exitCode === 0) throw error
    await delay(lingerMs)
    return exitCode
  }
  const { config } = node
  // The banner replaces these lines for people.
  const logUnlessBanner = config.node.silent || config.log.format === 'json' ? node.log : () => {}
  stop = () => {
    stop = () => process.exit(exitCode || 1)
    logUnlessBanner('info', 'stopping', { height: node.height })
    node
      .stop()
      .catch((error: unknown) => {
        exitCode ||= 1
        node.log('error', 'the stop was not clean; the chain is complete up to its last block', { error })
      })
      .then(() => delay(lingerMs))
      .finally(() => process.exit(exitCode))
    setTimeout(() => process.exit(exitCode || 1), STOP_TIMEOUT_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop())

  logUnlessBanner('info', 'started', { chain_id: node.chainId, height: node.height, home, urls: node.urls })
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
            }
          : undefined,
        displayDenom: node.identity.displayDenom,
        urls: node.urls,
        blocks: describeBlocks(node.timing),
        startedInMs: performance.now(),
      }),
    )
  }
  if (config.node.configOut !== '') {
    try {
      diskFiles.write(config.node.configOut, renderConfigOut(node), { secret: true })
    } catch (error) {
      // Stop the node: a reader that waits for the file would otherwise never return.
      await node.stop()
      throw error
    }
  }
  return new Promise(() => undefined)
}

/**
 * Prints the line that supervisors look for, on standard output and, if the log is JSON, on standard error too. As text the log
 * contains it already.
 */
function announce({ line }: HaltNotice, logFormat: string): void {
  if (line === undefined) return
  process.stdout.write(`${line}\n`)
  if (logFormat === 'json') process.stderr.write(`${line}\n`)
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Reads the mnemonic of `--mnemonic-file`. Throws `invalidArgument` beside `--mnemonic`, and `notFound` without the file. */
function readMnemonicFile(path: string, flag: unknown): string {
  if (flag !== undefined) throw queryError('invalidArgument', '--mnemonic and --mnemonic-file exclude each other')
  const text = path === '-' ? readFileSync(0, 'utf8') : diskFiles.read(path)
  if (text === undefined) throw queryError('notFound', `--mnemonic-file ${path}: no such file`)
  return text.trim().split(/\s+/).join(' ')
}

/** Parses the value of `--ephemeral`, which is not a setting. Throws `invalidArgument` if it is not a boolean. */
function parseEphemeral(value: unknown): boolean {
  if (value === undefined || value === 'false' || value === '0') return false
  if (value === true || value === 'true' || value === '1') return true
  throw queryError('invalidArgument', `--ephemeral (ALMANAC_EPHEMERAL) = "${value}": must be true or false`)
}

function describeBlocks(timing: BlockTiming): string {
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
function renderConfigOut(node: {
  readonly chainId: string
  readonly evmChainId: bigint
  readonly config: { readonly chain: { readonly mnemonic: string } }
  readonly accounts: readonly { address: string; bech32: string; privateKey: string; path: string }[]
  readonly urls: GatewayUrls
  readonly genesisTime: string
}): string {
  const file = {
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
  return `${JSON.stringify(file, null, 2)}\n`
}
