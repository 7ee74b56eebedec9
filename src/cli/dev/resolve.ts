/** The settings and choices of a development chain, from its command line. */

import { CREATE2_DEPLOYER_ADDRESS } from '../../modules/evm/contracts/create2-deployer.ts'
import type { AccountDump, Amendment } from '../../modules/evm/keeper.ts'
import { configError, parseMilliseconds, parseSetting, type ResolvedConfig, resolveConfig } from '../../node/config.ts'
import { parseConfigFile } from '../../node/config-file.ts'
import { diskFiles } from '../../node/files.ts'
import { homePaths } from '../../node/home-paths.ts'
import { requireMnemonic } from '../../node/mnemonic.ts'
import { EMPTY } from '../../primitives/bytes.ts'
import { homeOf, readConfigText } from '../settings.ts'
import type { GivenFlags } from './command.ts'
import { DEV_FLAGS, DEV_GAS_CAP, isBeforeBerlin } from './flags.ts'
import { type GenesisFile, readGenesisFile } from './genesis-file.ts'
import { randomMnemonic, seededMnemonic } from './mnemonic.ts'
import { EXCLUSIVE_STATE_FLAGS, type StateFiles, stateFilesOf } from './state-file.ts'

/** The EVM chain id of development chains, which tools expect (D63). */
const DEV_CHAIN_ID = '31337'
/** The base fee of development chains, which fixed prices of programs for anvil can pay. Unit: wei. */
const DEV_BASE_FEE_WEI = '1000000000'
/** Flags for the beginning of a chain. */
const AT_BEGINNING = [
  'block-base-fee-per-gas',
  'auto-impersonate',
  'disable-default-create2-deployer',
  'mnemonic-random',
  'timestamp',
  'init',
  'state',
  'load-state',
]
/** The last second of the year 9999, the last time of a block. */
const LAST_SECOND = 253_402_300_799
const MAX_WEI = 2n ** 256n - 1n
const MAX_GAS_PRICE_WEI = 10n ** 30n
const MS_PER_SECOND = 1000

/** Defaults in which a development chain differs from `almanac start`, by flag. */
const DEV_DEFAULTS: Readonly<Record<string, string>> = {
  'evm-chain-id': DEV_CHAIN_ID,
  feeder: 'false',
  'tx-gas-limit': 'false',
  'unprotected-txs': 'true',
  predeploys: 'true',
  'log-chain': 'true',
  'evm-gas-cap': String(DEV_GAS_CAP),
  'jsonrpc-ws-enabled': 'false',
  'api-workers': '0',
  'compute-workers': '0',
}

/** The choices of a development chain that are no settings. */
export interface DevChoices {
  /** Difference of the chain's clock from the wall clock. */
  readonly clockOffsetMs: number
  /** Changes to the state of a new chain. */
  readonly amendments: readonly Amendment[]
  /** Accounts of a new chain beside those of its mnemonic. */
  readonly accounts: readonly AccountDump[]
  readonly stateFiles: StateFiles
  /** Time between blocks that are made beside those on arrival; undefined for none. */
  readonly intervalMs: number | undefined
  /** Lowest gas price that the pool accepts; undefined for the default. */
  readonly minGasPriceWei: bigint | undefined
  /** Whether calls are printed as trees. */
  readonly printsTraces: boolean
  /** Whether the log has what contracts print. */
  readonly logsPrints: boolean
}

export interface ResolvedDev {
  readonly resolved: ResolvedConfig
  readonly home: string | undefined
  readonly choices: DevChoices
}

/** Flags of which a command line has at most one. */
const EXCLUSIVE = [
  ['mnemonic', 'mnemonic-random', 'mnemonic-seed-unsafe'],
  ['block-time', 'no-mining'],
  ['gas-limit', 'disable-block-gas-limit'],
  ['code-size-limit', 'disable-code-size-limit'],
  ['allow-origin', 'no-cors'],
  ['prune-history', 'transaction-block-keeper'],
  ['quiet', 'verbosity'],
  ['quiet', 'print-traces'],
  ...EXCLUSIVE_STATE_FLAGS,
] as const

/** Reads an integer. Throws `invalidArgument` with the flag for another text or one out of range. */
function integer(flag: string, text: string, most: bigint): bigint {
  const value = /^\d{1,78}$/.test(text) ? BigInt(text) : -1n
  if (value >= 0n && value <= most) return value
  throw configError(`--${flag} ${text}: must be an integer from 0 to ${most}`)
}

