/** Requests over plain sockets, in a process of their own: a client that costs less than the server that it measures. */
import { connect } from 'node:net'

export interface RawLoad {
  readonly port: number
  /** Paths to get in turn, or bodies to post to `/`. */
  readonly paths?: readonly string[]
  readonly bodies?: readonly string[]
  readonly connections: number
  readonly seconds: number
}

export interface RawAnswers {
  readonly perSecond: number
  /** Bytes in the body of an answer, in the mean. */
  readonly bytes: number
  /** Answers with another status than 200, and JSON-RPC errors. */
  readonly failed: number
}

function requestOf(port: number, path: string, body?: string): Buffer {
  const head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`
  if (body === undefined) return Buffer.from(`${head}\r\n`)
  return Buffer.from(
    `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Keeps one request open on each connection for the given time. Rejects if a connection fails. */
export async function rawLoad({ port, paths = [], bodies = [], connections, seconds }: RawLoad): Promise<RawAnswers> {
  const requests = [...paths.map((path) => requestOf(port, path)), ...bodies.map((body) => requestOf(port, '/', body))]
  let [next, answers, bytes, failed] = [0, 0, 0, 0]
  const started = performance.now()
  const end = started + seconds * 1000
  const keep = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      let waiting = Buffer.alloc(0)
      const send = () => {
        if (performance.now() >= end) return void socket.end(() => resolve())
        socket.write(requests[next++ % requests.length]!)
      }
      socket.on('connect', send).on('error', reject)
      socket.on('data', (piece) => {
        waiting = waiting.length === 0 ? piece : Buffer.concat([waiting, piece])
        const headEnd = waiting.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const head = waiting.toString('latin1', 0, headEnd)
        const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
        if (Number.isNaN(length)) return void reject(new Error(`an answer without content-length: ${head}`))
        if (waiting.length < headEnd + 4 + length) return
        if (!head.startsWith('HTTP/1.1 200') || waiting.includes('"error":{')) failed++
        answers++
        bytes += length
        waiting = Buffer.alloc(0)
        send()
      })
    })
  await Promise.all(Array.from({ length: connections }, keep))
  return { perSecond: (answers * 1000) / (performance.now() - started), bytes: bytes / answers, failed }
}
