/** Bodies over HTTP: read with a limit, sent compressed where that is worth it. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  constants,
  gzip,
  gzipSync,
  type ZlibOptions,
} from 'node:zlib'
import { queryError } from '../primitives/errors.ts'
import type { BodySink } from './spool.ts'

const COMPRESS_FROM_BYTES = 1024
/** What takes a millisecond to compress; more goes to the threads that the library has for it. */
const COMPRESS_AT_ONCE_BYTES = 64 * 1024

const gzipAsync = promisify<string, ZlibOptions, Buffer>(gzip)
const brotliAsync = promisify<string, BrotliOptions, Buffer>(brotliCompress)
const GZIP = { level: 4 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const CODECS = {
  gzip: { now: (text: string) => gzipSync(text, GZIP), elsewhere: (text: string) => gzipAsync(text, GZIP) },
  br: {
    now: (text: string) => brotliCompressSync(text, BROTLI),
    elsewhere: (text: string) => brotliAsync(text, BROTLI),
  },
}
type Encoding = keyof typeof CODECS

/**
 * How long a connection may rest between two requests, on every port that speaks HTTP. Longer than clients and balancers
 * keep theirs (60 s is usual), so that they end it: where the server does, a request may be on its way, and is lost.
 */
export const IDLE_TIMEOUT_MS = 120_000

/** A body with the headers that belong to it, as name and value in turn. */
export interface Payload {
  readonly text: string
  readonly sizeBytes: number
  readonly headers: readonly string[]
  /** Method that the answer is of; for counting. */
  readonly operation?: string
  /** Filled when a client first asks for it. */
  gzip?: Buffer
  br?: Buffer
}

export function createPayload(text: string, headers: readonly string[], operation?: string): Payload {
  const sizeBytes = Buffer.byteLength(text)
  const all = sizeBytes < COMPRESS_FROM_BYTES ? headers : headers.concat('Vary', 'Accept-Encoding')
  return { text, sizeBytes, headers: all, ...(operation === undefined ? {} : { operation }) }
}

/** Whether a client holds the answer already (RFC 9110 §13.1.2): proxies mark its tag as weak, and may send several. */
export function isHeld(asked: string, { headers }: Payload): boolean {
  const at = headers.indexOf('ETag')
  if (at < 0) return false
  const tag = headers[at + 1]
  return asked.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)
}

/** What a client takes: gzip first, since it costs least. */
function encodingOf(req: IncomingMessage, payload: Payload): Encoding | undefined {
  if (payload.sizeBytes < COMPRESS_FROM_BYTES) return undefined
  const accepted = req.headers['accept-encoding']
  if (typeof accepted !== 'string') return undefined
  if (takes(accepted, 'gzip')) return 'gzip'
  return takes(accepted, 'br') ? 'br' : undefined
}

function takes(accepted: string, encoding: string): boolean {
  const match = new RegExp(`(?:^|[\\s,])${encoding}(?:\\s*;\\s*q=([\\d.]+))?(?:$|[\\s,])`).exec(accepted)
  return match !== null && Number(match[1] ?? 1) !== 0
}

/** Sends a payload with further headers. `HEAD` gets the same without the body. */
export function sendPayload(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  payload: Payload,
  extra: readonly string[],
): void {
  if (status === 204 || status === 304) {
    res.writeHead(status, payload.headers.concat(extra))
    res.end()
    return
  }
  const encoding = encodingOf(req, payload)
  if (encoding === undefined) {
    res.writeHead(status, payload.headers.concat(extra, 'Content-Length', String(payload.sizeBytes)))
    // Text goes out with the head in one write; a buffer would take two.
    res.end(payload.text)
    return
  }
  const send = (body: Buffer): void => {
    if (res.destroyed) return
    const headers = ['Content-Encoding', encoding, 'Content-Length', String(body.length)]
    res.writeHead(status, payload.headers.concat(extra, headers))
    res.end(body)
  }
  const known = payload[encoding]
  if (known) send(known)
  else if (payload.sizeBytes <= COMPRESS_AT_ONCE_BYTES)
    send(keep(payload, encoding, CODECS[encoding].now(payload.text)))
  else {
    CODECS[encoding].elsewhere(payload.text).then(
      (body) => send(keep(payload, encoding, body)),
      () => res.destroy(),
    )
  }
}

