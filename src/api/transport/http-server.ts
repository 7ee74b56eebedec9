/** HTTP servers: opening a port, limits of its connections, and closing it while clients keep their connections. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocketServer } from 'ws'
import type { GatewayNode } from '../gateway.ts'
import { addressOf } from './client-address.ts'
import type { Connection } from './connections.ts'
import { answerWithoutUpgrade, asksForWebSocket } from './other-upgrades.ts'
import type { Peer } from './outgoing.ts'
import { shareOf, turns } from './turns.ts'

/**
 * Time that a connection can be idle between two requests, on every HTTP port. It is longer than that of clients and load
 * balancers (60 s is usual), so that they close the connection: if the server closes it, a request in transit is lost. Beyond:
 * the connection is closed.
 */
const IDLE_TIMEOUT_MS = 120_000

/**
 * Time for the head and the body of a request, for the first byte of a connection, and for a message over WebSocket and gRPC.
 * Beyond: the connection is closed; over HTTP and gRPC with the reason.
 */
export const REQUEST_TIMEOUT_MS = 12_000
/** Interval of the checks of that time. It is short, so that one check ends few of the connections of a flood. */
const TIMEOUT_CHECK_MS = 500

/** Times of a server that ends idle connections and slow requests. */
export const SERVER_TIMES = {
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
} as const

/** Memory of a request that has been read before its turn, with its response. */
const READ_AHEAD_BYTES = 2048
/**
 * Requests of a connection that wait for the previous answer. Beyond: the connection ends after the answers to those, since a read
 * of 64 KB, which is parsed in one turn of the event loop, contains 2,400.
 */
const MAX_READ_AHEAD = 256

/** Status of WebSocket for a client that is to connect again. Source: the registry of close codes of RFC 6455. */
const TRY_AGAIN = 1013

/** Time that counts for a client which pipelines more, as much as its requests take the parser. */
const PIPELINE_MS = 20

/** The budgets of the process that every connection counts for. */
export type Budgets = Pick<GatewayNode, 'outgoing' | 'connections' | 'ports'>

/** Adds a connection to the budgets. Returns whether there is room for it; it is closed otherwise. */
export function addSocket({ outgoing, connections }: Budgets, socket: Socket, peer: ServedPeer): boolean {
  const address = addressOf(socket.remoteAddress)
  const close = (): void => void socket.destroy()
  const leave = connections.admit({
    address,
    transferred: () => socket.bytesRead + socket.bytesWritten,
    isBusy: peer.isBusy,
    leave: peer.leave,
    close,
  })
  if (!leave) {
    close()
    return false
  }
  const remove = outgoing.add(socket, { ...peer, address, close })
  socket.once('close', () => {
    leave()
    remove()
  })
  return true
}

/** A second protocol on the port of an HTTP server. */
export interface SharedPort {
  /** Answers a request of the protocol. Returns false for any other, which the server then answers. */
  handle(req: IncomingMessage, res: ServerResponse): boolean
  /** Ends the running answers. */
  close(): void
}

/** The facts of a connection that depend on its protocol. */
type ServedPeer = Pick<Connection, 'isBusy' | 'leave'> & Pick<Peer, 'unsent' | 'unfinished' | 'taken'>

/** Whether a request has several `Host` headers, which proxies and servers can read differently. */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

const BAD_REQUEST = '400 Bad Request'
const SEVERAL_HOSTS = 'the request has several Host headers, at most one\n'

/**
 * Creates a server whose connections are in the budgets of the process. It answers the pipelined requests of a connection one
 * after the other, so that no answer is made before the client has taken the previous one, and those of all connections in
 * turns. Refuses several `Host` headers with 400.
 */
