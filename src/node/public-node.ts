/** A node for clients that its operator does not know (`node.public`): what it gets by default, and what it must not have. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isLoopback } from '../api/transport/local-access.ts'
import { queryError } from '../primitives/errors.ts'
import type { OpenedChain } from './chain.ts'
import type { ResolvedConfig } from './config.ts'
import type { Files } from './files.ts'
import { isDevelopment } from './gateway-node.ts'
import type { HomePaths } from './home-paths.ts'
import { secretFiles } from './home-record.ts'
import type { Log } from './log.ts'
import { type Config, hasPublicKeys } from './settings.ts'

/** Requests a second of one address. A wallet sends fewer than 10. */
const REQUESTS_PER_SECOND = 50
/** Price of a unit of gas of ordinary transactions, in the base denom: the one of the family's chains. */
const MIN_GAS_PRICE = '0.025'
/** Namespaces for wallets and programs; traces and the contents of the pool cost more than they are asked for. */
const NAMESPACES = ['eth', 'net', 'web3']

/** Returns the settings of a public node: its own values where the operator has set none. */
export function settingsOfPublicNode(resolved: ResolvedConfig): ResolvedConfig {
  const { config, origins } = resolved
  if (!config.node.public) return resolved
  const own = <Value>(key: string, set: Value, value: Value): Value => (origins.get(key) === 'default' ? value : set)
  const { api, jsonrpc, compute } = config
  return {
    ...resolved,
    config: {
      ...config,
      api: {
        ...api,
        rateLimit: own('api.rate_limit', api.rateLimit, REQUESTS_PER_SECOND),
        workers: own('api.workers', api.workers, Math.max(1, api.workers)),
      },
      compute: { ...compute, workers: own('compute.workers', compute.workers, Math.max(1, compute.workers)) },
      jsonrpc: {
        ...jsonrpc,
        httpApi: own('jsonrpc.http_api', jsonrpc.httpApi, NAMESPACES),
        wsApi: own('jsonrpc.ws_api', jsonrpc.wsApi, NAMESPACES),
      },
    },
  }
}

/** Returns a chain that a public node has opened, with a lowest gas price in its base denom unless the operator has set one. */
export function withPublicPrice(chain: OpenedChain, { origins }: Pick<ResolvedConfig, 'origins'>): OpenedChain {
  const { config, profile } = chain
  return { ...chain, config: priceOfPublicNode({ config, origins }, profile.baseDenom) }
}

/** Returns the settings of a node, if it is public with a lowest gas price in a base denom unless the operator has set one. */
export function priceOfPublicNode({ config, origins }: ResolvedConfig, baseDenom: string): Config {
  if (!config.node.public || origins.get('api.min_gas_price') !== 'default') return config
  return { ...config, api: { ...config.api, minGasPrice: `${MIN_GAS_PRICE}${baseDenom}` } }
}

/** A part that a public node must not have: whether it is there, and how to remove it. */
interface Forbidden {
  readonly found: boolean
  readonly what: string
  readonly remedy: string
}

/**
 * Throws `failedPrecondition` that names everything a public node must not have and this one has. `paths` are those of its
 * home. Does nothing unless the node is public.
 */
export function requireFitForPublic(config: Config, paths: HomePaths | undefined, files: Files): void {
  if (!config.node.public) return
  const found = [...forbiddenSettings(config), ...(paths ? forbiddenFiles(paths, files) : [])].filter(
    (one) => one.found,
  )
  if (found.length === 0) return
  const list = found.map(({ what, remedy }, index) => `${index + 1}. ${what}: ${remedy}`).join('\n')
  throw queryError('failedPrecondition', `a node with --public must not have:\n${list}`)
}

function forbiddenSettings(config: Config): Forbidden[] {
  const { node, comet, api, compute, metrics } = config
  return [
    { found: isDevelopment(config), what: 'development methods, which change the chain', remedy: 'add --no-dev' },
    {
      found: isDevelopment(config) && node.devKeys,
      what: 'unlocked accounts, for which JSON-RPC signs',
      remedy: 'add --no-dev, or --no-dev-keys',
    },
    {
      found: hasPublicKeys(config),
      what: 'the public mnemonic, with which any client owns its funds and validators',
      remedy: 'create the chain with --mnemonic-file, or from a document with --genesis',
    },
    { found: node.insecureKeys, what: 'node.insecure_keys', remedy: 'remove --insecure-keys' },
    {
      found: comet.unsafe,
      what: 'methods of the CometBFT RPC that change the engine',
      remedy: 'remove --unsafe-engine-rpc',
    },
    {
      found: api.trustedProxies.some(isAnyone),
      what: `proxies that can be anyone, ${api.trustedProxies.filter(isAnyone).join(', ')}, so that each client chooses its address`,
      remedy: 'name the addresses of the proxies (--trusted-proxies)',
    },
    { found: api.rateLimit === 0, what: 'no limit of requests', remedy: 'remove --rate-limit 0' },
    {
      found: api.workers === 0 || compute.workers === 0,
      what: 'queries in the process that makes blocks, which then wait for them',
      remedy: 'set --api-workers and --compute-workers to 1 or more',
    },
    {
      found: metrics.enabled && !isLoopback(metrics.host),
      what: `metrics for everyone on ${metrics.host}`,
      remedy:
        'set --metrics-host 127.0.0.1, or an address that only Prometheus reaches (in a private network, without --public)',
    },
  ]
}

/** Whether a range of proxies is wider than any private network: 10.0.0.0/8 and fc00::/7 are the widest. */
function isAnyone(range: string): boolean {
  const [address = '', bits] = range.split('/')
  return bits !== undefined && Number(bits) < (address.includes(':') ? 7 : 8)
}

/** Throws `failedPrecondition` if other users can read the file of the mnemonic of a public node. */
export function requirePrivateMnemonic({ node }: Config, path: string, files: Files): void {
  if (node.public && !files.isPrivate(path))
    throw queryError(
      'failedPrecondition',
      `other users of this machine can read --mnemonic-file ${path}: chmod 600 ${path}`,
    )
}

function forbiddenFiles(paths: HomePaths, files: Files): Forbidden[] {
  const open = join(paths.root, 'keyring-test')
  const readable = files.exists(paths.record) ? secretFiles(paths, files).filter((path) => !files.isPrivate(path)) : []
  return [
    {
      found: existsSync(open) && readdirSync(open).length > 0,
      what: `an open keyring with keys in the clear, ${open}`,
      remedy: 'move its keys to the backend `file` (almanac keys export, import), and delete the folder',
    },
    {
      found: readable.length > 0,
      what: `keys that other users of this machine can read, ${readable.join(', ')}`,
      remedy: `chmod 600 ${readable.join(' ')}`,
    },
  ]
}

/** Warns if the clients of a public node will be counted as one. */
export function warnOfOneAddress({ node, api, rest, jsonrpc, comet, grpc }: Config, log: Log): void {
  if (!node.public || api.trustedProxies.length > 0) return
  const isBehindProxy = [rest, jsonrpc, comet, grpc].every(({ enabled, host }) => !enabled || isLoopback(host))
  if (isBehindProxy)
    log('warn', 'all clients of a proxy on this machine share the limit of one address: set --trusted-proxies loopback')
}