/** Throws `invalidArgument` for flags that contradict each other, and for values that the settings do not describe. */
function checkFlags(dev: GivenFlags['dev']): void {
  for (const flags of EXCLUSIVE) {
    const given = flags.filter((flag) => dev.has(flag))
    if (given.length > 1) throw configError(`--${given[0]} and --${given[1]} exclude each other`)
  }
  if (dev.has('mixed-mining') && !dev.has('block-time')) throw configError('--mixed-mining needs --block-time')
  const fork = dev.get('hardfork')
  if (fork !== undefined && isBeforeBerlin(fork)) {
    throw configError(`--hardfork ${fork}: forks before Berlin are not supported`)
  }
  const chainId = dev.get('chain-id')
  if (chainId !== undefined && !/^[1-9]\d*$/.test(chainId)) {
    throw configError(
      `--chain-id ${chainId}: must be the EVM chain id, an integer from 1 to ${Number.MAX_SAFE_INTEGER}; ALMANAC_CHAIN_ID sets the id for Cosmos clients, a text`,
    )
  }
  const color = dev.get('color')
  if (color !== undefined && !/^(auto|never)$/.test(color)) {
    throw configError(`--color ${color}: must be auto or never, since nothing is printed in colour`)
  }
  for (const flag of ['prune-history', 'transaction-block-keeper']) {
    if (dev.get(flag) === '0') throw configError(`--${flag} 0: must be at least 1`)
  }
}

/** Returns the mnemonic of the flags; undefined for the default one. */
async function mnemonicOf(dev: GivenFlags['dev']): Promise<string | undefined> {
  const given = dev.get('mnemonic')
  if (given !== undefined) await requireMnemonic(given, '--mnemonic')
  const words = dev.get('mnemonic-random')
  if (words !== undefined) return randomMnemonic(words)
  const seed = dev.get('mnemonic-seed-unsafe')
  return seed === undefined ? given : seededMnemonic(seed)
}

/** Returns the settings that the flags of the table set, by their own flags. Throws `invalidArgument` with the flag of a bad value. */
function settingsOf(dev: GivenFlags['dev']): Record<string, string> {
  const flags: Record<string, string> = {}
  for (const { flag, sets } of DEV_FLAGS) {
    const given = dev.get(flag)
    if (given === undefined) continue
    for (const { setting, value } of sets?.(given) ?? []) {
      parseSetting(setting, value, `--${flag}`)
      flags[setting.flag] = value
    }
  }
  return flags
}

/** Resolves the settings and choices of `almanac dev`. Rejects with `invalidArgument` that names the flag with a bad value. */
export async function resolveDev({ dev, settings, home: homeFlag }: GivenFlags): Promise<ResolvedDev> {
  checkFlags(dev)
  const home = homeFlag === undefined ? undefined : homeOf(homeFlag)
  if (home !== undefined && diskFiles.exists(homePaths(home).record)) {
    const given = AT_BEGINNING.find((flag) => dev.has(flag))
    if (given !== undefined) throw configError(`--${given} is for a new chain, and ${home} contains one`)
  }
  const mnemonic = await mnemonicOf(dev)
  const init = dev.get('init')
  const genesis = init === undefined ? undefined : readGenesisFile(init)
  const flags = { ...genesis?.flags, ...settingsOf(dev), ...(mnemonic !== undefined && { mnemonic }), ...settings }
  const text = home === undefined ? undefined : readConfigText(home)
  const resolved = resolveConfig({
    flags,
    environment: process.env,
    presets: DEV_DEFAULTS,
    ...(text !== undefined && { file: parseConfigFile(text) }),
  })
  return { resolved, home, choices: choicesOf(dev, resolved, genesis) }
}

function choicesOf(dev: GivenFlags['dev'], { config }: ResolvedConfig, genesis: GenesisFile | undefined): DevChoices {
  const baseFee = dev.get('block-base-fee-per-gas')
  const timestamp = dev.get('timestamp') ?? (genesis?.timestamp || undefined)?.toString()
  const gasPrice = dev.get('gas-price')
  const amendments: Amendment[] = [
    { kind: 'baseFee', wei: BigInt(DEV_BASE_FEE_WEI) },
    ...(genesis?.amendments ?? []),
    ...(baseFee === undefined
      ? []
      : [{ kind: 'baseFee', wei: integer('block-base-fee-per-gas', baseFee, MAX_WEI) } as const]),
    ...(dev.has('auto-impersonate') ? [{ kind: 'impersonate', on: true } as const] : []),
    ...(dev.has('disable-default-create2-deployer')
      ? [{ kind: 'code', address: CREATE2_DEPLOYER_ADDRESS, code: EMPTY } as const]
      : []),
  ]
  return {
    clockOffsetMs:
      timestamp === undefined
        ? 0
        : Number(integer('timestamp', timestamp, BigInt(LAST_SECOND))) * MS_PER_SECOND - Date.now(),
    amendments,
    accounts: genesis?.accounts ?? [],
    stateFiles: stateFilesOf(dev),
    intervalMs: dev.has('mixed-mining') ? parseMilliseconds(config.blocks.time) : undefined,
    minGasPriceWei: gasPrice === undefined ? undefined : integer('gas-price', gasPrice, MAX_GAS_PRICE_WEI),
    printsTraces: dev.has('print-traces'),
    logsPrints: !dev.has('disable-console-log'),
  }
}
