/** The settings of the process: who makes blocks, its home, upgrades, the price feeder and the log. */
import { count, port } from './bounds.ts'
import { define } from './setting.ts'

export const CONSENSUS_SETTINGS = {
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
}

export const NODE_SETTINGS = {
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
}

export const UPGRADE_SETTINGS = {
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
}

export const FEEDER_SETTINGS = {
  enabled: define(
    'feeder',
    'enabled',
    'boolean',
    true,
    'Vote on simulated prices for the validators of a localnet. Without blocks.time it then also makes a block each second.',
    { flag: 'feeder' },
  ),
  seed: define('feeder', 'seed', 'integer', 1, 'Seed of the simulated prices.', count),
}

export const LOG_SETTINGS = {
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
}
