/** The text that `almanac dev` prints for people, in the order of anvil's. */

import { baseFee, suggestedPrice } from '../../api/jsonrpc/eth/fees.ts'
import * as bank from '../../modules/bank/keeper.ts'
import type { AssembledNode } from '../../node/assembly.ts'
import { VERSION } from '../../node/version.ts'

/** The facts of `--config-out` that anvil's file has. Addresses and keys are hexadecimal, amounts in wei are decimal texts. */
interface AnvilFacts {
  readonly available_accounts: readonly string[]
  readonly private_keys: readonly string[]
  readonly wallet: { readonly mnemonic: string; readonly derivation_path: string }
  readonly base_fee: string
  readonly gas_price: string
  readonly gas_limit: string
  /** Unix seconds. */
  readonly genesis_timestamp: string
}

export interface DevFacts {
  readonly anvil: AnvilFacts
  readonly node: AssembledNode
  /** Undefined for a temporary chain. */
  readonly home: string | undefined
  readonly blocks: string
}

/** Returns the facts of a running development chain. */
export function factsOf(node: AssembledNode, more: Pick<DevFacts, 'home' | 'blocks'>): DevFacts {
  const { gateway, config } = node
  const own = node.accounts.filter(({ kind }) => kind === 'eth')
  return {
    node,
    ...more,
    anvil: {
      available_accounts: own.map(({ address }) => address.toLowerCase()),
      private_keys: own.map(({ privateKey }) => privateKey),
      wallet: { mnemonic: config.chain.mnemonic, derivation_path: `${config.chain.derivationPath}/` },
      base_fee: baseFee(gateway).toString(),
      gas_price: suggestedPrice(gateway).toString(),
      gas_limit: config.chain.blockGasLimit.toString(),
      genesis_timestamp: String(Math.floor(Date.parse(node.genesisTime) / 1000)),
    },
  }
}

const section = (title: string, lines: readonly string[]): string[] => [title, '==================', '', ...lines, '']

const URLS = [
  ['jsonrpc', 'JSON-RPC'],
  ['ws', 'WebSocket'],
  ['ipc', 'IPC'],
  ['rest', 'REST'],
  ['grpc', 'gRPC'],
  ['comet', 'CometBFT RPC'],
  ['metrics', 'Metrics'],
] as const

/** Renders the banner: accounts, keys, facts of the chain and endpoints. Its last line is the one that tools wait for. */
export function renderDevBanner({ anvil, node, home, blocks }: DevFacts): string {
  const { identity, gateway, accounts, urls } = node
  const balances = gateway.withContext(undefined, (ctx) =>
    accounts.map(({ addressBytes }) => bank.balanceWei(ctx, addressBytes) / bank.WEI_PER_NATIVE),
  )
  const listed = accounts.map((account, i) => ({ ...account, balance: balances[i]! }))
  const own = listed.filter(({ kind }) => kind === 'eth')
  const amount = (balance: bigint): string => `${balance} ${identity.displayDenom}`
  const { chain, rest } = node.config
  const shown = [
    ['Console', rest.console && urls.rest && `${urls.rest}/`],
    ...URLS.map(([key, title]) => [title, urls[key]] as const),
  ] as const
  return [
    '',
    `almanac ${VERSION}`,
    '',
    ...section(
      'Available Accounts',
      own.map(({ address, bech32, balance }, i) => `(${i}) ${address} (${amount(balance)}) ${bech32}`),
    ),
    ...section(
      'Private Keys',
      own.map(({ privateKey }, i) => `(${i}) ${privateKey}`),
    ),
    ...section(
      "Accounts at m/44'/118'/0'/0/",
      listed
        .filter(({ kind }) => kind === 'cosmos')
        .map(({ bech32, balance, privateKey }, i) => `(${i}) ${bech32} (${amount(balance)}) ${privateKey}`),
    ),
    ...section('Wallet', [
      `Mnemonic:          ${anvil.wallet.mnemonic}`,
      `Derivation path:   ${anvil.wallet.derivation_path}`,
    ]),
    ...section('Chain ID', [`${node.evmChainId} (${node.chainId})`]),
    ...section('Base Fee', [anvil.base_fee]),
    ...section('Gas Limit', [chain.blockGasLimit > 0n ? anvil.gas_limit : 'none']),
    ...section('Genesis Timestamp', [anvil.genesis_timestamp]),
    ...section('Genesis Number', [chain.initialHeight.toString()]),
    ...section('Blocks', [blocks]),
    ...section('Home', [home ?? 'none: nothing remains after the stop']),
    ...section(
      'Endpoints',
      shown.flatMap(([title, url]) => (url ? [`${title.padEnd(18)} ${url}`] : [])),
    ),
    `Listening on ${urls.jsonrpc?.replace('http://', '') ?? urls.rest ?? urls.grpc ?? 'no port'}`,
    '',
  ].join('\n')
}
