/** The ABCI sockets of an engine. Answers of a connection leave in the order of its requests, whatever is asynchronous behind. */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { RequestSchema, type Response, ResponseSchema } from '../../gen/tendermint/abci/types_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Application } from './application.ts'
import { createFrameReader, frameOf } from './frames.ts'

/** Unanswered requests of a connection beyond which the node reads no further one. The engine has at most 256. */
const MOST_UNANSWERED = 1000

export interface AbciServer {
  /** The address that an engine connects to: `tcp://HOST:PORT` or `unix://PATH`. */
  readonly address: string
  close(): Promise<void>
}

interface ServerOptions {
  /** `tcp://HOST:PORT` or `unix://PATH`. */
  readonly address: string
  readonly application: Application
  /** Receives a failure of the application, after the engine was told, and a connection that sends no ABCI. */
  readonly onFailure: (error: unknown) => void
  readonly onBadClient: (error: unknown) => void
}

/** Parses the address of a socket. Throws `invalidArgument` for any other. */
export function parseAbciAddress(
  address: string,
): { readonly path: string } | { readonly host: string; readonly port: number } {
  const unix = /^unix:\/\/(.+)$/.exec(address)
  if (unix) return { path: unix[1]! }
  const tcp = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[^:/]+):(\d{1,5})$/.exec(address)
  if (!tcp || Number(tcp[2]) > 65_535) {
    throw queryError('invalidArgument', `${address} is no ABCI address: give tcp://127.0.0.1:26658 or unix:///PATH`)
  }
  return { host: tcp[1]!.replace(/^\[|\]$/g, ''), port: Number(tcp[2]) }
}

const exception = (error: unknown): Response =>
  create(ResponseSchema, {
    value: { case: 'exception', value: { error: error instanceof Error ? error.message : String(error) } },
  })

/** Listens for an engine. Rejects with `unavailable` if the address is in use. */
export async function serveAbci(options: ServerOptions): Promise<AbciServer> {
  const { application, onFailure, onBadClient } = options
  const sockets = new Set<Socket>()

  function serve(socket: Socket): void {
    const reader = createFrameReader()
    /** Settles when every request so far is answered. */
    let tail: Promise<void> | undefined
    let unanswered = 0
    let isBroken = false
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())

    const send = (response: Response): void => {
      if (!socket.destroyed) socket.write(frameOf(toBinary(ResponseSchema, response)))
    }
    const fail = (error: unknown): void => {
      isBroken = true
      send(exception(error))
      socket.end()
      onFailure(error)
    }
    const settle = (): void => {
      unanswered--
      if (socket.isPaused() && unanswered < MOST_UNANSWERED) socket.resume()
    }

    /** Answers a request now if those before it are answered, so that most answers of a chunk leave in one write. */
    function take(bytes: Uint8Array): void {
      unanswered++
      const run = (): void | Promise<void> => {
        if (isBroken) return
        try {
          const found = application(fromBinary(RequestSchema, bytes).value)
          if (found instanceof Promise) return found.then(send, fail)
          send(found)
        } catch (error) {
          fail(error)
        }
      }
      const current = tail ? tail.then(run) : run()
      if (!(current instanceof Promise)) {
        settle()
        return
      }
      const next = current.then(() => {
        settle()
        if (tail === next) tail = undefined
      })
      tail = next
    }

    socket.on('data', (chunk: Buffer) => {
      let messages: Uint8Array[]
      try {
        messages = reader.push(chunk)
      } catch (error) {
        onBadClient(error)
        socket.destroy()
        return
      }
      socket.cork()
      for (const message of messages) if (!isBroken) take(message)
      socket.uncork()
      if (unanswered >= MOST_UNANSWERED) socket.pause()
    })
  }

  const place = parseAbciAddress(options.address)
  const server = createServer({ noDelay: true }, serve)
  await listen(server, place)
  if ('path' in place) chmodSync(place.path, 0o600)
  const bound = server.address()
  const address =
    'path' in place ? options.address : `tcp://${place.host}:${typeof bound === 'object' ? bound!.port : place.port}`
  return {
    address,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function listen(server: Server, place: ReturnType<typeof parseAbciAddress>): Promise<void> {
  // A killed process leaves its socket behind. The lock of the home keeps a second node from this line.
  if ('path' in place) rmSync(place.path, { force: true })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what = 'path' in place ? place.path : `${place.host}:${place.port}`
      const reason = error.code === 'EADDRINUSE' ? 'the address is in use' : error.message
      reject(queryError('unavailable', `cannot listen for the engine on ${what}: ${reason}`))
    })
    server.listen(place, () => resolve())
  })
}
