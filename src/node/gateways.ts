/** The gateways of a node on their ports. */

import type { CometEnvironment } from '../api/cometbft/method.ts'
import type { CometServer } from '../api/cometbft/server.ts'
import type { Console, ConsolePorts } from '../api/console/console.ts'
import type { GatewayNode } from '../api/gateway.ts'
import type { Methods } from '../api/jsonrpc/method.ts'
import type { JsonRpcServer } from '../api/jsonrpc/server.ts'
import { queryError } from '../primitives/errors.ts'
import { parseMemory } from './config.ts'
import { readConsoleFiles } from './console-files.ts'
import type { Health, MonitorServer } from './health.ts'
import type { PortFlags, PortOf } from './ports.ts'
import { ALL_SETTINGS, type Config } from './settings.ts'

export interface GatewayUrls {
  readonly rest?: string
  readonly grpc?: string
  readonly jsonrpc?: string
  readonly ws?: string
  /** Path of the socket of JSON-RPC. */
  readonly ipc?: string
  readonly comet?: string
  readonly metrics?: string
}

export interface OpenGateways {
  readonly urls: GatewayUrls
  close(): Promise<void>
}

export interface GatewayOptions {
  readonly node: GatewayNode
  readonly comet: Omit<CometEnvironment, 'node'>
  readonly config: Config
  readonly portOf: PortOf
  readonly portFlags?: PortFlags | undefined
  /** JSON-RPC methods that replace those of the same name. */
  readonly rpcMethods?: Methods
  readonly ready: () => Health
  readonly renderMetrics: () => Promise<string>
}

