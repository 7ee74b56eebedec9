/** The connections of the gRPC server. Each counts the messages that its client has not taken, or not sent whole. */
import { createServer, type Socket, type Server as TcpServer } from 'node:net'
import { type ConnectionInjector, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js'
import { addSocket, type Budgets, REQUEST_TIMEOUT_MS } from '../transport/http-server.ts'
import { createPause, noteClient, type Pause } from '../transport/slices.ts'
import { shareOf, turns } from '../transport/turns.ts'
import { type CallQueue, createCallQueue } from './call-queue.ts'

interface Connection {
  readonly socket: Socket
  /** Calls without their final status. */
  running: number
  /** Calls whose first message has not arrived. */
  unread: number
  /** Bytes of this connection that belong to no unfinished message, about. */
  usedBytes: number
  /** Bytes of messages that HTTP/2 has not sent: flow control holds them back while the client does not read. */
  pending: number
  sent: number
  /** Calls whose long answer waits for its next turn. */
  resting: number
  readonly queue: CallQueue
}

/** Bytes that wait in a gRPC connection. Beyond: its further calls wait. */
const PAUSE_BYTES = 64 * 1024
/** Size of the first bytes of an HTTP/2 client: the preface and the head of its settings. */
const PREFACE_BYTES = 24 + 9
/** Time for the running calls of a client that is to connect again. */
const LEAVE_MS = 10_000
/** Time for the status of a call to reach a client whose connection is closed afterwards. */
const STATUS_MS = 1000

export interface GrpcConnections {
  /** Counts the messages of every call. */
  readonly interceptor: ServerInterceptor
  /**
   * Waits until a call of a client can run: the client has taken enough of its earlier answers, few of its calls run, and it
   * is its turn. Resolves with the function that ends the run; with undefined if the client has disconnected or the signal
   * aborts.
   */
  enter(peer: string, signal: AbortSignal): Promise<(() => void) | undefined>
  /** Notes the client of a call, for which the work of a signal is done. */
  note(peer: string, signal: AbortSignal): void
  /** Creates the pause of a call of a client. No further call of the client begins meanwhile, since the answer has not been sent. */
  pauseOf(peer: string): Pause
  /** Creates a TCP server that hands its connections to the gRPC server, those of each address through an injector of their own. */
  createServer(createInjector: () => ConnectionInjector): TcpServer
}

/** The connections of an address. */
interface Injected {
  readonly injector: ConnectionInjector
  open: number
  /** Whether its clients have been told to connect again. */
  isLeaving: boolean
  /** Tells the clients to connect again; their running calls are answered. */
  leave(): void
}

function createInjected(injector: ConnectionInjector): Injected {
  const injected: Injected = {
    injector,
    open: 0,
    isLeaving: false,
    leave() {
      if (injected.isLeaving) return
      injected.isLeaving = true
      injector.drain(LEAVE_MS)
    },
  }
  return injected
}

/** The name that gRPC gives to a client. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress}:${remotePort}`

type Listener = Parameters<ServerInterceptingCall['start']>[0]
type FinalStatus = Parameters<ServerInterceptingCall['sendStatus']>[0]

/** Returns the bytes of messages that have arrived in part. */
function unfinishedBytes({ socket, unread, usedBytes }: Connection): number {
  return unread === 0 ? 0 : Math.max(0, socket.bytesRead - usedBytes)
}

export function createGrpcConnections(budgets: Budgets): GrpcConnections {
  const { outgoing } = budgets
  const connections = new Map<string, Connection>()

  /** Returns whether there is room for a connection. `leave` asks its client to connect again. */
  function accept(socket: Socket, leave: () => void): boolean {
    const peer = peerOf(socket)
    const connection: Connection = {
      socket,
      running: 0,
      unread: 0,
      usedBytes: 0,
      pending: 0,
      sent: 0,
      resting: 0,
      queue: createCallQueue(
        () => connection.pending >= PAUSE_BYTES || connection.resting > 0 || socket.destroyed,
        () => turns.take(shareOf(socket)),
      ),
    }
    const isAccepted = addSocket(budgets, socket, {
      isBusy: () => connection.running > 0,
      leave,
      unsent: () => connection.pending + socket.writableLength,
      unfinished: () => unfinishedBytes(connection),
      taken: () => connection.sent + socket.bytesWritten - socket.writableLength,
    })
    if (!isAccepted) return false
    connections.set(peer, connection)
    const timer = setTimeout(() => {
      if (socket.bytesRead < PREFACE_BYTES) socket.destroy()
    }, REQUEST_TIMEOUT_MS)
    socket.once('close', () => {
      clearTimeout(timer)
      connections.delete(peer)
    })
    return true
  }

  /**
   * A call whose messages count from their sending until HTTP/2 has sent them, and whose first message has a time limit. The
   * library demands a class.
   */
  class CountedCall extends ServerInterceptingCall {
    readonly #connection = connections.get(this.getPeer())
    #timer: ReturnType<typeof setTimeout> | undefined
    #isRunning = false
    /** Bytes of the call that HTTP/2 has not sent. */
    #pending = 0
    #isCancelled = false

    override start(listener: Listener): void {
      const connection = this.#connection
      if (connection) {
        if (connection.unread === 0) connection.usedBytes = connection.socket.bytesRead
        connection.unread++
        connection.running++
        this.#isRunning = true
        this.#timer = setTimeout(() => this.#refuse(connection), REQUEST_TIMEOUT_MS)
      }
      super.start({
        onReceiveMetadata: (metadata) => listener.onReceiveMetadata(metadata),
        onReceiveMessage: (message) => {
          if (connection) connection.usedBytes += (message as Buffer).length
          this.#arrived()
          listener.onReceiveMessage(message)
        },
        onReceiveHalfClose: () => listener.onReceiveHalfClose(),
        onCancel: () => {
          this.#end()
          this.#isCancelled = true
          // The library drops the messages of a cancelled call, some of them without a callback. The other calls of a client that
          // disconnects are cancelled before the next turn, so that none of them takes the room.
          setImmediate(() => this.#wait(-this.#pending))
          listener.onCancel()
        },
      })
    }

    override sendMessage(message: Buffer, callback: () => void): void {
      const connection = this.#connection
      outgoing.check(connection?.socket)
      if (!this.#isCancelled) this.#wait(message.length)
      super.sendMessage(message, () => {
        if (connection) connection.sent += message.length
        this.#wait(-Math.min(message.length, this.#pending))
        callback()
      })
    }

    /** Counts bytes that wait for the client; negative once they are sent or dropped. */
    #wait(bytes: number): void {
      if (!this.#connection) return
      this.#pending += bytes
      this.#connection.pending += bytes
      this.#connection.queue.proceed()
    }

    override sendStatus(given: FinalStatus): void {
      this.#end()
      super.sendStatus(given)
    }

    /** Refuses a call whose message does not arrive, and closes its connection, as HTTP/1 does. */
    #refuse({ socket }: Connection): void {
      const details = `the request did not arrive within ${REQUEST_TIMEOUT_MS / 1000} s`
      this.sendStatus({ code: status.DEADLINE_EXCEEDED, details })
      setTimeout(() => socket.destroy(), STATUS_MS).unref()
    }

    #arrived(): void {
      if (!this.#timer) return
      clearTimeout(this.#timer)
      this.#timer = undefined
      if (this.#connection) this.#connection.unread--
    }

    #end(): void {
      this.#arrived()
      if (!this.#isRunning) return
      this.#isRunning = false
      if (this.#connection) this.#connection.running--
    }
  }

  return {
    interceptor: (_, call) => new CountedCall(call),
    enter: (peer, signal) => connections.get(peer)?.queue.enter(signal) ?? Promise.resolve(undefined),
    note(peer, signal) {
      const connection = connections.get(peer)
      if (connection) noteClient(signal, shareOf(connection.socket).address)
    },
    pauseOf(peer) {
      const connection = connections.get(peer)
      if (!connection) return createPause()
      const pause = createPause(shareOf(connection.socket))
      return () => {
        const rest = pause()
        if (!rest) return undefined
        connection.resting++
        return rest.then(() => {
          // In the next turn, when the answer counts as bytes that wait.
          setImmediate(() => {
            connection.resting--
            connection.queue.proceed()
          })
        })
      }
    },
    createServer(createInjector) {
      const byAddress = new Map<string, Injected>()
      /** Removes a connection, and with the last one what its address had. */
      const release = (address: string, injected: Injected): void => {
        if (--injected.open > 0) return
        if (byAddress.get(address) === injected) byAddress.delete(address)
        injected.injector.destroy()
      }
      return createServer((socket) => {
        let injected: Injected | undefined
        if (!accept(socket, () => injected?.leave())) return
        const { address } = shareOf(socket)
        const open = byAddress.get(address)
        injected = open && !open.isLeaving ? open : createInjected(createInjector())
        byAddress.set(address, injected)
        injected.open++
        const own = injected
        socket.once('close', () => release(address, own))
        own.injector.injectConnection(socket)
      })
    },
  }
}
