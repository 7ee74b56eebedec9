/** The settings of a replica (`almanac follow`). */
import { HOUR_MS } from './bounds.ts'
import { define } from './setting.ts'

/** The largest database that a budget can name, bytes. */
const MOST_DISK_BYTES = 2 ** 50

export const FOLLOW_SETTINGS = {
  stream: define(
    'follow',
    'stream',
    'text',
    '',
    'Folder into which the node streams its changes, one file a block (docs/follow.md).',
    { flag: 'stream' },
  ),
  rpc: define(
    'follow',
    'rpc',
    'list',
    [],
    'URLs of the RPC of the node, such as http://127.0.0.1:26657; the next one is used if one fails. Without one, follow.from.',
    { flag: 'rpc' },
  ),
  from: define(
    'follow',
    'from',
    'text',
    '',
    'URL of the CometBFT RPC of another Almanac: the source of changes without --stream, and of those that the stream lacks.',
    { flag: 'from' },
  ),
  snapshot: define(
    'follow',
    'snapshot',
    'text',
    '',
    'State-sync snapshot that a new replica begins with: its folder, its archive, or the folder of several, of which the newest that the stream continues is taken.',
    { flag: 'snapshot' },
  ),
  verify: define(
    'follow',
    'verify',
    'text',
    'every',
    'Whether every block is verified before it is served: app hash, links, signatures; off serves what the stream says.',
    { flag: 'verify', oneOf: ['every', 'off'] },
  ),
  trustHeight: define(
    'follow',
    'trust_height',
    'bigint',
    0n,
    'Height of a block that the operator trusts; 0 trusts the node for the validators at the begin.',
    { flag: 'trust-height', min: 0, max: Number.MAX_SAFE_INTEGER },
  ),
  trustHash: define('follow', 'trust_hash', 'text', '', 'Hash of that block, 64 hexadecimal digits.', {
    flag: 'trust-hash',
  }),
  trustPeriod: define(
    'follow',
    'trust_period',
    'duration',
    '168h',
    'Age up to which the validators of the trusted block vouch for later blocks, shorter than the unbonding time of the chain.',
    { flag: 'trust-period', min: 1, max: 1_000_000 * HOUR_MS, beyond: 'the start fails' },
  ),
  deleteFiles: define(
    'follow',
    'delete_files',
    'boolean',
    false,
    'Delete the files of heights that are durable here, all but the newest 100.',
    { flag: 'delete-files' },
  ),
  forward: define(
    'follow',
    'forward',
    'list',
    [],
    'URLs of the RPC of nodes that transactions are sent on to; without one the replica refuses them.',
    { flag: 'forward' },
  ),
  maxLag: define('follow', 'max_lag', 'duration', '30s', 'Lag behind the node from which /readyz fails.', {
    flag: 'max-lag',
    min: 1,
    max: 10_000 * HOUR_MS,
    beyond: '/readyz: 503',
  }),
  maxDisk: define(
    'follow',
    'max_disk',
    'memory',
    '0',
    'Size of the database that the oldest history is pruned for, such as 200GB; 0 keeps all.',
    { flag: 'max-disk', min: 0, max: MOST_DISK_BYTES, beyond: 'state of the oldest heights is pruned: 404, code 5' },
  ),
} as const
