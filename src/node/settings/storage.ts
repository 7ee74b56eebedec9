/** The settings of what is kept and passed on: the store, snapshots and state sync. */
import { count, HOUR_MS } from './bounds.ts'
import { define } from './setting.ts'

export const STORE_SETTINGS = {
  keep: define('store', 'keep', 'integer', 0, 'Number of heights to keep for queries; 0 keeps all.', {
    ...count,
    beyond: 'state of older heights is pruned: 404, code 5',
  }),
}

export const SNAPSHOTS_SETTINGS = {
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
}

export const STATE_SYNC_SETTINGS = {
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
}
