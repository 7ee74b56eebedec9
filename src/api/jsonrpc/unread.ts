/** Answers to WebSocket clients, who may stop reading them. */
import type { WebSocket } from 'ws'

/** A client that reads too slowly to keep the bytes waiting for it under this is cut off. */
const MAX_UNREAD_BYTES = 32_000_000

/** Sends a text, unless the client leaves: by itself, or cut off because it does not read. */
export function sendText(socket: WebSocket, text: string): void {
  if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate()
  else if (socket.readyState === socket.OPEN) socket.send(text)
}
