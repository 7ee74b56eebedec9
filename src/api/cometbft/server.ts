/** The CometBFT RPC over HTTP (JSON-RPC by POST, URIs by GET) and WebSocket (docs/cometbft.md#rpc). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebSocketServer } from 'ws'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'
import { toChainError } from '../errors.ts'
import { readOnlyError } from '../read-only.ts'
import { STATUS_HEADERS, statusPairs } from '../status-headers.ts'
import { type Cors, createCors } from '../transport/cors.ts'
import { abortOf, readBody, refusedEncoding } from '../transport/http.ts'
import {
  closeServer,
  createHttpServer,
  type GatewayServer,
  type MountedServer,
  serveUpgrades,
} from '../transport/http-server.ts'
import { retryAfter, tooManyRequests } from '../transport/rate-limit.ts'
import { createRequestIds, REQUEST_ID_HEADER } from '../transport/request-ids.ts'
import { createSocketServer } from '../transport/websocket.ts'
import { askEngine, engineFor } from './engine.ts'
import { createSubscriptions } from './events.ts'
import type { CometEnvironment, CometMethod, Json } from './method.ts'
import { cometMethods, discovered } from './methods.ts'
import { readJsonParams, readUriParams } from './params.ts'
import { MAX_WHOLE_BYTES, sendBody, wholeBody } from './replies.ts'

const URI_ID = -1
/** Requests in a batch of the CometBFT RPC: the batches of CosmJS have 20, and it waits without end for a refused one. Beyond: -32600. */
const MAX_BATCH = 20
/** Length of a request id of the CometBFT RPC, which every event of a subscription repeats. Unit: characters. Beyond: -32600. */
const MAX_ID_LENGTH = 128
/** Size of a message over the WebSocket of the CometBFT RPC, as in CometBFT. Beyond: it is closed with 1009. */
const MAX_BODY_BYTES = 1_000_000
const MAX_AGE = 'public, max-age=86400'

/** Codes of JSON-RPC 2.0 with the texts of CometBFT. */
const ERRORS = {
  parse: { code: -32700, message: 'Parse error. Invalid JSON' },
  request: { code: -32600, message: 'Invalid Request' },
  method: { code: -32601, message: 'Method not found' },
  params: { code: -32602, message: 'Invalid params' },
  internal: { code: -32603, message: 'Internal error' },
} as const

type Id = string | number

/** A JSON-RPC response object, and whether clients can cache it. */
interface Reply {
  readonly body: Record<string, unknown>
  readonly cacheable: boolean
}

function failure(id: Id | null, kind: keyof typeof ERRORS, data: string): Reply {
  return { body: { jsonrpc: '2.0', id, error: { ...ERRORS[kind], data } }, cacheable: false }
}

/** Returns the text of a failure for the client. Logs a value that is no `ChainError` and hides its details. */
function errorText({ node, requestId }: CometEnvironment, error: unknown): string {
  if (error instanceof ChainError) return error.message
  node.log('error', 'a method of the CometBFT RPC failed', {
    ...(requestId !== undefined && { request: requestId }),
    error: error instanceof Error ? error.stack : String(error),
  })
  return 'internal error'
}

async function runMethod(
  environment: CometEnvironment,
  id: Id,
  name: string,
  method: CometMethod,
  readParams: () => unknown,
  signal?: AbortSignal,
): Promise<Reply> {
  const answered = { gateway: 'comet', operation: name, startedMs: performance.now() } as const
  const { observe } = environment.node
  let params: unknown
  try {
    params = readParams()
  } catch (error) {
    observe?.({ ...answered, status: toChainError(error).status })
    return failure(id, 'params', errorText(environment, error))
  }
  try {
    const result = await resultOf(environment, name, method, params, signal)
    observe?.({ ...answered, status: 'ok' })
    const height = (params as { readonly height?: bigint }).height
    const cacheable = method.cacheable === 'fixed' || (method.cacheable === 'byHeight' && (height ?? 0n) > 0n)
    return { body: { jsonrpc: '2.0', id, result }, cacheable: cacheable && isFinal(environment, result, height) }
  } catch (error) {
    observe?.({ ...answered, status: toChainError(error).status })
    return failure(id, 'internal', errorText(environment, error))
  }
}

