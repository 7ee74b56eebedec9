/** The REST gateway on `node:http`, which can share its port, and the same gateway in process. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { Console } from '../console/console.ts'
import type { GatewayNode } from '../gateway.ts'
import { createCors, REQUEST_HEADERS } from '../transport/cors.ts'
import { abortOf, bodySinkOf, createPayload, readBody, sendPayload } from '../transport/http.ts'
import {
  closeServer,
  createHttpServer,
  type GatewayServer,
  type SharedPort,
  serveUpgrades,
} from '../transport/http-server.ts'
import { retryAfter, tooManyRequests } from '../transport/rate-limit.ts'
import { createRequestIds } from '../transport/request-ids.ts'
import type { StreamedBody } from '../transport/spool.ts'
import type { RestReply } from './rest-message.ts'
import { createRestResponder, type RestOptions } from './rest-responder.ts'

/** Size of the head of a REST request: calldata is part of the query string. Beyond: 431. */
const MAX_HEAD_BYTES = 256 * 1024

/** Other services on the port of REST. */
export interface PortSharers {
  /** Asked first for requests with a body, and for preflight requests. */
  readonly shared?: SharedPort
  /** Asked first for every request. */
  readonly console?: Console | undefined
}

export function createRestServer(
  node: GatewayNode,
  options: RestOptions = {},
  { shared, console }: PortSharers = {},
): GatewayServer {
  const respond = createRestResponder(node, options)
  const limitBytes = node.settings.bodyLimitBytes
  const nextId = createRequestIds()
  const cors = createCors({
    origins: node.settings.corsOrigins,
    exposed: ['Retry-After'],
    requestHeaders: REQUEST_HEADERS,
  })

  function handle(req: IncomingMessage, res: ServerResponse): void {
    if (console?.handle(req, res)) return
    if (shared && req.method !== 'GET' && shared.handle(req, res)) return
    const startedMs = node.observe ? performance.now() : 0
    const waitMs = node.rates.isOn ? node.rates.take(clientOf(req)) : undefined
    if (waitMs !== undefined) {
      refuse(req, res, waitMs)
      return
    }
    const headers = isPlain(req.rawHeaders) ? NO_HEADERS : req.headers
    const reply = respond({
      verb: req.method!,
      target: originForm(req.url!),
      headers,
      id: nextId(headers['x-request-id']),
      body: () => readBody(req, limitBytes, node.outgoing),
      createAbort: () => abortOf(res),
      startedMs,
    })
    if (reply instanceof Promise) reply.then((done) => send(req, res, done))
    else send(req, res, reply)
  }

  const clientOf = ({ socket, headers }: IncomingMessage): string =>
    node.clientAddress(socket.remoteAddress, headers['x-forwarded-for'])

  /** Answers a request of an address that sends too many. */
  function refuse(req: IncomingMessage, res: ServerResponse, waitMs: number): void {
    node.observe?.({ gateway: 'rest', operation: '', status: 'resourceExhausted' })
    const { message } = tooManyRequests(waitMs)
    const payload = createPayload(JSON.stringify({ code: 8, message, details: [] }), JSON_HEADERS)
    sendPayload(req, res, 429, payload, [...cors.headers(req.headers.origin), 'Retry-After', retryAfter(waitMs)])
  }

  const server = createHttpServer(node, { maxHeaderSize: MAX_HEAD_BYTES }, handle)
  if (console) serveUpgrades(server, console.accept)
  return {
    listen: (port, host) => node.ports.open(server, port, host),
    close() {
      shared?.close()
      return closeServer(server)
    },
  }
}

/** Returns a function that answers GET requests in process, without a port; bodies are text. */
export function createRestHandler(
  node: GatewayNode,
  options: RestOptions = {},
): (
  target: string,
  request?: { readonly headers?: Readonly<Record<string, string>> },
) => Promise<{
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The failure that the body reports. */
  readonly error?: ChainError
}> {
  const respond = createRestResponder(node, options)
  const nextId = createRequestIds()
  return async (target, { headers = {} } = {}) => {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
    const body = () => Promise.resolve('')
    const startedMs = performance.now()
    const reply = await respond({
      verb: 'GET',
      target,
      headers: lower,
      id: nextId(),
      body,
      createAbort: () => new AbortController(),
      startedMs,
    })
    const flat = reply.payload.headers.concat(reply.headers)
    const text = reply.stream ? await textOf(reply.stream) : reply.payload.text
    const answered: Record<string, string> = {}
    for (let i = 0; i < flat.length; i += 2) answered[flat[i]!.toLowerCase()] = flat[i + 1]!
    return { status: reply.status, headers: answered, body: text, ...(reply.error && { error: reply.error }) }
  }
}

/** Collects a streamed body. */
function textOf(stream: StreamedBody): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    stream({
      write(piece, done) {
        pieces.push(Buffer.from(piece as string))
        done()
      },
      isClosed: () => false,
      end: () => resolve(Buffer.concat(pieces).toString('utf8')),
      abort: () => reject(queryError('dataLoss', 'the response stream was aborted')),
    })
  })
}

const JSON_HEADERS: readonly string[] = ['Content-Type', 'application/json']
const NO_HEADERS: Readonly<Record<string, undefined>> = {}
/** Headers that no answer depends on, as clients spell them. `Accept-Encoding` is read only for a body worth compressing. */
const PLAIN: ReadonlySet<string> = new Set(
  [
    'Host',
    'Connection',
    'User-Agent',
    'Accept',
    'Accept-Encoding',
    'Accept-Language',
    'Cache-Control',
    'Pragma',
  ].flatMap((name) => [name, name.toLowerCase()]),
)

/** Whether no header of a request can change its answer; its headers are then not parsed. */
function isPlain(rawHeaders: readonly string[]): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) if (!PLAIN.has(rawHeaders[i]!)) return false
  return true
}

function send(req: IncomingMessage, res: ServerResponse, { status, payload, headers, stream }: RestReply): void {
  // Drain the stream even if the client has disconnected.
  if (res.destroyed && stream) stream(bodySinkOf(res))
  if (res.destroyed || res.headersSent) return
  if (!stream || req.method === 'HEAD') {
    sendPayload(req, res, status, payload, headers)
    return
  }
  res.writeHead(status, payload.headers.concat(headers))
  stream(bodySinkOf(res))
}

/** Returns path and query of a target; proxies send the whole URL. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target
  return /^https?:\/\/[^/]*(\/.*)?$/i.exec(target)?.[1] ?? '/'
}
