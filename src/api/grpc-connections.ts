/** The connections of the gRPC server. Each counts the messages that its client has not taken. */
import { createServer, type Socket, type Server as TcpServer } from 'node:net'
import { type ConnectionInjector, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import type { Outgoing } from './outgoing.ts'

interface Connection {
  /** Bytes of messages that HTTP/2 has not sent: flow control holds them back while the client does not read. */
  pending: number
  sent: number
  /** Calls that wait until the client has taken earlier answers. */
  readonly waiting: Set<() => void>
}

/** Bytes that wait in a connection from which on its further calls wait too. */
const PAUSE_BYTES = 256 * 1024

export interface GrpcConnections {
  /** Counts the messages of every call. */
  readonly interceptor: ServerInterceptor
  /** Resolves when a client has taken enough of its earlier answers for one more, or when the signal aborts. */
  ready(peer: string, signal: AbortSignal): Promise<void> | undefined
  /** Creates a TCP server that hands its connections to the gRPC server. */
  createServer(injector: ConnectionInjector): TcpServer
}

/** The name that gRPC gives to a client. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}:${remotePort}`

export function createGrpcConnections(outgoing: Outgoing): GrpcConnections {
  const connections = new Map<string, Connection>()

  function accept(socket: Socket): void {
    const peer = peerOf(socket)
    const connection: Connection = { pending: 0, sent: 0, waiting: new Set() }
    connections.set(peer, connection)
    const remove = outgoing.add({
      address: socket.remoteAddress ?? '',
      unsent: () => connection.pending + socket.writableLength,
      taken: () => connection.sent + socket.bytesWritten - socket.writableLength,
      close: () => socket.destroy(),
    })
    socket.once('close', () => {
      connections.delete(peer)
      remove()
    })
  }

  /** A call whose messages count from their sending until HTTP/2 has sent them. The library demands a class. */
  class CountedCall extends ServerInterceptingCall {
    override sendMessage(message: Buffer, callback: () => void): void {
      outgoing.check()
      const connection = connections.get(this.getPeer())
      if (connection) connection.pending += message.length
      super.sendMessage(message, () => {
        if (connection) {
          connection.pending -= message.length
          connection.sent += message.length
          if (connection.pending < PAUSE_BYTES) for (const wake of connection.waiting) wake()
        }
        callback()
      })
    }
  }

  return {
    interceptor: (_, call) => new CountedCall(call),
    ready(peer, signal) {
      const connection = connections.get(peer)
      if (!connection || signal.aborted || connection.pending < PAUSE_BYTES) return undefined
      return new Promise((resolve) => {
        const wake = (): void => {
          connection.waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        connection.waiting.add(wake)
        signal.addEventListener('abort', wake)
      })
    },
    createServer(injector) {
      return createServer((socket) => {
        accept(socket)
        injector.injectConnection(socket)
      })
    },
  }
}
