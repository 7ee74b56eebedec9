/** The health endpoints. `/healthz`: the process answers. `/readyz`: its answers are current. */

import { createServer, type Server } from 'node:http'
import { SERVER_TIMES } from '../api/transport/http-server.ts'
import { listen } from '../api/transport/ports.ts'
import { STALLED_MS } from '../consensus/cometbft/stall-watch.ts'
import type { BlockTiming, Driver, FollowStatus } from '../consensus/driver.ts'
import { NS_PER_MS } from '../primitives/time.ts'
import { parseBlockTime } from './config.ts'
import type { Config } from './settings.ts'

export interface Health {
  readonly status: 200 | 503
  readonly body: Readonly<Record<string, unknown>>
}

/** Age at which the tip is late: this many intervals, but at least `MIN_LATE_MS`. */
const LATE_INTERVALS = 3
const MIN_LATE_MS = 5000

/** Returns the timing by which the blocks of a network are late; undefined for a replica, and a node that decides its blocks itself. */
export function networkTiming({ consensus }: Pick<Config, 'consensus'>): BlockTiming | undefined {
  return consensus.engine === 'cometbft' ? { mode: 'interval', intervalMs: STALLED_MS / LATE_INTERVALS } : undefined
}

/** Returns the timing by which blocks are late as the settings say; undefined for a replica, whose node can be late itself. */
export function timingOf(config: Pick<Config, 'consensus' | 'blocks'>): BlockTiming | undefined {
  return config.consensus.engine === 'solo' ? parseBlockTime(config.blocks.time) : networkTiming(config)
}

/**
 * Returns the answer of `/readyz`: ready unless halted, catching up, before the first block, or late with blocks by the
 * clock. A replica is catching up while it is further behind than `follow.max_lag`.
 */
export function readiness(driver: Pick<Driver, 'status'>, timing: BlockTiming | undefined, nowMs: number): Health {
  const { catchingUp, halted, follow, latestHeight, latestTimeNs } = driver.status()
  const ageMs = Math.max(0, nowMs - Number(latestTimeNs / NS_PER_MS))
  const late = timing?.mode === 'interval' && ageMs > Math.max(timing.intervalMs * LATE_INTERVALS, MIN_LATE_MS)
  const reasons = [
    ...(halted ? [`halted: ${halted.reason}`] : []),
    ...(catchingUp ? [follow ? behind(follow) : 'catching up'] : []),
    ...(latestHeight === 0n ? ['no block yet'] : []),
    ...(late ? [`the last block is ${Math.round(ageMs / 1000)} s old`] : []),
  ]
  const body = {
    ready: reasons.length === 0,
    height: latestHeight.toString(),
    tip_age_seconds: ageMs / 1000,
    catching_up: catchingUp,
    halted: halted !== undefined,
    ...(follow && { follow: followJson(follow) }),
    ...(reasons.length > 0 && { reasons }),
    ...(halted && { next: halted.next }),
    ...(halted?.upgrade !== undefined && { upgrade: { name: halted.upgrade, height: halted.height.toString() } }),
  }
  return { status: reasons.length === 0 ? 200 : 503, body }
}

const behind = ({ lagSeconds, lagBlocks }: FollowStatus): string =>
  `${lagSeconds} s behind the node${lagBlocks === undefined ? ', which does not answer' : ''}`

/** Heights are text, as everywhere in the API. */
function followJson(follow: FollowStatus): Readonly<Record<string, unknown>> {
  const { nodeHeight, lagBlocks, lagSeconds, verifiedHeight, confirmedHeight, queue } = follow
  return {
    node_height: nodeHeight?.toString() ?? null,
    lag_blocks: lagBlocks?.toString() ?? null,
    lag_seconds: lagSeconds,
    verified_height: verifiedHeight?.toString() ?? null,
    confirmed_height: confirmedHeight?.toString() ?? null,
    queue: queue.toString(),
  }
}

export interface MonitorServer {
  listen(port: number, host: string): Promise<{ port: number }>
  close(): Promise<void>
}

/** Creates the server of the metrics port: `/metrics`, `/healthz`, `/readyz`. */
export function createMonitorServer(render: () => Promise<string>, ready: () => Health): MonitorServer {
  const server: Server = createServer(SERVER_TIMES, (request, response) => {
    const path = (request.url ?? '/').split('?')[0]
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end()
    } else if (path === '/metrics') {
      render().then(
        (text) => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
        () => response.writeHead(500).end(),
      )
    } else if (path === '/healthz') {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}\n')
    } else if (path === '/readyz') {
      const { status, body } = ready()
      response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
    } else {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found: /metrics, /healthz, /readyz\n')
    }
  })
  return {
    listen: (port, host) => listen(server, port, host),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
