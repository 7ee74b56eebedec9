/** Requests that offer an upgrade to another protocol than WebSocket: the offer is ignored (RFC 9110 §7.8). */
import { IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Whether a request asks for WebSocket. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.trim().toLowerCase() === 'websocket'
}

/** Returns the length of a body; undefined if the request does not name it in a header. */
function bodyLength({ headers }: IncomingMessage): number | undefined {
  if (headers['transfer-encoding'] !== undefined) return undefined
  return Number(headers['content-length'] ?? 0)
}

/** Pushes a body, which begins with `head`, from a connection that no parser reads. */
function pushBody(to: IncomingMessage, socket: Socket, head: Buffer, length: number): void {
  let left = length
  const take = (chunk: Buffer): void => {
    const part = chunk.subarray(0, left)
    left -= part.length
    if (part.length > 0) to.push(part)
    if (left > 0) return
    socket.off('data', take)
    // An incomplete message would destroy its connection when it has been read.
    to.complete = true
    to.push(null)
  }
  socket.on('data', take)
  take(head)
}

/**
 * Answers a request as if it offered no upgrade, and closes its connection afterwards. Node.js has parsed its head only; a body
 * without a length is refused with 411.
 */
export function answerWithoutUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Socket,
  { head, timeoutMs }: { readonly head: Buffer; readonly timeoutMs: number },
): void {
  // A client can disconnect before it receives the answer.
  socket.on('error', () => socket.destroy())
  const length = bodyLength(request)
  if (length === undefined) {
    socket.end('HTTP/1.1 411 Length Required\r\nConnection: close\r\n\r\n')
    return
  }
  const plain = new IncomingMessage(socket)
  const { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers } = request
  Object.assign(plain, { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers })
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  plain.once('end', () => clearTimeout(timer))
  socket.once('close', () => {
    clearTimeout(timer)
    plain.destroy()
  })
  const response = new ServerResponse(plain)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => socket.end())
  pushBody(plain, socket, head, length)
  server.emit('request', plain, response)
}
