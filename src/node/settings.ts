/** All settings of a node: key in `config.toml`, flag, default and meaning. The environment variable follows from the key. */
import { availableParallelism } from 'node:os'
import { FOLLOW_SETTINGS } from './follow-settings.ts'
import { define, type Setting } from './setting.ts'

/** The default mnemonic. Its keys are public. */
export const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

const port = { min: 0, max: 65_535 }
const host = { min: 1 }
const HOUR_MS = 3_600_000
/** Upper bound of a memory size, more than any machine has. */
const MAX_BYTES = 2 ** 40
/** Memory that a thread needs to start. */
const MIN_THREAD_BYTES = 16 << 20
const count = { min: 0, max: 1_000_000_000 }

export const SETTINGS = {
  chain: {
    profile: define('chain', 'profile', 'text', 'almanac', 'Profile: almanac, nibiru, nibiru@2.17, or a file.', {
      flag: 'profile',
      genesis: true,
    }),
    genesis: define(
      'chain',
      'genesis',
      'text',
      '',
      'File of the genesis document of a new chain; without one, a localnet.',
      {
        flag: 'genesis',
        genesis: true,
      },
    ),
    id: define(
      'chain',
      'id',
      'text',
      'almanac-localnet-1',
      'Chain id; it also determines the EVM chain id. A profile has its own default.',
      {
        flag: 'chain-id',
        genesis: true,
      },
    ),
    evmChainId: define(
      'chain',
      'evm_chain_id',
      'bigint',
      0n,
      'EVM chain id; 0 for the one that the profile gives to the chain id.',
      { flag: 'evm-chain-id', genesis: true, min: 0, max: Number.MAX_SAFE_INTEGER },
    ),
    mnemonic: define(
      'chain',
      'mnemonic',
      'text',
      TEST_MNEMONIC,
      'BIP-39 mnemonic of the funded accounts. Other users see it in the list of processes: --mnemonic-file keeps it secret.',
      {
        flag: 'mnemonic',
        genesis: true,
        secret: true,
      },
    ),
    accounts: define(
      'chain',
      'accounts',
      'integer',
      10,
      'Number of funded accounts at each of the two derivation paths.',
      {
        flag: 'accounts',
        genesis: true,
        min: 1,
        max: 100_000,
      },
    ),
    validators: define(
      'chain',
      'validators',
      'integer',
      1,
      'Number of validators of a localnet. This node runs all of them; the first accounts operate them.',
      {
        flag: 'validators',
        genesis: true,
        min: 1,
        max: 100,
      },
    ),
    balance: define(
      'chain',
      'balance',
      'bigint',
      1_000_000n,
      'Balance of each funded account, in whole native units.',
      {
        flag: 'balance',
        genesis: true,
        min: 0,
        max: 1_000_000_000_000,
      },
    ),
    blockGasLimit: define('chain', 'block_gas_limit', 'bigint', 60_000_000n, 'Gas limit of a block; -1 for no limit.', {
      flag: 'block-gas-limit',
      genesis: true,
      min: -1,
      max: Number.MAX_SAFE_INTEGER,
      beyond: 'the transaction waits for the next block',
    }),
    votingPeriod: define(
      'chain',
      'voting_period',
      'duration',
      '30s',
      'Voting period and deposit period of proposals on a localnet.',
      { flag: 'voting-period', genesis: true, min: 1, max: 1_000_000 * HOUR_MS },
    ),
    derivationPath: define(
      'chain',
      'derivation_path',
      'text',
      "m/44'/60'/0'/0",
      'Derivation path of the funded accounts of Ethereum, without the number of the account.',
      { flag: 'derivation-path', genesis: true, min: 1 },
    ),
    initialHeight: define('chain', 'initial_height', 'bigint', 1n, 'Height of the first block.', {
      flag: 'initial-height',
      genesis: true,
      min: 1,
      max: 1_000_000_000_000,
    }),
    codeSizeLimit: define(
      'chain',
      'code_size_limit',
      'integer',
      0,
      'Largest code of a contract, bytes; 0 for 24576 (EIP-170). Init code can have twice the size.',
      { flag: 'code-size-limit', genesis: true, min: 0, max: 2 ** 31 - 1, beyond: 'the creation fails' },
    ),
    txGasLimit: define(
      'chain',
      'tx_gas_limit',
      'boolean',
      true,
      'Whether the gas limit of a transaction is at most 16777216 from Osaka on (EIP-7825).',
      { flag: 'tx-gas-limit', genesis: true },
    ),
    unprotectedTxs: define(
      'chain',
      'unprotected_txs',
      'boolean',
      false,
      'Accept transactions that are signed without a chain id (before EIP-155), such as deployments by known keyless transactions.',
      { flag: 'unprotected-txs', genesis: true },
    ),
    predeploys: define(
      'chain',
      'predeploys',
      'boolean',
      false,
      'Whether a localnet has Permit2, CreateX, the entry point of ERC-4337, the registry of ERC-1820 and the beacon roots contract at their usual addresses.',
      { flag: 'predeploys', genesis: true },
    ),
    fork: define('chain', 'fork', 'text', 'Osaka', 'Ethereum fork, Berlin to Osaka. A profile has its own default.', {
      flag: 'fork',
      genesis: true,
      oneOf: ['Berlin', 'London', 'Paris', 'Shanghai', 'Cancun', 'Prague', 'Osaka'],
    }),
  },
  blocks: {
    time: define(
      'blocks',
      'time',
      'blockTime',
      'arrival',
      'When to make blocks: "arrival" (of a transaction), "manual", or an interval such as "2", "0.5" or "500ms".',
      { flag: 'block-time' },
    ),
    maxTxs: define('blocks', 'max_txs', 'integer', 0, 'Maximum number of transactions in a block; 0 for no limit.', {
      ...count,
      beyond: 'the transaction waits for the next block',
    }),
  },
  consensus: {
    engine: define(
      'consensus',
      'engine',
      'text',
      'solo',
      'Who decides the blocks: solo, this node alone; cometbft, a network; follow, the node that `almanac follow` follows.',
      { flag: 'consensus', oneOf: ['solo', 'cometbft', 'follow'] },
    ),
    program: define(
      'consensus',
      'program',
      'text',
      '',
      'Program of CometBFT, which the node runs: a path, or none for one that runs elsewhere. Without it, cometbft on PATH.',
      { flag: 'engine' },
    ),
    abci: define(
      'consensus',
      'abci',
      'text',
      '',
      'Address that the engine connects to: tcp://HOST:PORT or unix://PATH. Without it, a socket in the home.',
      { flag: 'abci' },
    ),
    rpc: define(
      'consensus',
      'rpc',
      'text',
      'http://127.0.0.1:26667',
      'URL of the RPC of the engine. A node that runs its engine opens it there, on loopback.',
      { flag: 'engine-rpc' },
    ),
    p2p: define('consensus', 'p2p', 'text', 'tcp://127.0.0.1:26656', 'Address of the engine for its peers.', {
      flag: 'p2p',
    }),
    peers: define(
      'consensus',
      'peers',
      'text',
      '',
      'Peers that the engine stays connected to: ID@HOST:PORT, separated by commas.',
      { flag: 'peers' },
    ),
  },
  node: {
    portOffset: define('node', 'port_offset', 'integer', 0, 'Number added to every port.', {
      flag: 'port-offset',
      ...port,
    }),
    moniker: define('node', 'moniker', 'text', 'almanac', 'Name of the node in its status.', { flag: 'moniker' }),
    silent: define('node', 'silent', 'boolean', false, 'Print no banner.', { flag: 'silent' }),
    configOut: define('node', 'config_out', 'text', '', 'File that receives accounts, keys and URLs as JSON.', {
      flag: 'config-out',
    }),
    devKeys: define('node', 'dev_keys', 'boolean', true, 'Whether JSON-RPC signs for the funded accounts.', {
      flag: 'dev-keys',
    }),
    insecureKeys: define(
      'node',
      'insecure_keys',
      'boolean',
      false,
      'Start although other machines can use public keys: a chain from the default mnemonic without development methods, or development methods on an address that is not loopback.',
      { flag: 'insecure-keys' },
    ),
    public: define(
      'node',
      'public',
      'boolean',
      false,
      'Prepare the node for clients that nobody knows: limits that the settings leave out, and a refusal to start with what such a node must not have.',
      { flag: 'public' },
    ),
    dev: define(
      'node',
      'dev',
      'boolean',
      true,
      'Whether a localnet has development methods and accounts; --no-dev turns them off.',
      {
        flag: 'dev',
        genesis: true,
        turnsOff: true,
      },
    ),
  },
  rest: {
    enabled: define('rest', 'enabled', 'boolean', true, 'Serve REST.'),
    host: define('rest', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
    port: define('rest', 'port', 'integer', 1317, 'Port; 0 lets the system choose.', port),
    console: define('rest', 'console', 'boolean', true, 'Serve the console to browsers at / of the port.', {
      flag: 'console',
    }),
  },
  grpc: {
    enabled: define('grpc', 'enabled', 'boolean', true, 'Serve gRPC.'),
    host: define('grpc', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
    port: define('grpc', 'port', 'integer', 9090, 'Port; 0 lets the system choose.', port),
  },
  jsonrpc: {
    enabled: define('jsonrpc', 'enabled', 'boolean', true, 'Serve Ethereum JSON-RPC.'),
    host: define('jsonrpc', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
    port: define('jsonrpc', 'port', 'integer', 8545, 'Port; 0 lets the system choose.', port),
    wsPort: define(
      'jsonrpc',
      'ws_port',
      'integer',
      8546,
      'Second JSON-RPC port, where tools expect WebSocket; 0 lets the system choose.',
      port,
    ),
    httpApi: define(
      'jsonrpc',
      'http_api',
      'list',
      ['*'],
      'Namespaces of the methods that are served over HTTP, such as "eth,net,web3"; * for all.',
      { flag: 'http-api' },
    ),
    wsApi: define(
      'jsonrpc',
      'ws_api',
      'list',
      ['*'],
      'Namespaces of the methods that are served over WebSocket; * for all.',
      { flag: 'ws-api' },
    ),
    wsEnabled: define('jsonrpc', 'ws_enabled', 'boolean', true, 'Open the second port.'),
    ipc: define('jsonrpc', 'ipc', 'text', '', 'Path of a Unix socket for JSON-RPC; without one, no socket.'),
  },
  comet: {
    enabled: define('comet', 'enabled', 'boolean', true, 'Serve the CometBFT RPC.'),
    host: define('comet', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
    port: define('comet', 'port', 'integer', 26_657, 'Port; 0 lets the system choose.', port),
    unsafe: define(
      'comet',
      'unsafe',
      'boolean',
      false,
      'Serve the methods of the CometBFT RPC that change the engine: dial_seeds, dial_peers, unsafe_flush_mempool.',
      { flag: 'unsafe-engine-rpc' },
    ),
  },
  metrics: {
    enabled: define('metrics', 'enabled', 'boolean', false, 'Serve Prometheus metrics.'),
    host: define('metrics', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
    port: define('metrics', 'port', 'integer', 26_660, 'Port; 0 lets the system choose.', port),
  },
  api: {
    workers: define(
      'api',
      'workers',
      'integer',
      availableParallelism() > 1 ? 1 : 0,
      'Processes that serve the gateways; 0: the main process serves them, after the block that it executes.',
      {
        min: 0,
        max: 64,
      },
    ),
    memory: define(
      'api',
      'memory',
      'memory',
      '1GB',
      'Memory limit of the JavaScript heap of such a process; one that exceeds it is replaced.',
      { min: 64 << 20, max: MAX_BYTES, beyond: 'the process ends and is replaced' },
    ),
    tx: define('api', 'tx', 'boolean', true, 'Serve the transaction service (simulate, broadcast, get).'),
    cors: define('api', 'cors', 'list', ['*'], 'Origins that browsers can call from; an empty list allows none.'),
    bodyLimit: define('api', 'body_limit', 'integer', 5 * 1024 * 1024, 'Maximum size of a request body, bytes.', {
      min: 1024,
      max: 1_000_000_000,
      beyond: '413, code 8',
    }),
    cache: define('api', 'cache', 'memory', '16MB', 'Memory of the cache of REST answers; 0 turns it off.', {
      min: 0,
      max: MAX_BYTES,
      beyond: 'the oldest answers leave the cache',
    }),
    unsent: define(
      'api',
      'unsent',
      'memory',
      '64MB',
      'Memory for answers that clients have not read, and for requests that have arrived in part, in each process.',
      {
        min: 1_000_000,
        max: MAX_BYTES,
        beyond: 'the clients with the most bytes for the longest time are disconnected',
      },
    ),
    connections: define(
      'api',
      'connections',
      'integer',
      4000,
      'Open connections of each process; fewer if it can open fewer files.',
      {
        min: 1,
        max: 1_000_000,
        beyond: 'a new connection takes the place of one that is idle, at the address with the most',
      },
    ),
    rateLimit: define(
      'api',
      'rate_limit',
      'integer',
      0,
      'Requests a second of one address over all protocols, in each process; calls of a batch count one each. 0 for no limit.',
      { flag: 'rate-limit', min: 0, max: 1_000_000, beyond: '429 with Retry-After, code 8; -32005 over JSON-RPC' },
    ),
    rateBurst: define(
      'api',
      'rate_burst',
      'integer',
      0,
      'Requests that one address can send at once; 0 for four times api.rate_limit.',
      { flag: 'rate-burst', min: 0, max: 10_000_000, beyond: 'as for api.rate_limit' },
    ),
    trustedProxies: define(
      'api',
      'trusted_proxies',
      'list',
      [],
      'Proxies whose X-Forwarded-For names the client: addresses, ranges such as 10.0.0.0/8, or "loopback".',
      { flag: 'trusted-proxies' },
    ),
    readOnly: define('api', 'read_only', 'boolean', false, 'Take no transactions, and have no development methods.', {
      flag: 'read-only',
    }),
    minGasPrice: define(
      'api',
      'min_gas_price',
      'gasPrices',
      '',
      'Lowest gas price that this node admits, such as "0.025unative".',
    ),
  },
  rpc: {
    logsBlockRange: define(
      'rpc',
      'logs_block_range',
      'integer',
      0,
      'Maximum number of blocks in a log query; 0 for no limit.',
      { ...count, beyond: '-32602' },
    ),
    filters: define(
      'rpc',
      'filters',
      'integer',
      1000,
      'Maximum number of filters of one address; behind a proxy all clients have its address.',
      { min: 1, max: 10_000, beyond: '-32000' },
    ),
    syncTimeout: define(
      'rpc',
      'sync_timeout',
      'duration',
      '20s',
      'Longest wait of eth_sendRawTransactionSync for the receipt, and its wait without a time of its own.',
      { min: 1, max: HOUR_MS, beyond: 'code 4; the transaction stays in the pool' },
    ),
    slotsInAnEpoch: define(
      'rpc',
      'slots_in_an_epoch',
      'integer',
      0,
      'Number of blocks that `safe` is behind `latest`, with `finalized` twice as far behind; 0: both are the latest.',
      { min: 0, max: 1_000_000 },
    ),
    batchLimit: define('rpc', 'batch_limit', 'integer', 1000, 'Maximum number of calls in a JSON-RPC batch.', {
      min: 1,
      max: 100_000,
      beyond: '-32600',
    }),
  },
  evm: {
    gasCap: define('evm', 'gas_cap', 'bigint', 25_000_000n, 'Gas limit of a call or an estimate.', {
      ...count,
      beyond: 'the call runs with the cap',
    }),
    timeout: define('evm', 'timeout', 'duration', '5s', 'Time budget of a call, an estimate or a trace.', {
      min: 1,
      max: 24 * HOUR_MS,
      beyond: 'the call ends with an error; a trace is truncated and says so, or fails',
    }),
    txFeeCap: define(
      'evm',
      'tx_fee_cap',
      'bigint',
      0n,
      'Highest fee of a transaction sent over JSON-RPC, in whole native units; 0 for no limit.',
      { ...count, beyond: '-32000' },
    ),
  },
  compute: {
    workers: define(
      'compute',
      'workers',
      'integer',
      1,
      'Threads for calls, estimates and traces, in each process that serves the gateways; 0: its main thread runs them.',
      {
        min: 0,
        max: 64,
      },
    ),
    queue: define('compute', 'queue', 'integer', 256, 'Maximum number of requests that wait for a thread.', {
      min: 1,
      max: 100_000,
      beyond: '429, code 8; -32005 over JSON-RPC',
    }),
    memory: define(
      'compute',
      'memory',
      'memory',
      '256MB',
      'Memory limit of a thread; a thread that exceeds it is ended.',
      {
        min: MIN_THREAD_BYTES,
        max: MAX_BYTES,
        beyond: 'the thread ends, and its job with code 8',
      },
    ),
  },
  mempool: {
    maxTxs: define('mempool', 'max_txs', 'integer', 5000, 'Maximum number of waiting transactions.', {
      min: 1,
      max: 10_000_000,
      beyond: 'the pool evicts what waits behind a nonce gap, then the lowest price, or refuses the transaction',
    }),
    maxBytes: define('mempool', 'max_bytes', 'memory', '256MB', 'Maximum size of all waiting transactions.', {
      min: 1,
      max: MAX_BYTES,
      beyond: 'the pool evicts as for mempool.max_txs',
    }),
    maxTxBytes: define('mempool', 'max_tx_bytes', 'memory', '1MB', 'Maximum size of a transaction.', {
      min: 1,
      max: MAX_BYTES,
      beyond: 'the transaction is refused',
    }),
    slots: define(
      'mempool',
      'slots',
      'integer',
      0,
      'Maximum number of waiting transactions per sender; 0 for 64, or 1000 on a development chain.',
      { min: 0, max: 100_000, beyond: 'the transaction is refused' },
    ),
    order: define(
      'mempool',
      'order',
      'text',
      'fees',
      'Order of transactions in a block: fees, the best price first, or fifo, by arrival. Those of a sender are by nonce.',
      { oneOf: ['fees', 'fifo'] },
    ),
    locals: define(
      'mempool',
      'locals',
      'list',
      [],
      'Accounts whose transactions a full pool keeps and makes room for, as 0x or Bech32 addresses.',
    ),
  },
  feeder: {
    enabled: define(
      'feeder',
      'enabled',
      'boolean',
      true,
      'Vote on simulated prices for the validators of a localnet. Without blocks.time it then also makes a block each second.',
      { flag: 'feeder' },
    ),
    seed: define('feeder', 'seed', 'integer', 1, 'Seed of the simulated prices.', count),
  },
  store: {
    keep: define('store', 'keep', 'integer', 0, 'Number of heights to keep for queries; 0 keeps all.', {
      ...count,
      beyond: 'state of older heights is pruned: 404, code 5',
    }),
  },
  snapshots: {
    interval: define(
      'snapshots',
      'interval',
      'integer',
      0,
      'Make a snapshot of the state at heights divisible by this number, in the background; 0 makes none.',
      { flag: 'snapshot-interval', ...count },
    ),
    keepRecent: define('snapshots', 'keep_recent', 'integer', 2, 'Number of snapshots to keep; 0 keeps all.', {
      flag: 'snapshot-keep-recent',
      ...count,
      beyond: 'the oldest snapshots are deleted',
    }),
  },
  follow: FOLLOW_SETTINGS,
  statesync: {
    enabled: define(
      'statesync',
      'enabled',
      'boolean',
      false,
      'Begin a chain without blocks at a snapshot of the peers instead of executing every block.',
      { flag: 'state-sync' },
    ),
    rpcServers: define(
      'statesync',
      'rpc_servers',
      'list',
      [],
      'At least two URLs of the RPC of engines, by which the engine verifies the app hash of a snapshot.',
      { flag: 'state-sync-rpc-servers' },
    ),
    trustHeight: define('statesync', 'trust_height', 'bigint', 0n, 'Height of a block that the operator trusts.', {
      flag: 'state-sync-trust-height',
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }),
    trustHash: define('statesync', 'trust_hash', 'text', '', 'Hash of that block, 64 hexadecimal digits.', {
      flag: 'state-sync-trust-hash',
    }),
    trustPeriod: define(
      'statesync',
      'trust_period',
      'duration',
      '168h',
      'Age up to which the trusted block is accepted; less than the unbonding time.',
      { flag: 'state-sync-trust-period', min: 1, max: 10_000 * HOUR_MS },
    ),
  },
  upgrade: {
    halt: define(
      'upgrade',
      'halt',
      'text',
      'exit',
      'Reaction to a halt of the chain: end the process, or continue to answer queries at the last height.',
      { flag: 'halt', oneOf: ['exit', 'serve'] },
    ),
    skip: define(
      'upgrade',
      'unsafe_skip_upgrades',
      'heights',
      [],
      'Heights of blocks that drop a due upgrade instead of running it; all validators must agree.',
      { flag: 'unsafe-skip-upgrades' },
    ),
  },
  log: {
    format: define('log', 'format', 'text', 'text', 'Format of the log.', { oneOf: ['text', 'json'] }),
    level: define(
      'log',
      'level',
      'logLevels',
      'info',
      'Lowest level that the log contains: debug, info, warn or error; for parts of the node as in info,api=debug.',
    ),
    chain: define('log', 'chain', 'boolean', false, 'Log each transaction and each block.'),
    requests: define('log', 'requests', 'boolean', false, 'Log each request that a gateway answers.', {
      flag: 'verbose',
    }),
  },
} as const satisfies Record<string, Record<string, Setting>>

type Widen<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends boolean
      ? boolean
      : T extends readonly unknown[]
        ? readonly string[]
        : T

/** All settings with their values: one object, sections and names as in `SETTINGS`. */
export type Config = {
  readonly [Section in keyof typeof SETTINGS]: {
    readonly [Name in keyof (typeof SETTINGS)[Section]]: (typeof SETTINGS)[Section][Name] extends Setting<infer Value>
      ? Widen<Value>
      : never
  }
}

/** Every setting with its name in `Config`. */
export const ALL_SETTINGS: readonly { readonly name: string; readonly setting: Setting }[] = Object.values(
  SETTINGS,
).flatMap((section) => Object.entries(section).map(([name, setting]) => ({ name, setting: setting as Setting })))

/** Whether a localnet, and not a replica, has the accounts and validators of the default mnemonic, whose keys are public. */
export function hasPublicKeys({ chain, consensus }: Config): boolean {
  return consensus.engine !== 'follow' && chain.genesis === '' && chain.mnemonic === TEST_MNEMONIC
}
