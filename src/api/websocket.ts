/** Sends to WebSocket clients, which can stop reading. */
import type { WebSocket } from 'ws'

/** Limit of the bytes that wait for a client; a client that reads too slowly to stay under it is disconnected. */
const MAX_UNREAD_BYTES = 32_000_000

/** Sends a text, or disconnects a client that does not read. Does nothing once the socket is closing. */
export function sendText(socket: WebSocket, text: string): void {
  if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
  else if (socket.readyState === socket.OPEN) socket.send(text)
}
