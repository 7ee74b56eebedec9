/** Messages of WebSocket clients, which can stop reading, or send faster than they read. */
import type { WebSocket } from 'ws'
import type { Outgoing } from './outgoing.ts'

/** Limit of the bytes that wait for a client; a client that reads too slowly to stay under it is disconnected. */
const MAX_UNREAD_BYTES = 32_000_000
/** Bytes that wait for a client from which on the node reads no further message of it. */
const PAUSE_BYTES = 1_000_000
/** Messages of a client that are answered at a time. */
const MAX_RUNNING = 16

/** Sends a text, or disconnects a client that does not read. Does nothing once the socket is closing. */
export function sendText(socket: WebSocket, outgoing: Outgoing, text: string, sent?: () => void): void {
  outgoing.check()
  if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
  else if (socket.readyState === socket.OPEN) socket.send(text, sent)
}

/**
 * Answers the messages of a client. `answer` resolves with the text to send, if there is one. Reads on only while few answers
 * are being made and the client reads those that are.
 */
export function serveMessages(
  socket: WebSocket,
  outgoing: Outgoing,
  answer: (message: string) => Promise<string | undefined> | string | undefined,
  answered: () => void = () => {},
): void {
  let running = 0
  const isBusy = (): boolean => running >= MAX_RUNNING || socket.bufferedAmount > PAUSE_BYTES
  const resume = (): void => {
    if (socket.isPaused && !isBusy()) socket.resume()
  }
  const deliver = (text: string | undefined): void => {
    running--
    if (text !== undefined) sendText(socket, outgoing, text, resume)
    answered()
    resume()
  }
  socket.on('message', (data: Buffer) => {
    running++
    if (isBusy()) socket.pause()
    const made = answer(data.toString('utf8'))
    if (made instanceof Promise) made.then(deliver, () => socket.terminate())
    else deliver(made)
  })
}