/** Runs a method: in the process with the pool, by the engine, or here. */
async function resultOf(
  environment: CometEnvironment,
  name: string,
  method: CometMethod,
  params: unknown,
  signal?: AbortSignal,
): Promise<Json> {
  const { ask, node } = environment
  // An engine takes transactions without the driver of this node.
  if (node.settings.isReadOnly && name.startsWith('broadcast_')) throw readOnlyError()
  if (ask && method.needsPool) return JSON.parse(await ask(name, params)) as Json
  const engine = engineFor(environment, method)
  if (engine) return await askEngine(engine, name, method, params as never, signal)
  return await method.run(environment, params as never, signal)
}

/** Returns a method of this node by name; undefined for an unknown one, and for one that the operator does not serve. */
function methodOf({ node }: CometEnvironment, table: typeof cometMethods, name: string): CometMethod | undefined {
  const method = Object.hasOwn(table, name) ? table[name] : undefined
  return method?.isUnsafe && !node.settings.unsafeEngineRpc ? undefined : method
}

/**
 * Whether a result cannot change: not a commit before it is canonical, a missing block, or the set that votes next, and nothing
 * of a development chain, which can go back.
 */
function isFinal({ node }: CometEnvironment, result: Record<string, unknown>, height: bigint | undefined): boolean {
  if (node.settings.isDevelopment) return false
  if (result['canonical'] === false || result['block'] === null || result['header'] === null) return false
  return height === undefined || height < node.blocks.latestHeight()
}

/** Reads a request object. Returns a reply for a malformed one, undefined for a notification. */
function readRequest(
  request: unknown,
): { readonly id: Id; readonly name: string; readonly params: unknown } | Reply | undefined {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failure(null, 'parse', 'expected a JSON-RPC request object')
  }
  const { id, method, params } = request as Record<string, unknown>
  if (id === undefined || id === null) return undefined
  if (typeof id !== 'string' && typeof id !== 'number') {
    return failure(null, 'parse', 'id must be a string or a number')
  }
  if (typeof id === 'string' && id.length > MAX_ID_LENGTH) {
    return failure(null, 'request', `id has ${id.length} characters, at most ${MAX_ID_LENGTH}`)
  }
  const usable = typeof id === 'number' ? Math.trunc(id) : id
  if (typeof method !== 'string') return failure(usable, 'request', 'method must be a string')
  return { id: usable, name: method, params }
}

/** Returns the reply to a client that sends too many requests. */
function tooMany({ node }: CometEnvironment, id: Id | null, waitMs: number): Reply {
  node.observe?.({ gateway: 'comet', operation: '', status: 'resourceExhausted' })
  const error = { code: -32005, message: 'Limit exceeded', data: tooManyRequests(waitMs).message }
  return { body: { jsonrpc: '2.0', id, error }, cacheable: false }
}

/** Answers one request object of JSON-RPC; undefined for a notification. `extra` adds methods of the transport. */
async function answer(
  environment: CometEnvironment,
  request: unknown,
  {
    client,
    extra,
    signal,
  }: {
    readonly client: string
    readonly extra?: Readonly<Record<string, CometMethod>>
    readonly signal?: AbortSignal
  },
): Promise<Reply | undefined> {
  const read = readRequest(request)
  const waitMs = environment.node.rates.take(client)
  if (waitMs !== undefined && read) return tooMany(environment, 'id' in read ? read.id : null, waitMs)
  if (!read || 'body' in read) return read
  const { id, name, params } = read
  const table = extra && Object.hasOwn(extra, name) ? extra : cometMethods
  const method = methodOf(environment, table, name)
  if (!method) {
    environment.node.observe?.({ gateway: 'comet', operation: '', status: 'unimplemented' })
    return failure(id, 'method', `method ${name} is not known`)
  }
  return await runMethod(environment, id, name, method, () => readJsonParams(method.params, params), signal)
}

