/** HTTP servers: opening a port, limits of its connections, and closing it while clients keep their connections. */
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket, Server as TcpServer } from 'node:net'
import type { Outgoing } from './outgoing.ts'

/**
 * The time that a connection can be idle between two requests, on every HTTP port. It is longer than that of
 * clients and load balancers (60 s is usual), so that they close the connection: if the server closes it, a request in
 * transit is lost.
 */
export const IDLE_TIMEOUT_MS = 120_000

/** Time for the head and the body of a request, and for the first byte of a connection. */
const REQUEST_TIMEOUT_MS = 12_000
/** Interval of the checks of that time. */
const TIMEOUT_CHECK_MS = 2_000

/** Bytes of unfinished answers by connection. */
const held = new WeakMap<Socket, number>()

/** Counts bytes of an unfinished answer as unsent bytes of its connection; negative once they are sent or dropped. */
export function holdBytes(socket: Socket, bytes: number): void {
  held.set(socket, (held.get(socket) ?? 0) + bytes)
}

/** Adds a connection to the budget of unsent bytes. */
function addSocket(outgoing: Outgoing, socket: Socket): void {
  const remove = outgoing.add({
    address: socket.remoteAddress ?? '',
    unsent: () => socket.writableLength + (held.get(socket) ?? 0),
    taken: () => socket.bytesWritten - socket.writableLength,
    close: () => socket.destroy(),
  })
  socket.once('close', remove)
}

/**
 * Creates a server whose connections are in the budget of unsent bytes. It answers the pipelined requests of a connection one
 * after the other, so that no answer is made before the client has taken the previous one.
 */
export function createHttpServer(
  outgoing: Outgoing,
  options: ServerOptions,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const latest = new WeakMap<Socket, ServerResponse>()
  const server = createServer(
    {
      keepAliveTimeout: IDLE_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      ...options,
    },
    (request, response) => {
      outgoing.check()
      const { socket } = request
      const before = latest.get(socket)
      latest.set(socket, response)
      if (!before || before.writableFinished || before.destroyed) {
        handle(request, response)
        return
      }
      // Without a pause a client could pipeline requests without end. The parser resumes the socket after each message, so the
      // pause follows the chunk that it parses.
      let waits = true
      process.nextTick(() => waits && socket.pause())
      before.once('close', () => {
        waits = false
        if (latest.get(socket) === response) socket.resume()
        if (!response.destroyed) handle(request, response)
      })
    },
  )
  server.on('connection', (socket) => addSocket(outgoing, socket))
  return server
}

/** A gateway on a port. */
export interface GatewayServer {
  /** Opens a port; 0 lets the system choose one. Resolves with the port once it is open; rejects if it is taken. */
  listen(port: number, host: string): Promise<{ readonly port: number }>
  close(): Promise<void>
}

/** Opens a port, as `GatewayServer.listen` does. */
export function listen(server: TcpServer, port: number, host: string): Promise<{ readonly port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve({ port: typeof address === 'object' && address ? address.port : port })
    })
  })
}

const CLOSE_MS = 1000

interface Closable {
  close(): void
  terminate(): void
}

/**
 * Closes a server: it accepts no connection, closes idle ones, and waits up to one second for requests in progress. Sockets
 * that were taken over from it, such as those of WebSocket, are closed in the same way.
 */
export function closeServer(server: Server, sockets: Iterable<Closable> = []): Promise<void> {
  return new Promise((resolve) => {
    const open = [...sockets]
    const force = setTimeout(() => {
      server.closeAllConnections()
      for (const socket of open) socket.terminate()
    }, CLOSE_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
    // Answers made in this turn of the event loop are still sent.
    setImmediate(() => {
      for (const socket of open) socket.close()
    })
  })
}
