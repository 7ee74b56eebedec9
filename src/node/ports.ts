/** The ports of the gateways. */
import { configError, type ResolvedConfig } from './config.ts'
import { ALL_SETTINGS, type Config } from './settings.ts'

/** Returns the port of a gateway; 0 lets the system choose one. */
export type PortOf = (section: 'rest' | 'grpc' | 'jsonrpc' | 'comet' | 'metrics', name: 'port' | 'wsPort') => number

const MAX_PORT = 65_535

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