/** Formats host and port for a URL. */
export function addressOf(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

interface Server {
  listen(port: number, host: string): Promise<{ readonly port: number }>
  close(): Promise<void>
}

/** Opens every enabled gateway, or none: rejects with an error that names the port that cannot be opened. */
export async function openGateways(options: GatewayOptions): Promise<OpenGateways> {
  const { node, config, portOf, portFlags = {} } = options
  const open: Server[] = []
  const urls: Record<string, string> = {}
  const ports: Record<string, number> = {}

  async function listen(server: Server, name: string, setting: string, port: number, host: string): Promise<string> {
    if (!open.includes(server)) open.push(server)
    try {
      const { port: actual } = await server.listen(port, host)
      ports[setting.split('.')[1] === 'ws_port' ? 'ws' : setting.split('.')[0]!] = actual
      return addressOf(host, actual)
    } catch (error) {
      throw portError(
        name,
        `${setting} (--${portFlags[setting] ?? flagOfStart(setting)})`,
        port,
        host,
        error as NodeJS.ErrnoException,
      )
    }
  }

  const tasks: (() => Promise<void>)[] = []
  let rpc: JsonRpcServer | undefined
  let engine: CometServer | undefined
  if (config.jsonrpc.enabled) {
    tasks.push(async () => {
      const { createJsonRpcServer } = await import('../api/jsonrpc/server.ts')
      const { host, httpApi, wsApi } = config.jsonrpc
      const methods = options.rpcMethods && { methods: options.rpcMethods }
      const server = createJsonRpcServer(node, { ...methods, httpApi, wsApi })
      rpc = server
      const http = await listen(server, 'JSON-RPC', 'jsonrpc.port', portOf('jsonrpc', 'port'), host)
      const ws = config.jsonrpc.wsEnabled
        ? await listen(server, 'JSON-RPC WebSocket', 'jsonrpc.ws_port', portOf('jsonrpc', 'wsPort'), host)
        : http
      urls['jsonrpc'] = `http://${http}`
      urls['ws'] = `ws://${ws}`
    })
  }
  const cometServer = async (): Promise<CometServer | undefined> => {
    if (!config.comet.enabled) return undefined
    const { createCometServer } = await import('../api/cometbft/server.ts')
    return createCometServer({ ...options.comet, node })
  }
  if (config.rest.enabled) {
    tasks.push(async () => {
      const { createRestServer } = await import('../api/rest/rest.ts')
      const { createGrpcWeb } = await import('../api/grpc/grpc-web.ts')
      const restOptions = { extra: healthRoutes(options.ready), cacheBytes: parseMemory(config.api.cache)! }
      engine = await cometServer()
      const console = await consoleOf({ ...options, rpc, engine, ports })
      const server = createRestServer(node, restOptions, { shared: createGrpcWeb(node), console })
      urls['rest'] = `http://${await listen(server, 'REST', 'rest.port', portOf('rest', 'port'), config.rest.host)}`
    })
  }
  if (config.comet.enabled) {
    tasks.push(async () => {
      const server = (engine ?? (await cometServer()))!
      const { host } = config.comet
      urls['comet'] = `http://${await listen(server, 'CometBFT RPC', 'comet.port', portOf('comet', 'port'), host)}`
    })
  }
  if (config.metrics.enabled) {
    tasks.push(async () => {
      const { createMonitorServer } = await import('./health.ts')
      const server: MonitorServer = createMonitorServer(options.renderMetrics, options.ready)
      const { host } = config.metrics
      const address = await listen(server, 'metrics', 'metrics.port', portOf('metrics', 'port'), host)
      urls['metrics'] = `http://${address}/metrics`
    })
  }
  if (config.grpc.enabled) {
    tasks.push(async () => {
      const { createGrpcServer } = await import('../api/grpc/grpc.ts')
      const server = createGrpcServer(node)
      urls['grpc'] = await listen(server, 'gRPC', 'grpc.port', portOf('grpc', 'port'), config.grpc.host)
    })
  }
  const close = async () => {
    await Promise.all(open.map((server) => server.close()))
  }
  try {
    for (const task of tasks) {
      await task()
      // The gateways that are open answer requests while the others open.
      await new Promise((resolve) => setImmediate(resolve))
    }
  } catch (error) {
    await close()
    throw error
  }
  return { urls: urls as GatewayUrls, close }
}

/**
 * Returns the console, unless it is turned off. It reaches a protocol on the port of REST only if that protocol is served at
 * the same address, so that an operator who publishes REST alone publishes nothing else.
 */
async function consoleOf({
  node,
  config,
  rpc,
  engine,
  ports,
}: Pick<GatewayOptions, 'node' | 'config'> & {
  readonly rpc: JsonRpcServer | undefined
  readonly engine: CometServer | undefined
  readonly ports: ConsolePorts
}): Promise<Console | undefined> {
  if (!config.rest.console) return undefined
  const { createConsole } = await import('../api/console/console.ts')
  const { rest, jsonrpc, comet } = config
  return createConsole(node, {
    files: readConsoleFiles,
    rpc: jsonrpc.host === rest.host ? rpc?.mounted : undefined,
    engine: comet.host === rest.host ? engine?.mounted : undefined,
    ports: () => ports,
  })
}

/** Returns the answers of `/healthz` and `/readyz`, which the REST port serves beside its routes. */
function healthRoutes(ready: () => Health) {
  return (path: string): { readonly status: number; readonly body: string } | undefined => {
    if (path === '/healthz') return { status: 200, body: '{"ok":true}' }
    if (path !== '/readyz') return undefined
    const { status, body } = ready()
    return { status, body: JSON.stringify(body) }
  }
}

/** Returns the flag that `almanac start` has for a setting such as `jsonrpc.ws_port`. */
function flagOfStart(key: string): string {
  const found = ALL_SETTINGS.find(({ setting }) => `${setting.section}.${setting.key}` === key)
  return found!.setting.flag
}

function portError(name: string, setting: string, port: number, host: string, error: NodeJS.ErrnoException): Error {
  const { code = '', message } = error
  const unavailable = (reason: string, remedy: string) =>
    queryError('unavailable', `${name} cannot listen on ${host}:${port}: ${reason}. ${remedy}`)
  // gRPC reports an error without a code.
  if (code === 'EADDRINUSE' || /in use/i.test(message)) {
    return unavailable(
      'the port is taken',
      `Stop the process using it, move all ports with --port-offset N, or set ${setting}.`,
    )
  }
  if (code === 'EACCES') return unavailable(message, `Ports below 1024 are reserved: set ${setting}.`)
  if (/EADDR|ENOTFOUND|EAI_|EINVAL/.test(`${code} ${message}`)) {
    return unavailable(
      message,
      `Set ${setting.split('.')[0]}.host to an address of this machine, or to 0.0.0.0 for all.`,
    )
  }
  return error
}
