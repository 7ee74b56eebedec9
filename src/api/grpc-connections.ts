/** The connections of the gRPC server. Each counts the messages that its client has not taken. */
import { createServer, type Socket, type Server as TcpServer } from 'node:net'
import { type ConnectionInjector, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'
import type { Outgoing } from './outgoing.ts'

interface Connection {
  /** Bytes of messages that HTTP/2 has not sent: flow control holds them back while the client does not read. */
  pending: number
  sent: number
  /** Calls that wait until the client has taken earlier answers. */
  readonly waiting: (() => void)[]
}

/** Bytes that wait in a connection from which on its further calls wait too. */
const PAUSE_BYTES = 256 * 1024

export interface GrpcConnections {
  /** Counts the messages of every call. */
  readonly interceptor: ServerInterceptor
  /** Resolves when a client has taken enough of its earlier answers for one more. Never resolves once it has disconnected. */
  ready(peer: string): Promise<void> | undefined
  /** Creates a TCP server that hands its connections to the gRPC server. */
  createServer(injector: ConnectionInjector): TcpServer
}

/** The name that gRPC gives to a client. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}:${remotePort}`

export function createGrpcConnections(outgoing: Outgoing): GrpcConnections {
  const connections = new Map<string, Connection>()

  function accept(socket: Socket): void {
    const peer = peerOf(socket)
    const connection: Connection = { pending: 0, sent: 0, waiting: [] }
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
          while (connection.pending < PAUSE_BYTES && connection.waiting.length > 0) connection.waiting.shift()!()
        }
        callback()
      })
    }
  }

  return {
    interceptor: (_, call) => new CountedCall(call),
    ready(peer) {
      const connection = connections.get(peer)
      if (!connection || connection.pending < PAUSE_BYTES) return undefined
      return new Promise((resolve) => connection.waiting.push(resolve))
    },
    createServer(injector) {
      return createServer((socket) => {
        accept(socket)
        injector.injectConnection(socket)
      })
    },
  }
}
