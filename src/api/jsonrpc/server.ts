/** The JSON-RPC server: HTTP and WebSocket on every port it listens on (evm.md §4). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { ChainError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { HALTED_HEADER, haltedHeader } from '../halted.ts'
import { bodySinkOf, closeServer, IDLE_TIMEOUT_MS, takeBody } from '../http.ts'
import { createJsonWriter } from '../json.ts'
import { createAnswerCache } from './answers.ts'
import { rawMethods } from './debug/raw.ts'
import { storageMethods } from './debug/storage.ts'
import { traceMethods } from './debug/trace.ts'
import { developmentMethods } from './development/development.ts'
import { methodNotFound } from './errors.ts'
import { ethMethods, signingMethods } from './eth/eth.ts'
import { createFilters } from './eth/filters.ts'
import { createSubscriptions } from './eth/subscriptions.ts'
import type { Methods, RpcCall } from './method.ts'
import { moduleMethods } from './modules.ts'
import { netMethods } from './net.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { answerMessage } from './rpc.ts'
import { txpoolMethods } from './txpool.ts'
import { sendText } from './unread.ts'
import { web3Methods } from './web3.ts'

const HTTP_TIMEOUT_MS = 30_000
const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/json-rpc',
  'application/jsonrequest',
])

export interface JsonRpcOptions {
  /** Further methods, such as those of a development chain; a name given here wins. */
  readonly methods?: Methods
}

export interface JsonRpcServer {
  /** Opens one more port with both transports; 0 chooses one. Resolves with the port. */
  listen(port: number, host: string): Promise<{ readonly port: number }>
  /** The result of one method for another process. Rejects as the method does, -32601 for what there is not. */
  answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown>
  /** Ends every connection and port. */
  close(): Promise<void>
}

/** All methods of this server, by wire name. */
function methodTable(node: GatewayNode, options: JsonRpcOptions): Methods {
  const methods = {
    ...ethMethods,
    ...netMethods,
    ...web3Methods,
    ...txpoolMethods,
    ...rawMethods,
    ...traceMethods,
    ...storageMethods,
    ...(node.settings.devKeys && signingMethods),
    ...(node.driver.development && { ...signingMethods, ...developmentMethods }),
    ...options.methods,
  }
  return { ...methods, ...moduleMethods(methods) }
}

function allowedOrigin(node: GatewayNode, origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined
  const { corsOrigins } = node.settings
  if (corsOrigins.includes('*')) return '*'
  return corsOrigins.includes(origin) ? origin : undefined
}

function setCors(node: GatewayNode, request: IncomingMessage, response: ServerResponse): void {
  const origin = allowedOrigin(node, request.headers.origin)
  if (origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', HALTED_HEADER)
  if (origin !== '*') response.setHeader('Vary', 'Origin')
}

function preflight(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Methods', 'POST, GET, OPTIONS')
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type, Authorization')
  response.setHeader('Access-Control-Max-Age', '600')
  response.writeHead(204).end()
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${text}\n`)
}

/** Refuses what is no JSON-RPC call; true when the request may go on. */
function acceptable(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method === 'OPTIONS') preflight(response)
  else if (request.method === 'GET' || request.method === 'HEAD') response.writeHead(200).end()
  else if (request.method !== 'POST') plain(response, 405, 'method not allowed')
  else if (!CONTENT_TYPES.has((request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase())) {
    plain(response, 415, 'invalid content type, only application/json is supported')
  } else return true
  return false
}

type Serve = Omit<RpcCall, 'signal' | 'subscriptions'> & { readonly methods: Methods; readonly outbox: Outbox }

function serveHttp(serve: Serve, request: IncomingMessage, response: ServerResponse): void {
  const { node, methods } = serve
  setCors(node, request, response)
  const halted = haltedHeader(node.driver)
  if (halted) response.setHeader(...halted)
  if (!acceptable(request, response)) return
  const { bodyLimitBytes } = node.settings
  let gone: AbortSignal | undefined
  const signal = (): AbortSignal => {
    gone ??= signalOf(response)
    return gone
  }
  takeBody(
    request,
    bodyLimitBytes,
    (body) => {
      const answer = answerMessage({ ...serve, signal }, methods, body, (stream) => {
        response.writeHead(200, { 'Content-Type': 'application/json' })
        stream(bodySinkOf(response))
      })
      if (answer instanceof Promise) void answer.then((text) => send(serve, response, text))
      else send(serve, response, answer)
    },
    (error) => {
      if (error instanceof ChainError && error.status === 'resourceExhausted') {
        return plain(response, 413, `content length too large (>${bodyLimitBytes})`)
      }
      node.log('debug', 'JSON-RPC connection broke off', { error: String(error) })
      response.destroy()
    },
  )
}

/** Sends an answer that has not gone out in parts. */
function send({ outbox }: Serve, response: ServerResponse, answer: string | undefined): void {
  if (!response.headersSent) outbox.put(response, answer === undefined ? '' : `${answer}\n`)
}

/** Aborts when the client leaves before its answer is sent. */
function signalOf(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  const leave = (): void => {
    if (!response.writableFinished) gone.abort()
  }
  if (response.destroyed) leave()
  else response.once('close', leave)
  return gone.signal
}

function serveSocket(serve: Serve, socket: WebSocket): void {
  const gone = new AbortController()
  const send = (text: string): void => sendText(socket, text)
  const subscriptions = createSubscriptions(serve.node, send)
  socket.on('message', (data: Buffer) => {
    const give = (answer: string | undefined): void => {
      if (answer !== undefined) send(answer)
      subscriptions.answered()
    }
    const call = { ...serve, subscriptions, signal: () => gone.signal }
    const answer = answerMessage(call, serve.methods, data.toString('utf8'))
    if (answer instanceof Promise) void answer.then(give)
    else give(answer)
  })
  socket.on('close', () => {
    gone.abort()
    subscriptions.close()
  })
  socket.on('error', () => socket.terminate())
}

/** A JSON-RPC server over the node. It opens nothing until `listen`. */
export function createJsonRpcServer(node: GatewayNode, options: JsonRpcOptions = {}): JsonRpcServer {
  const filters = createFilters(node)
  const serve: Serve = {
    node,
    filters,
    answers: createAnswerCache(node),
    writer: createJsonWriter(node.identity),
    methods: methodTable(node, options),
    outbox: createOutbox(),
  }
  const sockets = new WebSocketServer({ noServer: true, maxPayload: node.settings.bodyLimitBytes })
  sockets.on('connection', (socket) => serveSocket(serve, socket))
  const servers: Server[] = []

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    serveHttp(serve, request, response)
  }
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (request.headers.origin !== undefined && allowedOrigin(node, request.headers.origin) === undefined) {
      // Who is refused may have left before he hears it.
      socket.on('error', () => socket.destroy())
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => sockets.emit('connection', accepted, request))
  }

  return {
    async answer(method, params, signal) {
      const { methods, ...call } = serve
      const found = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (!found) throw methodNotFound(method)
      return found.run({ ...call, signal: () => signal }, params)
    },
    async listen(port, host) {
      const server = createServer({ keepAlive: true, noDelay: true, keepAliveTimeout: IDLE_TIMEOUT_MS }, onRequest)
      server.requestTimeout = HTTP_TIMEOUT_MS
      server.on('upgrade', onUpgrade)
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, resolve)
      })
      servers.push(server)
      return { port: (server.address() as AddressInfo).port }
    },
    async close() {
      filters.close()
      await Promise.all(servers.map((server) => closeServer(server, sockets.clients)))
    },
  }
}
