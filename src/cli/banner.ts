/** The text that `almanac start` prints for people: accounts, keys and URLs to copy. */
import type { DevAccount } from '../node/accounts.ts'
import type { GatewayUrls } from '../node/gateways.ts'

interface BannerKeys {
  /** Undefined for a mnemonic that is not public: then no key is printed. */
  readonly publicMnemonic: string | undefined
  readonly accounts: readonly DevAccount[]
  /** Genesis balance of each account, in whole native units. */
  readonly balance: bigint
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

function accountLines(accounts: readonly DevAccount[], hasKeys: boolean): string[] {
  return accounts.map(
    ({ address, bech32, privateKey }, i) => `(${i}) ${address}  ${bech32}${hasKeys ? `\n    ${privateKey}` : ''}`,
  )
}

function keyLines({ publicMnemonic, accounts, balance }: BannerKeys, displayDenom: string): string[] {
  const hasKeys = publicMnemonic !== undefined
  const eth = accounts.filter(({ kind }) => kind === 'eth')
  const cosmos = accounts.filter(({ kind }) => kind === 'cosmos')
  const funded = `, ${balance.toLocaleString('en-US')} ${displayDenom} each at genesis`
  return [
    `Accounts at m/44'/60'/0'/0/n${funded} (address, bech32${hasKeys ? ', private key' : ''})`,
    ...accountLines(eth, hasKeys),
    '',
    `Accounts at m/44'/118'/0'/0/n${funded}`,
    ...accountLines(cosmos, hasKeys),
    '',
    ...(hasKeys
      ? [
          `Mnemonic           ${publicMnemonic}`,
          '                   These keys are public: never send anything of value to these accounts.',
        ]
      : ['Mnemonic           not printed: it is your own']),
    '',
  ]
}

export function renderBanner(facts: BannerFacts): string {
  return [
    '',
    `almanac ${facts.version}, started in ${Math.round(facts.startedInMs)} ms`,
    '',
    ...(facts.keys ? keyLines(facts.keys, facts.displayDenom) : []),
    `Chain id           ${facts.chainId}`,
    `EVM chain id       ${facts.evmChainId}`,
    `Height             ${facts.height}`,
    `Blocks             ${facts.blocks}`,
    `Home               ${facts.home ?? 'none (ephemeral: nothing remains after the stop)'}`,
    '',
    ...URL_TITLES.flatMap(([key, title]) => (facts.urls[key] ? [`${title.padEnd(19)}${facts.urls[key]}`] : [])),
    '',
    'Press Ctrl-C to stop.',
    '',
  ].join('\n')
}
