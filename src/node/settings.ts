/** Every setting of a node: its key in `config.toml`, its flag, its default, what it means. Environment names follow from the key. */

type SettingKind =
  | 'text'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'list'
  | 'heights'
  | 'blockTime'
  | 'duration'
  | 'memory'
  | 'gasPrices'

export interface Setting<Value = unknown> {
  readonly section: string
  readonly key: string
  /** Without dashes. */
  readonly flag: string
  readonly kind: SettingKind
  readonly fallback: Value
  readonly about: string
  readonly oneOf?: readonly string[]
  /** Of a text its length, of a duration milliseconds, of memory bytes. */
  readonly min?: number
  readonly max?: number
  /** Decides genesis: recorded in the home, refused when it differs at a later start. */
  readonly genesis?: boolean
}

const TEST_MNEMONIC = 'test test test test test test test test test test test junk'

const define = <Value>(
  section: string,
  key: string,
  kind: SettingKind,
  fallback: Value,
  about: string,
  more: Partial<Omit<Setting, 'section' | 'key' | 'kind' | 'fallback' | 'about'>> = {},
): Setting<Value> => ({
  section,
  key,
  flag: `${section}-${key}`.replaceAll('_', '-'),
  kind,
  fallback,
  about,
  ...more,
})

const port = { min: 0, max: 65_535 }
const host = { min: 1 }
const HOUR_MS = 3_600_000
/** More than a machine has; what is less says nothing of whether it is enough. */
const MOST_BYTES = 2 ** 40
/** With less a thread ends while it starts. */
const LEAST_THREAD_BYTES = 16 << 20
const count = { min: 0, max: 1_000_000_000 }

