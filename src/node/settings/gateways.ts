/** The settings of the gateways: where they listen, and what one client can take. */
import { availableParallelism } from 'node:os'
import { count, HOUR_MS, host, MAX_BYTES, port } from './bounds.ts'
import { define } from './setting.ts'

export const REST_SETTINGS = {
  enabled: define('rest', 'enabled', 'boolean', true, 'Serve REST.'),
  host: define('rest', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
  port: define('rest', 'port', 'integer', 1317, 'Port; 0 lets the system choose.', port),
  console: define('rest', 'console', 'boolean', true, 'Serve the console to browsers at / of the port.', {
    flag: 'console',
  }),
}

export const GRPC_SETTINGS = {
  enabled: define('grpc', 'enabled', 'boolean', true, 'Serve gRPC.'),
  host: define('grpc', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
  port: define('grpc', 'port', 'integer', 9090, 'Port; 0 lets the system choose.', port),
}

export const JSONRPC_SETTINGS = {
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
}

export const COMET_SETTINGS = {
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
}

export const METRICS_SETTINGS = {
  enabled: define('metrics', 'enabled', 'boolean', false, 'Serve Prometheus metrics.'),
  host: define('metrics', 'host', 'text', '127.0.0.1', 'Address to listen on.', host),
  port: define('metrics', 'port', 'integer', 26_660, 'Port; 0 lets the system choose.', port),
}

export const API_SETTINGS = {
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
  cors: define('api', 'cors', 'origins', ['*'], 'Origins that browsers can call from; an empty list allows none.'),
  bodyLimit: define('api', 'body_limit', 'integer', 5 * 1024 * 1024, 'Maximum size of a request body, bytes.', {
    min: 1024,
    max: 1_000_000_000,
    beyond: '413, code 8; CometBFT RPC: 400, -32600',
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
}

export const RPC_SETTINGS = {
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
}