export function createHttpServer(
  budgets: Budgets,
  options: ServerOptions,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    if (hasSeveralHosts(request)) response.writeHead(400, { Connection: 'close' }).end(SEVERAL_HOSTS)
    // A request with a body takes its turn when the body has arrived.
    else if (request.method === 'POST') handle(request, response)
    else
      turns.run(shareOf(request.socket), () => {
        if (!response.destroyed) handle(request, response)
      })
  }
  const server = createServer({ ...SERVER_TIMES, ...options }, (request, response) => {
    const { socket } = request
    budgets.outgoing.check(socket)
    const own = readings.get(socket)!
    const before = own.latest
    own.latest = response
    if (budgets.ports.leaves(own.address)) response.shouldKeepAlive = false
    if (!before || before.writableFinished || before.destroyed) {
      answer(request, response)
      return
    }
    own.waiting++
    if (own.waiting === MAX_READ_AHEAD) {
      own.isOver = true
      turns.charge(own.address, PIPELINE_MS)
      response.shouldKeepAlive = false
    }
    // Without a pause a client could pipeline requests without end. The parser resumes the socket after each message, so the
    // pause follows the chunk that it parses.
    let waits = true
    process.nextTick(() => waits && socket.pause())
    budgets.outgoing.hold(socket, READ_AHEAD_BYTES)
    before.once('close', () => {
      waits = false
      own.waiting--
      budgets.outgoing.hold(socket, -READ_AHEAD_BYTES)
      if (own.latest === response && !own.isOver) socket.resume()
      // In the next turn, so that the requests of one chunk do not keep others waiting.
      setImmediate(() => {
        if (!response.destroyed) answer(request, response)
      })
    })
  })
  server.on('connection', (socket) => {
    const address = addressOf(socket.remoteAddress)
    const own: Reading = { address, latest: undefined, waiting: 0, isOver: false, leave: undefined }
    readings.set(socket, own)
    addSocket(budgets, socket, {
      isBusy: () => own.latest !== undefined && !own.latest.writableFinished && !own.latest.destroyed,
      unsent: () => socket.writableLength,
      taken: () => socket.bytesWritten - socket.writableLength,
      leave: () => own.leave?.(),
    })
    stopParserWhen(socket, () => own.isOver)
  })
  return server
}

/** The requests of a connection that have been read. */
interface Reading {
  readonly address: string
  latest: ServerResponse | undefined
  /** Number of requests that wait for the previous answer. */
  waiting: number
  /** Whether no further request is read. */
  isOver: boolean
  /** Asks the client to connect again. Absent before an upgrade, where the head of the next answer does. */
  leave: (() => void) | undefined
}

const readings = new WeakMap<Socket, Reading>()

/** The part of the parser of `node:http` that takes a request. It returns 2 to parse no further, as for an upgrade. */
interface Parser {
  onIncoming(request: IncomingMessage, keepsAlive: boolean): number
}

/** Stops the parser of a connection within the bytes that it has, for which Node.js has no option, and reads no more. */
function stopParserWhen(socket: Socket & { readonly parser?: Parser | null }, isOver: () => boolean): void {
  const { parser } = socket
  if (!parser) return
  const take = parser.onIncoming
  let isStopped = false
  parser.onIncoming = (request, keepsAlive) => {
    if (!isOver()) return take(request, keepsAlive)
    // The bodies of earlier requests resume the socket. Node.js stops reading at this event, also if the socket is paused already.
    if (!isStopped) socket.on('resume', () => socket.emit('pause'))
    isStopped = true
    return 2
  }
}

/** A server that another one serves at a path of its port, beside its own ports. */
export interface MountedServer {
  request(request: IncomingMessage, response: ServerResponse): void
  /** Returns the server of a WebSocket request, or the status line of a refusal. */
  accept(request: IncomingMessage): WebSocketServer | string
}

/**
 * Serves WebSocket on a server, and answers requests that offer another upgrade as if they offered none. `accept` returns the
 * WebSocket server of a request, the status line of a refusal, or undefined to answer it without an upgrade, too.
 */
export function serveUpgrades(
  server: Server,
  accept: (request: IncomingMessage) => WebSocketServer | string | undefined,
): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const accepted = !asksForWebSocket(request) ? undefined : hasSeveralHosts(request) ? BAD_REQUEST : accept(request)
    if (accepted === undefined) {
      answerWithoutUpgrade(server, request, socket, { head, timeoutMs: REQUEST_TIMEOUT_MS })
      return
    }
    if (typeof accepted !== 'string') {
      accepted.handleUpgrade(request, socket, head, (client) => {
        const own = readings.get(request.socket)
        if (own) own.leave = () => client.close(TRY_AGAIN, 'connect again')
        accepted.emit('connection', client, request)
      })
      return
    }
    // A refused client can disconnect before it receives the answer.
    socket.on('error', () => socket.destroy())
    socket.end(`HTTP/1.1 ${accepted}\r\nConnection: close\r\n\r\n`)
  })
}

/** A gateway on a port. */
export interface GatewayServer {
  /** Opens a port; 0 lets the system choose one. Resolves with the port once it is open; rejects if it is taken. */
  listen(port: number, host: string): Promise<{ readonly port: number }>
  close(): Promise<void>
}

const CLOSE_MS = 1000

interface Closable {
  close(): void
  terminate(): void
}

/**
 * Closes a server: it accepts no connection, closes idle ones, and waits up to one second for requests in progress. Sockets
 * that were taken over from it, such as those of WebSocket, are closed in the same way, and those that open meanwhile, too.
 */
export function closeServer(server: Server, sockets: Iterable<Closable> = []): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.closeAllConnections()
      for (const socket of sockets) socket.terminate()
    }, CLOSE_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
    // Answers made in this turn of the event loop are still sent.
    setImmediate(() => {
      for (const socket of sockets) socket.close()
    })
  })
}