export const SETTINGS = {
  chain: {
    profile: define(
      'chain',
      'profile',
      'text',
      'almanac',
      'Names of the chain: almanac, nibiru, nibiru@2.17, or a file.',
      {
        flag: 'profile',
        genesis: true,
      },
    ),
    genesis: define('chain', 'genesis', 'text', '', 'Genesis document to begin with, a file; without one a localnet.', {
      flag: 'genesis',
      genesis: true,
    }),
    id: define(
      'chain',
      'id',
      'text',
      'almanac-localnet-1',
      'Chain id; decides the EVM chain id too. A profile has its own default.',
      {
        flag: 'chain-id',
        genesis: true,
      },
    ),
    mnemonic: define('chain', 'mnemonic', 'text', TEST_MNEMONIC, 'Words of the funded accounts. Development only.', {
      flag: 'mnemonic',
      genesis: true,
    }),
    accounts: define('chain', 'accounts', 'integer', 10, 'Funded accounts, at each of the two derivation paths.', {
      flag: 'accounts',
      genesis: true,
      min: 1,
      max: 100_000,
    }),
    validators: define(
      'chain',
      'validators',
      'integer',
      1,
      'Validators of a localnet, all of this node; the first accounts operate them.',
      {
        flag: 'validators',
        genesis: true,
        min: 1,
        max: 100,
      },
    ),
    balance: define('chain', 'balance', 'bigint', 10_000n, 'Balance of each funded account, whole native units.', {
      flag: 'balance',
      genesis: true,
      min: 0,
      max: 1_000_000_000_000,
    }),
    blockGasLimit: define('chain', 'block_gas_limit', 'bigint', 60_000_000n, 'Gas limit of a block; -1 is none.', {
      flag: 'block-gas-limit',
      genesis: true,
      min: -1,
      max: Number.MAX_SAFE_INTEGER,
    }),
    votingPeriod: define(
      'chain',
      'voting_period',
      'duration',
      '30s',
      'How long a proposal of a localnet may be voted on, and may wait for its deposit.',
      { flag: 'voting-period', genesis: true, min: 1, max: 1_000_000 * HOUR_MS },
    ),
    fork: define('chain', 'fork', 'text', 'Osaka', 'Ethereum rules: Berlin to Osaka. A profile has its own default.', {
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
      'When a block is made: "arrival" (of a transaction), "manual", or an interval such as "2", "0.5" or "500ms".',
      { flag: 'block-time' },
    ),
  },
  node: {
    portOffset: define('node', 'port_offset', 'integer', 0, 'Added to every port.', { flag: 'port-offset', ...port }),
    moniker: define('node', 'moniker', 'text', 'almanac', 'Name of the node in its own status.', { flag: 'moniker' }),
    silent: define('node', 'silent', 'boolean', false, 'Print no banner.', { flag: 'silent' }),
    configOut: define('node', 'config_out', 'text', '', 'File that receives accounts, keys and URLs as JSON.', {
      flag: 'config-out',
    }),
    devKeys: define('node', 'dev_keys', 'boolean', true, 'Whether JSON-RPC signs for the funded accounts.', {
      flag: 'dev-keys',
    }),
    dev: define(
      'node',
      'dev',
      'boolean',
      true,
      'Whether a localnet has development verbs and accounts; --no-dev: none.',
      {
        flag: 'dev',
      },
    ),
  },
  rest: {
    enabled: define('rest', 'enabled', 'boolean', true, 'Serve REST.'),
    host: define('rest', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
    port: define('rest', 'port', 'integer', 1317, 'Port; 0 lets the system choose.', port),
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
    wsPort: define('jsonrpc', 'ws_port', 'integer', 8546, 'Second port, where tools expect WebSocket.', port),
  },
  comet: {
    enabled: define('comet', 'enabled', 'boolean', true, 'Serve the CometBFT RPC.'),
    host: define('comet', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
    port: define('comet', 'port', 'integer', 26_657, 'Port; 0 lets the system choose.', port),
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
      0,
      'Processes that serve REST, gRPC and JSON-RPC beside the main one; 0 serves them in it.',
      {
        min: 0,
        max: 64,
      },
    ),
    tx: define('api', 'tx', 'boolean', true, 'Offer the transaction service (simulate, broadcast, get).'),
    cors: define('api', 'cors', 'list', ['*'], 'Origins that browsers may call from; an empty list allows none.'),
    bodyLimit: define('api', 'body_limit', 'integer', 5 * 1024 * 1024, 'Largest request body, bytes.', {
      min: 1024,
      max: 1_000_000_000,
    }),
    cache: define(
      'api',
      'cache',
      'memory',
      '16MB',
      'Memory for REST answers, which hold for their height; 0 keeps none.',
      { min: 0, max: MOST_BYTES },
    ),
    minGasPrice: define(
      'api',
      'min_gas_price',
      'gasPrices',
      '',
      'Lowest gas price this node admits, as "0.025unative".',
    ),
  },
  rpc: {
    logsBlockRange: define(
      'rpc',
      'logs_block_range',
      'integer',
      0,
      'Most blocks one log query may cover; 0 is no limit.',
      count,
    ),
    batchLimit: define('rpc', 'batch_limit', 'integer', 1000, 'Most calls in one JSON-RPC batch.', {
      min: 1,
      max: 100_000,
    }),
  },
  evm: {
    gasCap: define('evm', 'gas_cap', 'bigint', 25_000_000n, 'Gas cap of a call or an estimate.', count),
    timeout: define('evm', 'timeout', 'duration', '5s', 'Time budget of a call, an estimate or a trace.', {
      min: 1,
      max: 24 * HOUR_MS,
    }),
    txFeeCap: define(
      'evm',
      'tx_fee_cap',
      'bigint',
      0n,
      'Highest fee of a sent transaction, whole native units; 0 is off.',
      count,
    ),
  },
  compute: {
    workers: define(
      'compute',
      'workers',
      'integer',
      1,
      'Threads for calls, estimates and traces; 0 runs them in the main thread.',
      {
        min: 0,
        max: 64,
      },
    ),
    queue: define('compute', 'queue', 'integer', 256, 'Requests that may wait for a thread.', { min: 1, max: 100_000 }),
    memory: define('compute', 'memory', 'memory', '256MB', 'Memory of one thread; over it, the thread is ended.', {
      min: LEAST_THREAD_BYTES,
      max: MOST_BYTES,
    }),
  },
  mempool: {
    maxTxs: define('mempool', 'max_txs', 'integer', 5000, 'Most waiting transactions.', { min: 1, max: 10_000_000 }),
    maxBytes: define('mempool', 'max_bytes', 'memory', '256MB', 'Most bytes of waiting transactions.', {
      min: 1,
      max: MOST_BYTES,
    }),
    maxTxBytes: define('mempool', 'max_tx_bytes', 'memory', '1MB', 'Largest single transaction.', {
      min: 1,
      max: MOST_BYTES,
    }),
    slots: define('mempool', 'slots', 'integer', 8, 'Waiting EVM transactions of one sender.', {
      min: 1,
      max: 100_000,
    }),
  },
  feeder: {
    enabled: define(
      'feeder',
      'enabled',
      'boolean',
      true,
      'Vote on simulated prices for the validators of a localnet, which then has a block each second too.',
      { flag: 'feeder' },
    ),
    seed: define('feeder', 'seed', 'integer', 1, 'Seed of the simulated prices.', count),
  },
  store: {
    keep: define('store', 'keep', 'integer', 0, 'Heights to keep for queries; 0 keeps all.', count),
  },
  upgrade: {
    halt: define(
      'upgrade',
      'halt',
      'text',
      'exit',
      'What the node does when the chain halts: end, or go on answering queries at the last height.',
      { flag: 'halt', oneOf: ['exit', 'serve'] },
    ),
    skip: define(
      'upgrade',
      'unsafe_skip_upgrades',
      'heights',
      [],
      'Heights of blocks that drop a plan that is due in place of running it; all validators must agree.',
      { flag: 'unsafe-skip-upgrades' },
    ),
  },
  log: {
    format: define('log', 'format', 'text', 'text', 'Form of the log.', { oneOf: ['text', 'json'] }),
    level: define('log', 'level', 'text', 'info', 'Lowest level that is written.', {
      oneOf: ['debug', 'info', 'warn', 'error'],
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
