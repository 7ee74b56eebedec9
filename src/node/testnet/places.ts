/** The addresses of the nodes of a network on one machine: an address each with the standard ports, or one address with ports each. */

import { configError } from '../config.ts'
import { SETTINGS } from '../settings.ts'

/** The rule for the addresses of a network: the address of the first node, or its first port. */
export type Layout =
  | { readonly kind: 'addresses'; readonly startingIp: string }
  | { readonly kind: 'ports'; readonly basePort: number }

/** The host of a node, and its ports. */
export interface Place {
  readonly host: string
  readonly rest: number
  readonly grpc: number
  readonly jsonrpc: number
  readonly ws: number
  readonly comet: number
  /** Port of the engine for its peers. */
  readonly p2p: number
  /** Port of the engine's own RPC. */
  readonly engine: number
}

/** The first port of a network, unless the user gives one. It is below the ports that systems hand out. */
export const BASE_PORT = 20_000
/** Ports from those of a node to those of the next. */
const PORTS_EACH = 10
const HOST = '127.0.0.1'
/** Ports of the engine of a node with an address of its own. */
const P2P_PORT = 26_656
const ENGINE_PORT = 26_667

/** Parses the values of `--starting-ip` and `--base-port`, of which at most one is given. Throws `invalidArgument` with the flag. */
export function parseLayout(startingIp: string | undefined, basePort: string | undefined): Layout {
  if (startingIp !== undefined) {
    if (basePort !== undefined) throw configError('--starting-ip and --base-port exclude each other')
    return { kind: 'addresses', startingIp }
  }
  if (basePort === undefined) return { kind: 'ports', basePort: BASE_PORT }
  if (!/^\d{1,5}$/.test(basePort)) throw configError(`--base-port ${basePort}: must be a port, from 1 to 65535`)
  return { kind: 'ports', basePort: Number(basePort) }
}

/** Returns the place of the node at an index. Throws `invalidArgument` with the flag if there is no such address or port. */
export function placeOf(layout: Layout, index: number): Place {
  return layout.kind === 'ports' ? placeByPort(layout.basePort, index) : placeByAddress(layout.startingIp, index)
}

function placeByPort(basePort: number, index: number): Place {
  const first = basePort + index * PORTS_EACH
  if (basePort < 1 || first + PORTS_EACH - 1 > 65_535) {
    throw configError(
      `--base-port ${basePort}: node ${index} would have the ports ${first} to ${first + PORTS_EACH - 1}, and ports are from 1 to 65535`,
    )
  }
  const [rest, grpc, jsonrpc, ws, comet, p2p, engine] = Array.from({ length: PORTS_EACH }, (_, i) => first + i)
  return {
    host: HOST,
    rest: rest!,
    grpc: grpc!,
    jsonrpc: jsonrpc!,
    ws: ws!,
    comet: comet!,
    p2p: p2p!,
    engine: engine!,
  }
}

function placeByAddress(startingIp: string, index: number): Place {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(startingIp)?.slice(1).map(Number)
  if (parts?.[0] !== 127 || parts.some((part) => part > 255)) {
    throw configError(
      `--starting-ip ${startingIp}: must be an address of this machine, 127.0.0.1 to 127.255.255.254: a network of several machines is one folder copied to each (docs/network.md)`,
    )
  }
  const last = parts.reduce((sum, part) => sum * 256 + part, 0) + index
  const bytes = [24, 16, 8, 0].map((bits) => Math.floor(last / 2 ** bits) % 256)
  const host = bytes.join('.')
  if (bytes[0] !== 127 || host === '127.255.255.255' || startingIp === '127.0.0.0') {
    throw configError(`--starting-ip ${startingIp}: node ${index} would have ${host}, which is no address of a node`)
  }
  return {
    host,
    rest: SETTINGS.rest.port.fallback,
    grpc: SETTINGS.grpc.port.fallback,
    jsonrpc: SETTINGS.jsonrpc.port.fallback,
    ws: SETTINGS.jsonrpc.wsPort.fallback,
    comet: SETTINGS.comet.port.fallback,
    p2p: P2P_PORT,
    engine: ENGINE_PORT,
  }
}
