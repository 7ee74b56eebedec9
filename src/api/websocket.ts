/** Messages of WebSocket clients, which can stop reading, or send faster than they read. */
import type { WebSocket } from 'ws'
import type { Outgoing } from './outgoing.ts'
import { createPause } from './slices.ts'

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
 * are being made and the client reads those that are. Messages that arrived before wait, and other clients get their turn.
 */
export function serveMessages(
  socket: WebSocket,
  outgoing: Outgoing,
  answer: (message: string) => Promise<string | undefined> | string | undefined,
  answered: () => void = () => {},
): void {
  const waiting: string[] = []
  const pause = createPause()
  let running = 0
  let isResting = false
  const isBusy = (): boolean => running >= MAX_RUNNING || socket.bufferedAmount > PAUSE_BYTES

  function deliver(text: string | undefined): void {
    running--
    if (text !== undefined) sendText(socket, outgoing, text, proceed)
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
      () => socket.terminate(),
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

  socket.on('message', (data: Buffer) => {
    waiting.push(data.toString('utf8'))
    proceed()
    if (waiting.length > 0 || isBusy()) socket.pause()
  })
  socket.on('close', () => {
    waiting.length = 0
  })
}
