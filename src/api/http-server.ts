/** HTTP servers: opening a port, and closing one while clients keep their connections. */
import type { Server } from 'node:http'

/**
 * The time that a connection can be idle between two requests, on every HTTP port. It is longer than that of
 * clients and load balancers (60 s is usual), so that they close the connection: if the server closes it, a request in
 * transit is lost.
 */
export const IDLE_TIMEOUT_MS = 120_000

/** A gateway on a port. */
export interface GatewayServer {
  /** Opens a port; 0 lets the system choose one. Resolves with the port once it is open; rejects if it is taken. */
  listen(port: number, host: string): Promise<{ readonly port: number }>
  close(): Promise<void>
}

/** Opens a port, as `GatewayServer.listen` does. */
export function listen(server: Server, port: number, host: string): Promise<{ readonly port: number }> {
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
