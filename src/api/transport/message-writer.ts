/** Sends the messages of one WebSocket client, in their order: a long one in fragments, as fast as the client takes them. */
import type { Socket } from 'node:net'
import type { Outgoing } from './outgoing.ts'
import type { BodySink, StreamedBody } from './spool.ts'

/** Bytes that wait for a WebSocket client that stays connected. Beyond: it is disconnected. */
const MAX_UNREAD_BYTES = 32_000_000

export interface MessageWriter {
  /** Sends a text, or disconnects a client that does not read. Does nothing once the socket is closing. */
  send(text: string, sent?: () => void): void
  /** Sends a message while it is produced. `body` gets its receiver when the messages before it are sent. */
  stream(body: StreamedBody): void
  /** Returns the bytes that wait for the client. */
  unsent(): number
}

/** The part of a socket of `ws` that a writer uses. Users of this package's types need no types of `ws`. */
interface ClientSocket {
  readonly readyState: number
  readonly OPEN: number
  /** Bytes that wait in the socket. */
  readonly bufferedAmount: number
  send(text: string, sent?: () => void): void
  send(part: string | Uint8Array, options: { fin: boolean; binary: boolean }, sent?: () => void): void
  terminate(): void
  on(event: 'close', listener: () => void): unknown
}

/** Creates the writer of a client. */
export function createMessageWriter(
  socket: ClientSocket,
  connection: Socket,
  outgoing: Pick<Outgoing, 'check' | 'hold'>,
): MessageWriter {
  let waiting: (() => void)[] = []
  let waitingBytes = 0
  let isStreaming = false

  const unsent = (): number => socket.bufferedAmount + waitingBytes

  function sendNow(text: string, sent?: () => void): void {
    if (socket.readyState === socket.OPEN) socket.send(text, sent)
  }

  function proceed(): void {
    isStreaming = false
    while (waiting.length > 0 && !isStreaming) waiting.shift()!()
  }

  function begin(body: StreamedBody): void {
    isStreaming = true
    const end = (): void => {
      if (socket.readyState === socket.OPEN) socket.send('', { fin: true, binary: false })
      proceed()
    }
    const sink: BodySink = {
      write(chunk, done) {
        // An error for each part of a closed socket would cost more than the parts.
        if (chunk.length === 0 || socket.readyState !== socket.OPEN) done()
        else socket.send(chunk, { fin: false, binary: false }, () => done())
      },
      isClosed: () => socket.readyState !== socket.OPEN,
      end,
      abort() {
        socket.terminate()
        proceed()
      },
    }
    body(sink)
  }

  socket.on('close', () => {
    // What waits ends at once, so that nobody waits for it: a closed socket takes no bytes.
    const left = waiting
    waiting = []
    for (const send of left) send()
  })

  return {
    send(text, sent) {
      outgoing.check(connection)
      if (unsent() > MAX_UNREAD_BYTES) socket.terminate()
      else if (!isStreaming) sendNow(text, sent)
      else {
        waitingBytes += text.length
        outgoing.hold(connection, text.length)
        waiting.push(() => {
          waitingBytes -= text.length
          outgoing.hold(connection, -text.length)
          sendNow(text, sent)
        })
      }
    },
    stream(body) {
      outgoing.check(connection)
      if (isStreaming) waiting.push(() => begin(body))
      else begin(body)
    },
    unsent,
  }
}
