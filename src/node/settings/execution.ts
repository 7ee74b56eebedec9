/** The settings of execution: the EVM, the threads of queries, and waiting transactions. */
import { count, HOUR_MS, MAX_BYTES } from './bounds.ts'
import { define } from './setting.ts'

/** Memory that a thread needs to start. */
const MIN_THREAD_BYTES = 16 << 20

export const EVM_SETTINGS = {
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
}

export const COMPUTE_SETTINGS = {
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
    'Memory limit of the heap of a thread; a thread that exceeds it is ended.',
    {
      min: MIN_THREAD_BYTES,
      max: MAX_BYTES,
      beyond: 'the thread ends, and its job with code 8',
    },
  ),
}

export const MEMPOOL_SETTINGS = {
  maxTxs: define('mempool', 'max_txs', 'integer', 5000, 'Maximum number of waiting transactions.', {
    min: 1,
    max: 10_000_000,
    beyond: 'the pool evicts what waits behind a nonce gap, then the lowest price, or refuses the transaction',
  }),
  maxBytes: define(
    'mempool',
    'max_bytes',
    'memory',
    '256MB',
    'Maximum memory of all waiting transactions, decoded: 7 to 10 kB for a transfer. One sender has a quarter.',
    {
      min: 1,
      max: MAX_BYTES,
      beyond: 'the pool evicts as for mempool.max_txs',
    },
  ),
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
}
