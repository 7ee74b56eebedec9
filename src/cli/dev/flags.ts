/** The flags of anvil 1.7.1, and what `almanac dev` makes of each (docs/dev.md). */
import { availableParallelism } from 'node:os'
import type { Setting } from '../../node/settings/setting.ts'
import { SETTINGS } from '../../node/settings.ts'

/** A setting that a flag sets, and its value as text. */
interface Assignment {
  readonly setting: Setting
  readonly value: string
}

export interface DevFlag {
  /** Without dashes. */
  readonly flag: string
  /** A single letter. */
  readonly short?: string
  /** Further names, without dashes. */
  readonly aliases?: readonly string[]
  /** Placeholder of its value, as commander writes it; absent for a flag without value. */
  readonly value?: string
  readonly about: string
  /** Returns the settings that the flag sets from its value, which is empty for a flag without one. */
  readonly sets?: (value: string) => readonly Assignment[]
  /** The difference from anvil, a sentence without full stop. */
  readonly differs?: string
  /** The reason why the flag is refused, a sentence without full stop. Such a flag has no effect to describe. */
  readonly refused?: string
}

const { chain, blocks, mempool, node, jsonrpc, rpc, api, evm, store, compute, log } = SETTINGS

/** Largest code size that the EVM can be told to accept. Unit: bytes. */
const ANY_CODE_SIZE = '2147483647'
/** Largest body of a request that the node can be told to accept. Unit: bytes. */
const ANY_BODY_SIZE = '1000000000'
/** Gas of a call without flags: that of a block. */
export const DEV_GAS_CAP = 60_000_000
/** Largest gas of a call that the node can be told to allow. */
const MAX_CALL_GAS = 1_000_000_000
/** Path of the socket without one of its own. */
const IPC_PATH = '/tmp/almanac.ipc'
/** Heights that `--prune-history` keeps without a number. */
const KEPT_HEIGHTS = '128'

const sets =
  (setting: Setting, fixed?: string): NonNullable<DevFlag['sets']> =>
  (value) => [{ setting, value: fixed ?? value }]

/** Returns the gas cap of calls for a gas limit of blocks: calls can have the gas of a block. */
function capOf(gasLimit: string): readonly Assignment[] {
  const gas = Math.min(Number(gasLimit), MAX_CALL_GAS)
  return gas > DEV_GAS_CAP ? [{ setting: evm.gasCap, value: String(gas) }] : []
}

const BEFORE_BERLIN = new Set([
  'frontier',
  'homestead',
  'dao',
  'tangerine',
  'spuriousdragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirglacier',
])

/** Whether a name of anvil's `--hardfork` is of a fork before Berlin, which the EVM does not have. */
export const isBeforeBerlin = (name: string): boolean => BEFORE_BERLIN.has(name.toLowerCase())

/** Names of tools for forks whose rules are those of another: they changed only proof of work or blobs, or have two names. */
const SAME_RULES: Readonly<Record<string, string>> = {
  latest: 'Osaka',
  arrowglacier: 'London',
  grayglacier: 'London',
  merge: 'Paris',
  bpo1: 'Osaka',
  bpo2: 'Osaka',
}

const NO_FORKING = 'forking is not supported'
const forking = (flag: string, about: string, more: Partial<DevFlag> = {}): DevFlag => ({
  flag,
  value: '[value]',
  about,
  refused: NO_FORKING,
  ...more,
})

