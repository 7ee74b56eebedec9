/** HTTP bodies: read up to a limit, and compressed if that saves time. */
import type { IncomingMessage, ServerResponse } from 'node:http'
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
import { queryError } from '../../primitives/errors.ts'
import { DISCONNECTED } from '../disconnected.ts'
import { bodyRoom } from './body-room.ts'
import type { Outgoing } from './outgoing.ts'
import { noteClient } from './slices.ts'
import type { BodySink } from './spool.ts'
import { shareOf, turns } from './turns.ts'

const COMPRESS_FROM_BYTES = 1024
/** Size that takes about a millisecond to compress; larger bodies are compressed on the thread pool of zlib. */
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

/** A body and its headers, as name and value in turn. */
export interface Payload {
  readonly text: string
  readonly sizeBytes: number
  readonly headers: readonly string[]
  /** Method of the answer; for counting. */
  readonly operation?: string
  /** Compressed bodies, filled at the first request for each. */
  gzip?: Buffer
  br?: Buffer
}

export function createPayload(text: string, headers: readonly string[], operation?: string): Payload {
  const sizeBytes = Buffer.byteLength(text)
  return { text, sizeBytes, headers, ...(operation === undefined ? {} : { operation }) }
}

/** Whether the client has the answer already (RFC 9110 §13.1.2). Proxies mark tags as weak, and can send several. */
export function matchesEtag(asked: string, { headers }: Payload): boolean {
  const at = headers.indexOf('ETag')
  if (at < 0) return false
  const tag = headers[at + 1]
  return asked.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag)
}

/** Returns the encoding for a client; gzip if it can choose, since that is fastest. */
function encodingOf(req: IncomingMessage, payload: Payload): Encoding | undefined {
  if (payload.sizeBytes < COMPRESS_FROM_BYTES) return undefined
  if (accepts(req, 'gzip')) return 'gzip'
  return accepts(req, 'br') ? 'br' : undefined
}

/** Whether a client accepts an encoding of bodies (RFC 9110 §12.5.3). */
export function accepts({ headers }: IncomingMessage, encoding: Encoding): boolean {
  const accepted = headers['accept-encoding']
  if (typeof accepted !== 'string') return false
  const match = new RegExp(`(?:^|[\\s,])${encoding}(?:\\s*;\\s*q=([\\d.]+))?(?:$|[\\s,])`).exec(accepted)
  return match !== null && Number(match[1] ?? 1) !== 0
}

/** Sends a payload with further headers. Node.js drops the body of an answer to `HEAD`. */
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
    // A text is sent with the head in one write; a buffer would take two.
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

/** Creates a controller that aborts if the client disconnects before its answer is sent. Long work of its signal counts for the client. */
export function abortOf(response: ServerResponse): AbortController {
  const gone = new AbortController()
  noteClient(gone.signal, shareOf(response.req.socket).address)
  const abort = (): void => {
    if (!response.writableFinished) gone.abort()
  }
  if (response.destroyed) abort()
  else response.once('close', abort)
  return gone
}

/** Returns a response as the receiver of a streamed body. It calls `done` when a chunk is sent, or the client disconnects. */
export function bodySinkOf(res: ServerResponse): BodySink {
  const unsent = new Set<() => void>()
  res.once('close', () => {
    for (const finish of unsent) finish()
  })
  return {
    write(chunk, done) {
      if (res.destroyed || chunk.length === 0) {
        done()
        return
      }
      const finish = (): void => {
        if (unsent.delete(finish)) done()
      }
      unsent.add(finish)
      if (typeof chunk === 'string') res.write(chunk, 'latin1', finish)
      else res.write(chunk, finish)
    },
    isClosed: () => res.destroyed,
    end: () => res.end(),
    abort: () => res.destroy(),
  }
}

/**
 * Returns why a request body cannot be read: it is compressed, and a short one could become as long as its sender likes.
 * Undefined for a plain body. The status of such a refusal is 415 (RFC 9110 §8.4).
 */
export function refusedEncoding(headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const coding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase()
  return coding === '' || coding === 'identity'
    ? undefined
    : `Content-Encoding ${JSON.stringify(coding)} of a request is not supported: send the body as it is`
}

