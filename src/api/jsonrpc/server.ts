/** The JSON-RPC server: HTTP and WebSocket on every port that it opens (docs/json-rpc.md). */
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { WebSocket, WebSocketServer } from 'ws'
import { formatUtf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { createJsonWriter } from '../json.ts'
import { wholeJson } from '../long-json.ts'
import { ethereumDocument } from '../openrpc/ethereum.ts'
import { STATUS_HEADERS, statusHeaders } from '../status-headers.ts'
import { collect } from '../traces.ts'
import { type Cors, createCors } from '../transport/cors.ts'
import { gzipSinkOf } from '../transport/gzip-body.ts'
import {
  abortOf,
  accepts,
  bodySinkOf,
  createPayload,
  refusedEncoding,
  sendPayload,
  takeBody,
} from '../transport/http.ts'
import {
  closeServer,
  createHttpServer,
  type GatewayServer,
  type MountedServer,
  serveUpgrades,
} from '../transport/http-server.ts'
import { createLocalAccess, type LocalAccess } from '../transport/local-access.ts'
import { createMessageWriter } from '../transport/message-writer.ts'
import { createRequestIds, REQUEST_ID_HEADER } from '../transport/request-ids.ts'
import { createPause, noteClient } from '../transport/slices.ts'
import { shareOf } from '../transport/turns.ts'
import { createSocketServer, serveMessages } from '../transport/websocket.ts'
import { methodNotFound } from './errors.ts'
import { type Backlog, createBacklog, createEventQueue } from './eth/event-queue.ts'
import { createFilters } from './eth/filters.ts'
import { createSubscriptions, type SubscriptionPlaces, subscriptionPlaces } from './eth/subscriptions.ts'
import { longBytesOf } from './long-hex.ts'
import type { Methods, RpcCall } from './method.ts'
import { chainMethods, optionalMethods } from './methods.ts'
import { moduleMethods, servedMethods } from './modules.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createResultCache } from './result-cache.ts'
import { answerMessage } from './rpc.ts'
import { runOf } from './streamed.ts'

const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
])

/** Size of a result that an API worker forwards. Beyond: -32005. */
const MAX_FORWARDED_BYTES = 64 * 1024 * 1024

/** Size from which an answer over HTTP is compressed. Shorter ones leave in two or three packets either way. */
const COMPRESS_FROM_CHARACTERS = 4096

/** All namespaces. */
const ALL: readonly string[] = ['*']

const JSON_HEADERS: readonly string[] = ['Content-Type', 'application/json']
const VARY: readonly string[] = ['Vary', 'Origin, Accept-Encoding']

/** Dependencies of a call, except those of its connection. */
interface Serve
  extends Omit<RpcCall, 'client' | 'requestId' | 'hold' | 'checkUnsent' | 'outsider' | 'signal' | 'subscriptions'> {
  /** Methods over HTTP and over WebSocket. */
  readonly httpMethods: Methods
  readonly wsMethods: Methods
  readonly outbox: Outbox
  readonly cors: Cors
  readonly access: LocalAccess
  /** Places for subscriptions. */
  readonly places: SubscriptionPlaces
  readonly backlog: Backlog
  readonly idOf: ReturnType<typeof createRequestIds>
}

export interface JsonRpcOptions {
  /** Further methods. They replace methods of the same name. */
  readonly methods?: Methods
  /** Namespaces that are served over HTTP, and over WebSocket; absent for all. */
  readonly httpApi?: readonly string[]
  readonly wsApi?: readonly string[]
}

/** Serves HTTP and WebSocket on every port it opens; `listen` can be called several times. */
export interface JsonRpcServer extends GatewayServer {
  /**
   * Runs one method for another process. Resolves with its result as JSON. Rejects with the errors of the method, and with
   * -32601 for an unknown method.
   */
  answer(method: string, params: unknown, signal: AbortSignal, client: string): Promise<string>
  /** Serves the same on the port of another gateway, to requests that it has admitted. */
  readonly mounted: MountedServer
}

/** Returns all methods of this server by wire name. */
export function methodTable(node: GatewayNode, options: JsonRpcOptions): Methods {
  const methods = {
    ...chainMethods,
    ...(node.settings.devKeys && optionalMethods.signing),
    ...(node.driver.development && optionalMethods.development),
    ...options.methods,
  }
  return { ...methods, ...moduleMethods(methods) }
}