/** Returns the page that lists the methods of this node. */
function indexPage(environment: CometEnvironment): string {
  const lines = Object.entries(cometMethods).map(([name, { params }]) => {
    if (!methodOf(environment, cometMethods, name)) return ''
    const query = Object.keys(params)
      .map((param) => `${param}=_`)
      .join('&')
    return `//${name}${query && `?${query}`}<br>`
  })
  return `<html><body><br>Available endpoints:<br><br>${lines.join('')}</body></html>`
}

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(body)
}

/** Returns the headers for pages of other origins: as in CometBFT, every answer has those of a preflight answer too. */
function corsHeaders(cors: Cors, request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = { Vary: 'Origin' }
  const names = cors.headers(request.headers.origin || undefined)
  if (names.length === 0) return headers
  const all = names.concat(cors.preflight('HEAD, GET, POST'))
  for (let i = 0; i < all.length; i += 2) headers[all[i]!] = all[i + 1]!
  return headers
}

/** Splits the target of a request without parsing it, since parsing could throw. */
function splitTarget({ url = '/' }: IncomingMessage): { readonly path: string; readonly search: URLSearchParams } {
  const query = url.indexOf('?')
  return query < 0
    ? { path: url, search: new URLSearchParams() }
    : { path: url.slice(0, query), search: new URLSearchParams(url.slice(query + 1)) }
}

const clientOf = ({ clientAddress }: CometEnvironment['node'], { socket, headers }: IncomingMessage): string =>
  clientAddress(socket.remoteAddress, headers['x-forwarded-for'])

async function serve(
  shared: CometEnvironment,
  cors: Cors,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const environment = { ...shared, requestId }
  const { node } = environment
  const headers: Record<string, string> = {
    ...Object.fromEntries(statusPairs(node.driver)),
    ...corsHeaders(cors, request),
    'X-Server-Time': Math.floor(node.now() / 1000).toString(),
    [REQUEST_ID_HEADER]: requestId,
  }
  const { path, search } = splitTarget(request)
  if (request.method === 'OPTIONS') return void response.writeHead(204, headers).end()
  if (request.method === 'POST' && path === '/') return await servePost(environment, request, response, headers)
  if (request.method !== 'GET' && request.method !== 'HEAD' && request.method !== 'POST') {
    return send(response, 405, 'method not allowed', {
      ...headers,
      'Content-Type': 'text/plain',
      Allow: 'GET, HEAD, POST',
    })
  }
  if (path === '/') return send(response, 200, indexPage(environment), { ...headers, 'Content-Type': 'text/html' })
  if (path === '/openrpc.json') return send(response, 200, JSON.stringify(discovered(node)), headers)
  const name = path.slice(1)
  const method = methodOf(environment, cometMethods, name)
  if (!method) return send(response, 404, '404 page not found\n', { ...headers, 'Content-Type': 'text/plain' })
  const waitMs = node.rates.take(clientOf(node, request))
  if (waitMs !== undefined) {
    const limited = { ...headers, 'Retry-After': retryAfter(waitMs) }
    return await sendReply(response, tooMany(environment, URI_ID, waitMs), 429, limited)
  }
  const { signal } = abortOf(response)
  const reply = await runMethod(environment, URI_ID, name, method, () => readUriParams(method.params, search), signal)
  await sendReply(response, reply, 'error' in reply.body ? 500 : 200, headers, signal)
}

