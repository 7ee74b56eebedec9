/** The text that `almanac start` prints for people: where to look, and accounts to use. It fits a terminal of 80 columns. */
import type { DevAccount } from '../node/accounts.ts'
import type { GatewayUrls } from '../node/gateways.ts'

interface BannerKeys {
  /** Undefined for a mnemonic that is not public: then no key is printed. */
  readonly publicMnemonic: string | undefined
  readonly accounts: readonly DevAccount[]
  /** Genesis balance of each account, in whole native units. */
  readonly balance: bigint
  /** Whether all accounts are printed, with the mnemonic; else the first ones. */
  readonly all: boolean
}

export interface BannerFacts {
  readonly version: string
  readonly chainId: string
  readonly evmChainId: bigint
  readonly height: bigint
  /** Undefined for an ephemeral chain. */
  readonly home: string | undefined
  /** Undefined except on a development chain: the accounts of any other chain are not printed. */
  readonly keys: BannerKeys | undefined
  readonly displayDenom: string
  readonly urls: GatewayUrls
  /** URL of the console; undefined if it is not served. */
  readonly console: string | undefined
  readonly blocks: string
  /** Time from the start of the process. Unit: milliseconds. */
  readonly startedInMs: number
}

const URL_TITLES: readonly (readonly [key: keyof GatewayUrls, title: string])[] = [
  ['jsonrpc', 'Ethereum JSON-RPC'],
  ['ws', 'JSON-RPC WebSocket'],
  ['rest', 'REST'],
  ['grpc', 'gRPC'],
  ['comet', 'CometBFT RPC'],
  ['metrics', 'Metrics'],
]

/** Accounts that are printed without `--show-keys`. */
const FIRST_ACCOUNTS = 3

const titled = (title: string, value: unknown): string => `${title.padEnd(19)}${value}`

function accountLines(accounts: readonly DevAccount[], hasKeys: boolean): string[] {
  return accounts.flatMap(({ address, bech32, privateKey }, i) => [
    `(${i}) ${address}`,
    `    ${bech32}`,
    ...(hasKeys ? [`    ${privateKey}`] : []),
  ])
}

function keyLines({ publicMnemonic, accounts, balance, all }: BannerKeys, displayDenom: string): string[] {
  const hasKeys = publicMnemonic !== undefined
  const eth = accounts.filter(({ kind }) => kind === 'eth')
  const cosmos = accounts.filter(({ kind }) => kind === 'cosmos')
  const shown = all ? eth : eth.slice(0, FIRST_ACCOUNTS)
  const hidden = accounts.length - shown.length
  return [
    '',
    `Accounts with ${balance.toLocaleString('en-US')} ${displayDenom} each at genesis, m/44'/60'/0'/0/n:`,
    `address, Bech32${hasKeys ? ', private key' : ''}`,
    ...accountLines(shown, hasKeys),
    ...(all
      ? ['', "Accounts at m/44'/118'/0'/0/n:", ...accountLines(cosmos, hasKeys), '']
      : hidden > 0
        ? [`${hidden} more accounts${hasKeys ? ', and the mnemonic' : ''}: --show-keys, or --config-out FILE`]
        : []),
    ...(all ? [titled('Mnemonic', publicMnemonic ?? 'not printed: it is your own')] : []),
    ...(hasKeys ? ['These keys are public: never send anything of value to these accounts.'] : []),
  ]
}

export function renderBanner(facts: BannerFacts): string {
  return [
    '',
    `almanac ${facts.version}, started in ${Math.round(facts.startedInMs)} ms`,
    '',
    ...(facts.console ? [titled('Console', facts.console)] : []),
    ...URL_TITLES.flatMap(([key, title]) => (facts.urls[key] ? [titled(title, facts.urls[key])] : [])),
    '',
    titled('Chain id', facts.chainId),
    titled('EVM chain id', facts.evmChainId),
    titled('Height', facts.height),
    titled('Blocks', facts.blocks),
    titled('Home', facts.home ?? 'none (ephemeral: nothing remains after the stop)'),
    ...(facts.keys ? keyLines(facts.keys, facts.displayDenom) : []),
    '',
    'Press Ctrl-C to stop.',
    '',
  ].join('\n')
}