function keep(payload: Payload, encoding: Encoding, body: Buffer): Buffer {
  payload[encoding] = body
  return body
}

/** A response as the end of a body that is made in pieces: it takes more when it has sent what it has, or is gone. */
export function bodySinkOf(res: ServerResponse): BodySink {
  const unsent = new Set<() => void>()
  res.once('close', () => {
    for (const finish of unsent) finish()
  })
  return {
    write(piece, done) {
      if (res.destroyed || piece.length === 0) {
        done()
        return
      }
      const finish = (): void => {
        if (unsent.delete(finish)) done()
      }
      unsent.add(finish)
      if (typeof piece === 'string') res.write(piece, 'latin1', finish)
      else res.write(piece, finish)
    },
    end: () => res.end(),
    abort: () => res.destroy(),
  }
}

/** What a client may still send of a body that is too large, as multiples of the limit, before it is cut off. */
const DRAIN_TIMES = 4

/**
 * Calls `take` with the text of a request body, or `refuse` with `resourceExhausted` beyond the limit: after the body, so that
 * the client has ended its part and reads the answer, unless the body is larger by far. One of them, once.
 */
export function takeBody(
  req: IncomingMessage,
  limitBytes: number,
  take: (body: string) => void,
  refuse: (error: Error) => void,
): void {
  const tooLarge = () => queryError('resourceExhausted', `request body larger than ${limitBytes} bytes`)
  let chunks: Buffer[] = []
  let size = 0
  let isOver = false
  const end = (tell: () => void): void => {
    if (isOver) return
    isOver = true
    tell()
  }
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limitBytes) chunks.push(chunk)
    else chunks = []
    if (size <= limitBytes * DRAIN_TIMES) return
    req.pause()
    end(() => refuse(tooLarge()))
  })
  req.on('end', () =>
    end(() => {
      if (size > limitBytes) refuse(tooLarge())
      else take(chunks.length === 1 ? chunks[0]!.toString('utf8') : Buffer.concat(chunks).toString('utf8'))
    }),
  )
  req.on('error', (error) => end(() => refuse(error)))
  req.on('close', () => {
    if (!req.complete) end(() => refuse(queryError('cancelled', 'the client has gone')))
  })
}

/** As `takeBody`, for those who wait for it. */
export function readBody(req: IncomingMessage, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => takeBody(req, limitBytes, resolve, reject))
}

const CLOSE_MS = 1000

/**
 * Closes a server: no one new is let in, idle connections end at once, and who waits for an answer has a second for it. The
 * sockets that were taken over from it, such as those of WebSocket, are closed likewise.
 */
export function closeServer(server: Server, sockets: Iterable<Closable> = []): Promise<void> {
  return new Promise((resolve) => {
    const open = [...sockets]
    const force = setTimeout(() => {
      server.closeAllConnections()
      for (const socket of open) socket.terminate()
    }, CLOSE_MS)
    server.close(() => {
      clearTimeout(force)
      resolve()
    })
    server.closeIdleConnections()
    // What is being answered in this turn of the loop still leaves.
    setImmediate(() => {
      for (const socket of open) socket.close()
    })
  })
}

interface Closable {
  close(): void
  terminate(): void
}

const TIMEOUT = /^(\d{1,8})([HMSmun])$/
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** Milliseconds of a `Grpc-Timeout` header; undefined if it is none. */
export function parseGrpcTimeout(text: string): number | undefined {
  const match = TIMEOUT.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2]!]! : undefined
}