function sendReply(
  response: ServerResponse,
  reply: Reply,
  status: number,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<void> {
  const all = reply.cacheable ? { ...headers, 'Cache-Control': MAX_AGE } : headers
  return sendBody(response, status, reply.body, all, signal)
}

/** Returns the error for a reply that is too long for a batch or for a WebSocket. */
function tooLong({ body }: Reply): Reply['body'] {
  const text = `the answer is longer than ${MAX_WHOLE_BYTES} bytes: request it over HTTP and outside of a batch`
  return failure(body['id'] as Id, 'internal', text).body
}

async function servePost(
  environment: CometEnvironment,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string>,
): Promise<void> {
  const refusal = refusedEncoding(request.headers)
  if (refusal !== undefined) return await sendReply(response, failure(null, 'request', refusal), 415, headers)
  const limit = Math.max(MAX_BODY_BYTES, environment.node.settings.bodyLimitBytes)
  let text: string
  try {
    text = await readBody(request, limit, environment.node.outgoing)
  } catch (error) {
    if (!(error instanceof ChainError) || error.status !== 'resourceExhausted') throw error
    return await sendReply(response, failure(null, 'request', `body is larger than ${limit} bytes`), 400, {
      ...headers,
      Connection: 'close',
    })
  }
  if (text === '') return send(response, 200, indexPage(environment), { ...headers, 'Content-Type': 'text/html' })
  let parsed: unknown
  try {
    parsed = parseRequestJson(text)
  } catch {
    return await sendReply(response, failure(null, 'parse', 'the body is not JSON'), 500, headers)
  }
  const client = clientOf(environment.node, request)
  const { signal } = abortOf(response)
  if (!Array.isArray(parsed)) {
    const reply = await answer(environment, parsed, { client, signal })
    return reply ? await sendReply(response, reply, 200, headers, signal) : send(response, 200, '', headers)
  }
  if (parsed.length > MAX_BATCH) {
    const reply = failure(null, 'request', `batch size ${parsed.length} exceeds the limit of ${MAX_BATCH}`)
    return await sendReply(response, reply, 200, headers)
  }
  const replies: string[] = []
  let leftBytes = MAX_WHOLE_BYTES
  for (const one of parsed) {
    const reply = await answer(environment, one, { client, signal })
    if (!reply) continue
    const text = (await wholeBody(reply.body, leftBytes, signal)) ?? JSON.stringify(tooLong(reply))
    leftBytes -= text.length
    replies.push(text)
  }
  if (replies.length === 0) return send(response, 200, '', headers)
  send(response, 200, replies.length === 1 ? replies[0]! : `[${replies.join(',')}]`, headers)
}

/** Runs a method about the pool for another process, with parsed arguments. Resolves with JSON. Rejects as the method does. */
export async function runPoolMethod(environment: CometEnvironment, name: string, params: unknown): Promise<string> {
  const method = methodOf(environment, cometMethods, name)
  if (!method?.needsPool) throw queryError('internal', `${name} is no method about the pool`)
  return JSON.stringify(await method.run(environment, params as never))
}

export interface CometServer extends GatewayServer {
  /** Serves the same on the port of another gateway, to requests that it has admitted. */
  readonly mounted: MountedServer
}

/** Creates the CometBFT RPC of a node. It opens no port until `listen`. */
export function createCometServer(environment: CometEnvironment): CometServer {
  const { node } = environment
  const cors = createCors({
    origins: node.settings.corsOrigins,
    exposed: ['X-Server-Time', ...STATUS_HEADERS, REQUEST_ID_HEADER],
    requestHeaders: `Origin, Accept, Content-Type, X-Requested-With, X-Server-Time, ${REQUEST_ID_HEADER}`,
  })
  const idOf = createRequestIds()
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serve(environment, cors, idOf(request.headers['x-request-id']), request, response).catch((error: unknown) => {
      node.log('debug', 'a connection of the CometBFT RPC was aborted', { error: String(error) })
      if (!response.headersSent) send(response, 400, '')
      else response.destroy()
    })
  }
  const server = createHttpServer(node, {}, onRequest)
  const sockets = createSocketServer(MAX_BODY_BYTES)
  const subscriptions = createSubscriptions(environment, async (request, extra, { client, signal }) => {
    const reply = await answer(environment, request, { client, extra, signal })
    return reply && ((await wholeBody(reply.body, MAX_WHOLE_BYTES, signal)) ?? JSON.stringify(tooLong(reply)))
  })
  sockets.on('connection', subscriptions.accept)
  const acceptPath = (request: IncomingMessage): WebSocketServer | string =>
    splitTarget(request).path === '/websocket' ? sockets : '404 Not Found'
  serveUpgrades(server, (request) => {
    const { origin } = request.headers
    return origin === undefined || cors.allows(origin) ? acceptPath(request) : '403 Forbidden'
  })
  return {
    mounted: { request: onRequest, accept: acceptPath },
    listen: (port, host) => node.ports.open(server, port, host),
    close() {
      subscriptions.close()
      return closeServer(server, sockets.clients)
    },
  }
}