/** All flags, in the order of the help. */
export const DEV_FLAGS: readonly DevFlag[] = [
  {
    flag: 'port',
    short: 'p',
    value: '<port>',
    about: 'Port of JSON-RPC, over HTTP and WebSocket; 8545 by default, 0 lets the system choose.',
    sets: sets(jsonrpc.port),
    differs: 'REST, gRPC and the CometBFT RPC have ports of their own: --rest-port, --grpc-port, --comet-port',
  },
  {
    flag: 'host',
    value: '<address>',
    about: 'Address that every port listens on.',
    sets: (value) =>
      [SETTINGS.jsonrpc, SETTINGS.rest, SETTINGS.grpc, SETTINGS.comet].map(({ host }) => ({ setting: host, value })),
    differs:
      'one address; if other machines can reach it, --insecure-keys must accept that they can use development methods. The variable is ALMANAC_JSONRPC_HOST',
  },
  {
    flag: 'accounts',
    short: 'a',
    value: '<number>',
    about: 'Number of funded accounts, at least 1; 10 by default.',
    sets: sets(chain.accounts),
    differs: "as many accounts at Cosmos's derivation path are funded too",
  },
  {
    flag: 'balance',
    value: '<native>',
    about: 'Balance of each account, in whole native units; 1000000 by default.',
    sets: sets(chain.balance),
    differs: 'in anvil it is 10000, too little for some features of this chain',
  },
  {
    flag: 'mnemonic',
    short: 'm',
    value: '<words>',
    about: 'BIP-39 mnemonic of the accounts.',
    sets: sets(chain.mnemonic),
  },
  { flag: 'mnemonic-random', value: '[words]', about: 'Use a random mnemonic, of 12 words or the given number.' },
  {
    flag: 'mnemonic-seed-unsafe',
    value: '<seed>',
    about: 'Use the mnemonic that follows from a number. Anyone can compute its keys.',
  },
  {
    flag: 'derivation-path',
    value: '<path>',
    about: 'Derivation path of the accounts, without the number of the account.',
    sets: (value) => [{ setting: chain.derivationPath, value: value.replace(/\/$/, '') }],
  },
  {
    flag: 'chain-id',
    value: '<number>',
    about: 'EVM chain id; 31337 by default.',
    sets: sets(chain.evmChainId),
    differs: 'the id of the chain for Cosmos clients is a text of its own (ALMANAC_CHAIN_ID)',
  },
  {
    flag: 'block-time',
    short: 'b',
    aliases: ['blockTime'],
    value: '<seconds>',
    about: 'Make blocks at an interval, in seconds, instead of on arrival.',
    sets: sets(blocks.time),
  },
  {
    flag: 'no-mining',
    aliases: ['no-mine'],
    about: 'Make blocks on request only.',
    sets: sets(blocks.time, 'manual'),
  },
  { flag: 'mixed-mining', about: 'With --block-time, make blocks on arrival as well.' },
  {
    flag: 'order',
    value: '<order>',
    about: 'Order of transactions in a block: fees, the default, or fifo.',
    sets: sets(mempool.order),
  },
  {
    flag: 'max-transactions',
    value: '<number>',
    about: 'Maximum number of transactions in a block.',
    sets: sets(blocks.maxTxs),
  },
  {
    flag: 'slots-in-an-epoch',
    value: '<number>',
    about: 'Number of blocks that safe is behind latest; finalized is twice as far behind.',
    sets: sets(rpc.slotsInAnEpoch),
    differs: 'without it safe and finalized are the latest block, since a block is final at once',
  },
  {
    flag: 'hardfork',
    value: '<name>',
    about: 'Fork of Ethereum, Berlin to Osaka, or latest, the default.',
    sets: (value) => [{ setting: chain.fork, value: SAME_RULES[value.toLowerCase()] ?? value }],
    differs:
      'forks before Berlin are refused; merge, a name of Hardhat, is Paris; bpo1 and bpo2, which change only blobs, are Osaka',
  },
  {
    flag: 'gas-limit',
    value: '<gas>',
    about: 'Gas limit of a block, and of a call if it is higher than the default, 60000000.',
    sets: (value) => [{ setting: chain.blockGasLimit, value }, ...capOf(value)],
    differs: 'in anvil the default is 30000000',
  },
  {
    flag: 'disable-block-gas-limit',
    about: 'Let a block have any gas.',
    sets: () => [{ setting: chain.blockGasLimit, value: '-1' }, ...capOf(String(MAX_CALL_GAS))],
  },
  {
    flag: 'block-base-fee-per-gas',
    aliases: ['base-fee'],
    value: '<wei>',
    about: 'Base fee of each block, in wei; 1000000000 by default.',
    differs: 'the base fee is constant',
  },
  {
    flag: 'gas-price',
    value: '<wei>',
    about: 'Lowest gas price that the pool accepts, which eth_gasPrice suggests, in wei.',
    differs: 'it is a lower bound for every type of transaction, as by anvil_setMinGasPrice',
  },
  {
    flag: 'disable-min-priority-fee',
    aliases: ['no-priority-fee'],
    about: 'Suggest no priority fee.',
    differs: 'no priority fee is suggested without it either',
  },
  {
    flag: 'code-size-limit',
    value: '<bytes>',
    about: 'Largest code of a contract.',
    sets: sets(chain.codeSizeLimit),
  },
  {
    flag: 'disable-code-size-limit',
    about: 'Let contracts have any size.',
    sets: sets(chain.codeSizeLimit, ANY_CODE_SIZE),
    differs: 'the limit is 2 GiB',
  },
  {
    flag: 'enable-tx-gas-limit',
    aliases: ['tx-gas-limit'],
    about: 'Limit the gas of a transaction to 16777216 (EIP-7825).',
    sets: sets(chain.txGasLimit, 'true'),
  },
  {
    flag: 'timestamp',
    value: '<seconds>',
    about: 'Time of genesis, in seconds since 1970. The clock runs from there.',
    differs: 'with --home a later start has the real time',
  },
  {
    flag: 'number',
    value: '<height>',
    about: 'Number of the first block.',
    sets: (value) => [{ setting: chain.initialHeight, value: value === '0' ? '1' : value }],
    differs: 'block 0 is genesis itself, which has no state of its own, so that 0 means 1',
  },
  {
    flag: 'init',
    value: '<file>',
    about: 'Begin with the accounts and block fields of a geth genesis file.',
    differs:
      'alloc, config.chainId, timestamp, gasLimit, baseFeePerGas, number and coinbase are read, other fields are not; a timestamp of 0 means now',
  },
  {
    flag: 'state',
    value: '<file>',
    about: 'Load this state file at the start if it exists, and write it at the stop and at intervals.',
    differs: 'files of anvil 1.7.1 are read, and it reads these; they have no state of other modules: --home keeps all',
  },
  {
    flag: 'load-state',
    value: '<file>',
    about: 'Load this state file at the start.',
    differs: 'blob transactions are refused',
  },
  {
    flag: 'dump-state',
    value: '<file>',
    about: 'Write the state to this file at the stop and at intervals.',
    differs: 'a crash leaves the whole file of the last interval',
  },
  {
    flag: 'state-interval',
    short: 's',
    value: '<seconds>',
    about: 'Time between two writes of the state file, in seconds; 60 without it.',
  },
  {
    flag: 'auto-impersonate',
    aliases: ['auto-unlock'],
    about: 'Accept transactions of every sender without a signature.',
  },
  {
    flag: 'disable-console-log',
    aliases: ['no-console-log'],
    about: 'Do not log what contracts print with console.log.',
  },
  {
    flag: 'disable-default-create2-deployer',
    aliases: ['no-create2'],
    about: 'Start without the CREATE2 deployer at 0x4e59b44847b379578588920cA78FbF26c0B4956C.',
  },
  {
    flag: 'print-traces',
    aliases: ['enable-trace-printing'],
    about: 'Print the calls of transactions and of eth_call as a tree.',
    differs: 'names of functions are selectors; with --api-workers eth_call is not printed',
  },
  {
    flag: 'steps-tracing',
    aliases: ['tracing'],
    about: 'Answer debug_trace methods.',
    differs: 'they are answered without it too: a trace runs the transaction again',
  },
  {
    flag: 'ipc',
    aliases: ['ipcpath'],
    value: '[path]',
    about: `Serve JSON-RPC on a Unix socket too, at ${IPC_PATH} without a path.`,
    sets: (value) => [{ setting: jsonrpc.ipc, value: value || IPC_PATH }],
    differs: 'only the user of the node can open the socket',
  },
  {
    flag: 'allow-origin',
    value: '<origins>',
    about: 'Origins that browsers can call from, separated by commas; * for all.',
    sets: sets(api.cors),
    differs:
      'development methods and keys are open to pages of this machine and of origins that are named, not to all of *',
  },
  { flag: 'no-cors', about: 'Let browsers call from no other origin.', sets: sets(api.cors, '') },
  {
    flag: 'no-request-size-limit',
    about: 'Accept requests of any size.',
    sets: sets(api.bodyLimit, ANY_BODY_SIZE),
    differs: 'the limit is 1 GB; without the flag it is 5 MiB',
  },
  {
    flag: 'threads',
    short: 'j',
    aliases: ['jobs'],
    value: '<number>',
    about: 'Threads for calls, estimates and traces; 0 for one for each processor.',
    sets: (value) => [{ setting: compute.workers, value: value === '0' ? String(availableParallelism()) : value }],
    differs: 'without the flag the main thread runs them; with it the chain is in a temporary folder, not in memory',
  },
  {
    flag: 'prune-history',
    value: '[heights]',
    about: 'Keep the states of the latest heights only.',
    sets: (value) => [{ setting: store.keep, value: value || KEPT_HEIGHTS }],
    differs: `without a number the latest ${KEPT_HEIGHTS} stay; snapshots of earlier heights cannot be restored`,
  },
  {
    flag: 'transaction-block-keeper',
    value: '<blocks>',
    about: 'Keep the states of this number of latest heights.',
    sets: sets(store.keep),
    differs: 'the states of older blocks are dropped; blocks, transactions and receipts stay',
  },
  {
    flag: 'config-out',
    value: '<file>',
    about: 'File that receives accounts, keys and URLs as JSON.',
    sets: sets(node.configOut),
    differs: "the file has anvil's fields, and those of almanac start",
  },
  { flag: 'json', about: 'Log as JSON, without a banner.', sets: sets(log.format, 'json') },
  {
    flag: 'quiet',
    short: 'q',
    about: 'Print no banner, and log errors only.',
    sets: () => [
      { setting: node.silent, value: 'true' },
      { setting: log.level, value: 'error' },
    ],
  },
  {
    flag: 'verbosity',
    short: 'v',
    about: 'Log each request.',
    sets: sets(log.requests, 'true'),
    differs: 'it does so however often it is given; --log-level debug logs more',
  },
  {
    flag: 'color',
    value: '<when>',
    about: 'When to print colours: auto or never.',
    differs: 'nothing is printed in colour, so that always is refused',
  },
  { flag: 'md', about: 'Log as Markdown.', refused: 'the log is text, or JSON with --json' },
  {
    flag: 'preserve-historical-states',
    about: 'Write the states of older blocks to the state file, as far as the chain keeps them.',
    differs: 'the file has the accounts of each block',
  },
  {
    flag: 'max-persisted-states',
    value: '[number]',
    about: 'Maximum number of states on disk.',
    refused: 'states are stored as differences; --prune-history limits how many heights are kept',
  },
  {
    flag: 'cache-path',
    value: '[path]',
    about: 'Folder of persisted states.',
    refused: 'states are in memory, or in the folder of --home',
  },
  {
    flag: 'memory-limit',
    value: '[bytes]',
    about: 'Memory of an execution.',
    refused: 'gas limits the memory of an execution; with --threads, --compute-memory limits that of a thread',
  },
  {
    flag: 'disable-pool-balance-checks',
    about: 'Let the pool take what its sender cannot pay.',
    refused: 'no block has a transaction that its sender cannot pay, so that it would wait without end',
  },
  forking('fork-url', 'State of another chain.', { short: 'f', aliases: ['rpc-url'] }),
  forking('fork-block-number', 'Block of the other chain.'),
  forking('fork-chain-id', 'Chain id of the other chain.'),
  forking('fork-header', 'Headers of requests to the other chain.'),
  forking('fork-retry-backoff', 'Pause between requests to the other chain.'),
  forking('fork-transaction-hash', 'Transaction of the other chain.'),
  forking('compute-units-per-second', 'Rate of requests to the other chain.'),
  forking('no-rate-limit', 'Do not limit that rate.', { aliases: ['no-rpc-rate-limit'] }),
  forking('no-storage-caching', 'Do not cache answers of the other chain.'),
  forking('retries', 'Number of requests to the other chain.'),
  forking('timeout', 'Time limit of requests to the other chain.'),
  {
    flag: 'network',
    short: 'n',
    value: '[family]',
    about: 'Family of networks.',
    refused: 'the chain is of its own family; --profile selects the names and behaviours of a chain of it',
  },
  { flag: 'celo', about: 'Features of Celo.', refused: 'the chain does not have the transactions of Celo' },
  {
    flag: 'optimism',
    about: 'Features of Optimism, in earlier versions of anvil.',
    refused: 'the chain does not have the transactions of Optimism',
  },
]

/** The name of each flag by its aliases. */
export const CANONICAL: ReadonlyMap<string, string> = new Map(
  DEV_FLAGS.flatMap(({ flag, aliases = [] }) => aliases.map((alias) => [alias, flag] as const)),
)
