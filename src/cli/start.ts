/** `almanac start`: a chain in one command, until Ctrl-C. */

import type { BlockTiming } from '../consensus/solo.ts'
import type { AssembledNode } from '../node/assembly.ts'
import type { Build } from '../node/build.ts'
import { diskFiles } from '../node/files.ts'
import type { GatewayUrls } from '../node/gateways.ts'
import type { HaltNotice } from '../node/halts.ts'
import { queryError } from '../primitives/errors.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'

/** How long a clean stop may take before the process ends anyway. */
const STOP_MS = 10_000
/**
 * How long a process that has halted for the next build stays after it has closed everything. Supervisors look for the file every
 * 300 ms by default; cosmovisor, when it looks at the very moment in which the process ends, takes that for a crash.
 */
const SUPERVISOR_MS = 2000

/** Runs until it is stopped. The exit code of one that did not begin. `build`: in place of what this build has. */
export async function start(args: readonly string[], build?: Build): Promise<number> {
  const command = commandWithSettings(
    'start',
    'Runs a chain: solo, ten funded accounts, simulated prices, a block each second and on arrival.',
  )
  command.option('--ephemeral [true|false]', 'keep nothing: the chain is gone when the process ends')
  command.parse([...args], { from: 'user' })
  const { ephemeral: ephemeralFlag, ...flags } = flagsOf(command)
  const ephemeral = isOn(ephemeralFlag ?? process.env['ALMANAC_EPHEMERAL'])
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
      if (notice.callsSupervisor) lingerMs = SUPERVISOR_MS
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
  // The banner says the same to people.
  const tell = config.node.silent || config.log.format === 'json' ? node.log : () => {}
  stop = () => {
    stop = () => process.exit(exitCode || 1)
    tell('info', 'stopping', { height: node.height })
    node
      .stop()
      .catch((error: unknown) => {
        exitCode ||= 1
        node.log('error', 'not all could be closed; the chain is whole up to its last block', { error })
      })
      .then(() => delay(lingerMs))
      .finally(() => process.exit(exitCode))
    setTimeout(() => process.exit(exitCode || 1), STOP_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop())

  tell('info', 'started', { chain_id: node.chainId, height: node.height, home, urls: node.urls })
  if (!config.node.silent) {
    const { renderBanner } = await import('./banner.ts')
    const { VERSION } = await import('../node/version.ts')
    process.stdout.write(
      renderBanner({
        version: VERSION,
        chainId: node.chainId,
        evmChainId: node.evmChainId,
        height: node.height,
        home,
        mnemonic: config.chain.mnemonic,
        accounts: node.accounts,
        balance: config.chain.genesis === '' ? config.chain.balance : undefined,
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
      // Whoever waits for the file would wait for ever.
      await node.stop()
      throw error
    }
  }
  return new Promise(() => undefined)
}

/** Supervisors read both outputs, and look for the bare line; the log has it once more. */
function announce({ line }: HaltNotice, logFormat: string): void {
  if (line === undefined) return
  process.stdout.write(`${line}\n`)
  if (logFormat === 'json') process.stderr.write(`${line}\n`)
}

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Of a flag or a variable that is no setting of a chain. */
function isOn(value: unknown): boolean {
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

/** The file of `--config-out`: what the banner says, for programs. */
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