function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) response.setHeader(headers[i]!, headers[i + 1]!)
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${text}\n`)
}

/** Returns the dependencies of a call. It lists the shared ones: a spread of all would take half of the time of a short call. */
function callOf(
  { node, filters, results, writer }: Serve,
  { client, requestId, outsider, hold, checkUnsent, signal }: Omit<RpcCall, 'node' | 'filters' | 'results' | 'writer'>,
): RpcCall {
  return { node, filters, results, writer, client, requestId, outsider, hold, checkUnsent, signal }
}

/** Whether a request can be a JSON-RPC call. */
function isCall({ method, headers }: IncomingMessage): boolean {
  if (method !== 'POST' || refusedEncoding(headers) !== undefined) return false
  const type = headers['content-type'] ?? ''
  return CONTENT_TYPES.has(type) || CONTENT_TYPES.has(type.split(';')[0]!.trim().toLowerCase())
}

/** Answers a request that is no JSON-RPC call. */
function answerOther({ cors, node, httpMethods }: Serve, request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET' && request.url === '/openrpc.json') {
    setHeaders(response, JSON_HEADERS)
    response.end(JSON.stringify(ethereumDocument(Object.keys(httpMethods), node.settings.version)))
  } else if (request.method === 'OPTIONS') {
    setHeaders(response, cors.preflight('POST, GET, OPTIONS'))
    response.writeHead(204).end()
  } else if (request.method === 'GET' || request.method === 'HEAD') response.writeHead(200).end()
  else if (request.method !== 'POST') plain(response, 405, 'method not allowed')
  else {
    const refusal = refusedEncoding(request.headers) ?? 'invalid content type, only application/json is supported'
    plain(response, 415, refusal)
  }
}

function serveHttp(serve: Serve, request: IncomingMessage, response: ServerResponse): void {
  const { cors, node, httpMethods } = serve
  const requestId = serve.idOf(request.headers['x-request-id'])
  // An answer to a call gets its headers as one list: setting each of them takes several times as long.
  const headers = VARY.concat(
    cors.headers(request.headers.origin),
    REQUEST_ID_HEADER,
    requestId,
    statusHeaders(node.driver),
  )
  if (!isCall(request)) {
    setHeaders(response, headers)
    answerOther(serve, request, response)
    return
  }
  const { bodyLimitBytes } = node.settings
  const client = node.clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'])
  let gone: AbortSignal | undefined
  const signal = (): AbortSignal => {
    gone ??= abortOf(response).signal
    return gone
  }
  const hold = (bytes: number): void => node.outgoing.hold(request.socket, bytes)
  const checkUnsent = (): void => node.outgoing.check(request.socket)
  const outsider = (): string | undefined => serve.access(request.headers)
  takeBody(
    request,
    bodyLimitBytes,
    node.outgoing,
    (body) => {
      const answer = answerMessage(
        callOf(serve, { client, requestId, outsider, hold, checkUnsent, signal }),
        httpMethods,
        body,
        (stream) => {
          const isPacked = accepts(request, 'gzip')
          response.writeHead(200, headers.concat(JSON_HEADERS, isPacked ? ['Content-Encoding', 'gzip'] : []))
          const sink = isPacked ? gzipSinkOf(response, hold) : bodySinkOf(response)
          stream({ ...sink, end: () => sink.write('\n', sink.end) })
        },
      )
      const sendAnswer = (text: string | undefined): void => send(serve, { request, response, headers, hold }, text)
      if (answer instanceof Promise) void answer.then(sendAnswer)
      else sendAnswer(answer)
    },
    (error) => {
      if (error instanceof ChainError && error.status === 'resourceExhausted') {
        setHeaders(response, headers)
        return plain(response, 413, `content length too large (>${bodyLimitBytes})`)
      }
      node.log('debug', 'JSON-RPC connection was aborted', { error: String(error) })
      response.destroy()
    },
  )
}

/** Sends an answer, unless it was streamed; compressed if it is long and the client accepts that. */
function send(
  { outbox }: Serve,
  {
    request,
    response,
    headers,
    hold,
  }: {
    readonly request: IncomingMessage
    readonly response: ServerResponse
    readonly headers: readonly string[]
    hold(bytes: number): void
  },
  answer = '',
): void {
  if (response.headersSent) return
  const body = answer === '' ? '' : `${answer}\n`
  if (body.length < COMPRESS_FROM_CHARACTERS || response.destroyed || !accepts(request, 'gzip')) {
    outbox.put(response, headers, body)
    return
  }
  hold(body.length)
  response.once('close', () => hold(-body.length))
  sendPayload(request, response, 200, createPayload(body, JSON_HEADERS), headers)
}

function serveSocket(serve: Serve, socket: WebSocket, request: IncomingMessage): void {
  const gone = new AbortController()
  // Each message that is answered can listen.
  setMaxListeners(0, gone.signal)
  noteClient(gone.signal, shareOf(request.socket).address)
  const { outgoing } = serve.node
  const writer = createMessageWriter(socket, request.socket, outgoing)
  const overflow = (): void => {
    serve.node.log('debug', 'a WebSocket client takes its events too slowly', {})
    socket.close(1013, 'too many events wait')
  }
  const queue = createEventQueue(writer, createPause(shareOf(request.socket)), serve.backlog, overflow)
  const client = serve.node.clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'])
  const subscriptions = createSubscriptions(serve.node, { places: serve.places, client }, queue)
  const outsider = (): string | undefined => serve.access(request.headers)
  const hold = (bytes: number): void => outgoing.hold(request.socket, bytes)
  const checkUnsent = (): void => outgoing.check(request.socket)
  const call = { ...serve, client, outsider, subscriptions, hold, checkUnsent, signal: () => gone.signal }
  serveMessages(
    socket,
    request.socket,
    serve.node,
    (message) => answerMessage(call, serve.wsMethods, message, writer.stream, true),
    () => subscriptions.answered(),
    writer,
  )
  socket.on('close', () => {
    gone.abort()
    subscriptions.close()
  })
  socket.on('error', () => socket.terminate())
}

/** Creates the JSON-RPC server of a node. It opens no port until `listen`. */
export function createJsonRpcServer(node: GatewayNode, options: JsonRpcOptions = {}): JsonRpcServer {
  const filters = createFilters(node)
  const methods = methodTable(node, options)
  const known = { ...chainMethods, ...optionalMethods.development }
  const serve: Serve = {
    node,
    filters,
    results: createResultCache(node),
    writer: createJsonWriter(node.identity),
    httpMethods: servedMethods(methods, { namespaces: options.httpApi ?? ALL, flag: '--http-api', known }),
    wsMethods: servedMethods(methods, { namespaces: options.wsApi ?? ALL, flag: '--ws-api', known }),
    outbox: createOutbox(),
    cors: createCors({
      origins: node.settings.corsOrigins,
      exposed: [...STATUS_HEADERS, REQUEST_ID_HEADER],
      requestHeaders: `Content-Type, Authorization, ${REQUEST_ID_HEADER}`,
      preflightSeconds: 600,
    }),
    places: subscriptionPlaces(),
    backlog: createBacklog(),
    idOf: createRequestIds(),
    access: createLocalAccess({ origins: node.settings.corsOrigins, anyHost: node.settings.insecureKeys }),
  }
  const sockets = createSocketServer(node.settings.bodyLimitBytes)
  sockets.on('connection', (socket, request) => serveSocket(serve, socket, request))
  const servers: Server[] = []

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serveHttp(serve, request, response)
  }
  const accept = ({ headers: { origin } }: IncomingMessage): WebSocketServer | string =>
    origin === undefined || serve.cors.allows(origin) ? sockets : '403 Forbidden'

  return {
    mounted: { request: onRequest, accept: () => sockets },
    async answer(method, params, signal, client) {
      const found = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (!found) throw methodNotFound(method)
      noteClient(signal, client)
      const result = await found.run({ ...serve, client, signal: () => signal }, params)
      const run = runOf(result)
      if (!run && longBytesOf(result)) return JSON.stringify(result)
      if (!run) return wholeJson(result ?? null, MAX_FORWARDED_BYTES, signal)
      const whole = collect()
      await run(whole.onPart)
      return formatUtf8(whole.bytes())
    },
    async listen(port, host) {
      const server = createHttpServer(node, { keepAlive: true, noDelay: true }, onRequest)
      serveUpgrades(server, accept)
      const opened = await node.ports.open(server, port, host)
      servers.push(server)
      return opened
    },
    async close() {
      filters.close()
      await Promise.all(servers.map((server) => closeServer(server, sockets.clients)))
    },
  }
}