/** Maximum size of a body that is read and discarded before its client is refused, as a multiple of the limit. */
const DRAIN_TIMES = 4

/** Size of a body that is read at once: it arrives in one or two parts. */
const SHORT_BODY_BYTES = 64 * 1024

/** Returns the size that a body has room for until it has arrived. One of unknown size can have the limit. */
function announcedBytes({ headers }: IncomingMessage, limitBytes: number): number {
  const length = headers['content-length']
  return length === undefined ? limitBytes : Math.min(Number(length), limitBytes)
}

/**
 * Calls `take` once with a request body, or `refuse` once with the error. A body over the limit is refused with
 * `resourceExhausted` after it has been read, so that the client reads the answer; a far larger one is refused at once. A
 * client that disconnects is `cancelled`. The bytes of an unfinished body count as bytes that wait for its client. A long body is
 * read when there is room for it.
 */
export function takeBytes(
  req: IncomingMessage,
  limitBytes: number,
  outgoing: Outgoing,
  take: (body: Buffer) => void,
  refuse: (error: Error) => void,
): void {
  const tooLarge = () => queryError('resourceExhausted', `request body larger than ${limitBytes} bytes`)
  let chunks: Buffer[] = []
  let size = 0
  let held = 0
  let isOver = false
  const hold = (bytes: number): void => {
    if (bytes === held) return
    outgoing.hold(req.socket, bytes - held)
    held = bytes
  }
  let leave = (): void => {}
  const gone = (): void => end(() => refuse(DISCONNECTED))
  const end = (report: () => void): void => {
    if (isOver) return
    isOver = true
    req.socket.off('close', gone)
    hold(0)
    leave()
    report()
    // The request lives as long as its answer, and on a connection that stays open until the next one.
    chunks = []
  }
  const onData = (chunk: Buffer): void => {
    size += chunk.length
    if (size <= limitBytes) chunks.push(chunk)
    else chunks = []
    // Short bodies arrive whole.
    if (chunks.length > 1 || held > 0) {
      hold(chunks.length === 0 ? 0 : size)
      outgoing.check(req.socket)
    }
    if (size <= limitBytes * DRAIN_TIMES) return
    req.pause()
    end(() => refuse(tooLarge()))
  }
  req.on('end', () =>
    turns.run(shareOf(req.socket), () =>
      end(() => {
        if (req.socket.destroyed) refuse(DISCONNECTED)
        else if (size > limitBytes) refuse(tooLarge())
        else take(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
      }),
    ),
  )
  req.on('error', gone)
  req.on('close', () => {
    if (!req.complete) gone()
  })
  const announced = announcedBytes(req, limitBytes)
  const begin = (): void => void req.on('data', onData)
  if (announced <= SHORT_BODY_BYTES) begin()
  else {
    leave = bodyRoom.enter(req.socket.remoteAddress ?? '', announced, begin)
    // A long body that waits for its turn goes with its client.
    req.socket.once('close', gone)
  }
}

/** Takes the text of a request body, like `takeBytes`. */
export function takeBody(
  req: IncomingMessage,
  limitBytes: number,
  outgoing: Outgoing,
  take: (body: string) => void,
  refuse: (error: Error) => void,
): void {
  takeBytes(req, limitBytes, outgoing, (body) => take(body.toString('utf8')), refuse)
}

/** Reads a body like `takeBody`, as a promise. */
export function readBody(req: IncomingMessage, limitBytes: number, outgoing: Outgoing): Promise<string> {
  return new Promise((resolve, reject) => {
    const take = (body: string): void => {
      // Its turn ends with this function, and the work begins after it.
      turns.follow(shareOf(req.socket))
      resolve(body)
    }
    takeBody(req, limitBytes, outgoing, take, reject)
  })
}

const TIMEOUT = /^(\d{1,8})([HMSmun])$/
const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** Parses a `Grpc-Timeout` header into milliseconds; undefined for a malformed one. */
export function parseGrpcTimeout(text: string): number | undefined {
  const match = TIMEOUT.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2]!]! : undefined
}
