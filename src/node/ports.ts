/** The ports of the gateways. */
import { configError, type ResolvedConfig } from './config.ts'
import { ALL_SETTINGS, type Config } from './settings.ts'

/** Returns the port of a gateway; 0 lets the system choose one. */
export type PortOf = (section: 'rest' | 'grpc' | 'jsonrpc' | 'comet' | 'metrics', name: 'port' | 'wsPort') => number

/** An address that a gateway listens on, with the setting of its port. */
interface Listener {
  readonly key: string
  readonly host: string
  readonly port: number
}

/** Flags of a command by the settings of ports, such as `jsonrpc.port`, where they are not those of `almanac start`. */
export type PortFlags = Readonly<Record<string, string>>

const MAX_PORT = 65_535
/** Hosts that take the port of every address of the machine. */
const EVERY_HOST = ['0.0.0.0', '::']

/** Throws `invalidArgument` that names two settings if two gateways would listen on one port of one address. */
export function requireDistinctPorts(config: Config, portOf: PortOf): void {
  const { rest, grpc, jsonrpc, comet, metrics } = config
  const listeners: Listener[] = [
    ...(rest.enabled ? [{ key: 'rest.port', host: rest.host, port: portOf('rest', 'port') }] : []),
    ...(grpc.enabled ? [{ key: 'grpc.port', host: grpc.host, port: portOf('grpc', 'port') }] : []),
    ...(jsonrpc.enabled ? [{ key: 'jsonrpc.port', host: jsonrpc.host, port: portOf('jsonrpc', 'port') }] : []),
    ...(jsonrpc.enabled && jsonrpc.wsEnabled
      ? [{ key: 'jsonrpc.ws_port', host: jsonrpc.host, port: portOf('jsonrpc', 'wsPort') }]
      : []),
    ...(comet.enabled ? [{ key: 'comet.port', host: comet.host, port: portOf('comet', 'port') }] : []),
    ...(metrics.enabled ? [{ key: 'metrics.port', host: metrics.host, port: portOf('metrics', 'port') }] : []),
  ]
  for (const [i, one] of listeners.entries()) {
    const other = listeners.slice(0, i).find((earlier) => collides(earlier, one))
    if (other) throw configError(`${other.key} and ${one.key} are both ${one.port}: each needs a port of its own`)
  }
}

function collides(one: Listener, other: Listener): boolean {
  if (one.port === 0 || one.port !== other.port) return false
  return one.host === other.host || [one.host, other.host].some((host) => EVERY_HOST.includes(host))
}

/** Adds the offset to the configured ports. With `freePorts`, a port that is not set is 0. Throws beyond the last port. */
export function choosePorts(
  config: Config,
  { origins }: Pick<ResolvedConfig, 'origins'>,
  { freePorts }: { readonly freePorts: boolean },
): PortOf {
  return (section, name) => {
    const { setting } = ALL_SETTINGS.find((one) => one.setting.section === section && one.name === name)!
    const origin = origins.get(`${section}.${setting.key}`)
    if (freePorts && origin === 'default') return 0
    const port = (config[section] as Record<string, unknown>)[name] as number
    return movedPort(port, config.node.portOffset, `${section}.${setting.key}`)
  }
}

/** Adds the offset to the port of a setting; 0 stays, for which the system chooses. Throws beyond the last port. */
export function movedPort(port: number, offset: number, setting: string): number {
  const moved = port === 0 ? 0 : port + offset
  if (moved <= MAX_PORT) return moved
  throw configError(
    `node.port_offset (--port-offset) ${offset} moves ${setting} from ${port} to ${moved}, and ports end at ${MAX_PORT}`,
  )
}
