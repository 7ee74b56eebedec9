/** Messages of WebSocket clients, which can stop reading, or send faster than they read. */
import type { Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import type { GatewayNode } from '../gateway.ts'
import { REQUEST_TIMEOUT_MS } from './http-server.ts'
import { createMessageWriter, type MessageWriter } from './message-writer.ts'
import type { Outgoing } from './outgoing.ts'
import { createPause } from './slices.ts'
import { shareOf } from './turns.ts'

/** Bytes that wait for a WebSocket client whose messages are read. Beyond: the node reads no further message of it. */
const PAUSE_BYTES = 1_000_000
/** Messages of a WebSocket client that are answered at a time. Beyond: the node reads no further message of it. */
const MAX_RUNNING = 16

/** Time in which a client closes that was asked to. Beyond: it is disconnected. */
const CLOSE_TIMEOUT_MS = 3000

/** Creates a server of connections that begin as HTTP, with messages of at most `maxPayload` bytes. */
export function createSocketServer(maxPayload: number): WebSocketServer {
  // The types of the library lack its option for this time.
  const options = { noServer: true, maxPayload, closeTimeout: CLOSE_TIMEOUT_MS }
  return new WebSocketServer(options)
}

/**
 * Disconnects a client whose message does not arrive whole in time. Until then its bytes count as bytes that wait for the
 * client.
 */
function limitUnfinished(socket: WebSocket, connection: Socket, outgoing: Outgoing): void {
  let unfinishedBytes = 0
  let heldBytes = 0
  let isWhole = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const hold = (bytes: number): void => {
    outgoing.hold(connection, bytes - heldBytes)
    heldBytes = bytes
  }
  const end = (): void => {
    if (socket.isPaused) timer?.refresh()
    else socket.terminate()
  }
  const settle = (): void => {
    isWhole = true
  }
  for (const event of ['message', 'ping', 'pong'] as const) socket.on(event, settle)
  // This listener follows that of the library, which has emitted the messages that the chunk completes.
  connection.on('data', (chunk: Buffer) => {
    // After a whole message the rest of a chunk is short.
    unfinishedBytes = isWhole ? 0 : unfinishedBytes + chunk.length
    isWhole = false
    if (unfinishedBytes === 0) {
      clearTimeout(timer)
      timer = undefined
      if (heldBytes > 0) hold(0)
      return
    }
    timer ??= setTimeout(end, REQUEST_TIMEOUT_MS)
    if (unfinishedBytes === chunk.length) return
    hold(unfinishedBytes)
    outgoing.check(connection)
  })
  socket.on('close', () => clearTimeout(timer))
}

/**
 * Answers the messages of a client. `answer` resolves with the text to send, if there is one and it was not streamed. Reads on only while few answers
 * are being made and the client reads those that are. Messages that arrived before wait, and other clients get their turn.
 */
export function serveMessages(
  socket: WebSocket,
  connection: Socket,
  { outgoing, log }: Pick<GatewayNode, 'outgoing' | 'log'>,
  answer: (message: string) => Promise<string | undefined> | string | undefined,
  answered: () => void = () => {},
  writer: MessageWriter = createMessageWriter(socket, connection, outgoing),
): void {
  const waiting: string[] = []
  const pause = createPause(shareOf(connection))
  let running = 0
  let isResting = false
  const isBusy = (): boolean => running >= MAX_RUNNING || writer.unsent() > PAUSE_BYTES

  function deliver(text: string | undefined): void {
    running--
    if (text !== undefined) writer.send(text, proceed)
    answered()
  }

  function start(message: string): void {
    running++
    const made = answer(message)
    if (!(made instanceof Promise)) {
      deliver(made)
      return
    }
    made.then(
      (text) => {
        deliver(text)
        proceed()
      },
      (error) => {
        log('debug', 'a WebSocket connection was aborted', { error: String(error) })
        socket.terminate()
      },
    )
  }

  function proceed(): void {
    while (waiting.length > 0 && !isBusy() && !isResting) {
      const rest = pause()
      if (rest) {
        isResting = true
        void rest.then(() => {
          isResting = false
          proceed()
        })
        return
      }
      start(waiting.shift()!)
    }
    if (waiting.length === 0 && !isBusy() && socket.isPaused) socket.resume()
  }

  limitUnfinished(socket, connection, outgoing)
  socket.on('message', (data: Buffer) => {
    // A client that was asked to leave gets no answer, and would have its requests run until it closes the connection.
    if (socket.readyState !== socket.OPEN) return
    waiting.push(data.toString('utf8'))
    proceed()
    if (waiting.length > 0 || isBusy()) socket.pause()
  })
  socket.on('close', () => {
    waiting.length = 0
  })
}
