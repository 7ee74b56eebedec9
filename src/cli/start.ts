/** `almanac start`: a chain in one command, until Ctrl-C. */

import type { BlockTiming } from '../consensus/solo.ts'
import { parseSetting } from '../node/config.ts'
import { diskFiles } from '../node/files.ts'
import type { GatewayUrls } from '../node/gateways.ts'
import { SETTINGS } from '../node/settings.ts'
import { commandWithSettings, flagsOf, homeOf, resolveSettings } from './settings.ts'

/** How long a clean stop may take before the process ends anyway. */
const STOP_MS = 10_000

export async function start(args: readonly string[]): Promise<number> {
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
  let stop = () => {}
  const node = await assembleNode({
    resolved,
    home,
    freePorts: false,
    log: undefined,
    onHalt: () => {
      process.exitCode = 1
      stop()
    },
  })
  const { config } = node
  // The banner says the same to people.
  const tell = config.node.silent || config.log.format === 'json' ? node.log : () => {}
  stop = () => {
    stop = () => process.exit(1)
    tell('info', 'stopping', { height: node.height })
    node.stop().finally(() => process.exit())
    setTimeout(() => process.exit(1), STOP_MS).unref()
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
  if (config.node.configOut !== '') diskFiles.write(config.node.configOut, renderConfigOut(node), { secret: true })
  return new Promise(() => undefined)
}

function isOn(value: unknown): boolean {
  return value === undefined ? false : (parseSetting(SETTINGS.node.silent, value, '--ephemeral') as boolean)
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
