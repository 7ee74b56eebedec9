/** gRPC-web, by which browsers call the gRPC services, on the port of REST (docs/gateways.md#grpc-web). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DescMethod } from '@bufbuild/protobuf'
import { Health } from '../../gen/grpc/health/v1/health_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import { toChainError } from '../errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { type Family, namesOf } from '../names.ts'
import { selectHeight } from '../rest/height-selection.ts'
import { queriedServicesOf } from '../services/queried.ts'
import { STATUS_HEADERS } from '../status-headers.ts'
import { createCors, PREFLIGHT_SECONDS, REQUEST_HEADERS } from '../transport/cors.ts'
import { abortOf, bodySinkOf, parseGrpcTimeout, takeBytes } from '../transport/http.ts'
import type { SharedPort } from '../transport/http-server.ts'
import { tooManyRequests } from '../transport/rate-limit.ts'
import { createRequestIds, REQUEST_ID_HEADER } from '../transport/request-ids.ts'
import { createPause } from '../transport/slices.ts'
import { shareOf } from '../transport/turns.ts'
import { answerCall, type CallAnswer, failureOf, HEIGHT_NAMES } from './call.ts'
import { createHealthSource } from './grpc-health.ts'
import { answerFrames, encodingOf, messageFrame, readMessage, trailersFrame } from './web-frames.ts'

const EXPOSED = [
  'grpc-status',
  'grpc-message',
  'grpc-status-details-bin',
  ...STATUS_HEADERS.map((name) => name.toLowerCase()),
  ...HEIGHT_NAMES,
  REQUEST_ID_HEADER.toLowerCase(),
]
const CHECK = `/${Health.typeName}/Check`
const WATCH = `/${Health.typeName}/Watch`
const METHODS = 'POST, OPTIONS'

interface Target {
  readonly method: DescMethod
  readonly family: Family
}

/** Creates the gateway of a node. Requests count in the budgets of the HTTP server that they arrive at. */
export function createGrpcWeb(node: GatewayNode): SharedPort {
  const names = namesOf(node.identity)
  const health = createHealthSource(node, names)
  const idOf = createRequestIds()
  const targets = new Map<string, Target>()
  for (const service of queriedServicesOf(node.identity)) {
    for (const name of names.accepted(service.typeName)) {
      const family = names.familyOf(name, service.typeName)
      for (const method of service.methods) targets.set(`/${name}/${method.name}`, { method, family })
    }
  }
  const cors = createCors({
    origins: node.settings.corsOrigins,
    exposed: EXPOSED,
    requestHeaders: REQUEST_HEADERS,
    preflightSeconds: PREFLIGHT_SECONDS,
  })

  const isServed = (path: string): boolean => targets.has(path) || path === CHECK || path === WATCH

  function answer(path: string, req: IncomingMessage, res: ServerResponse, body: Buffer, reply: Reply): void {
    const request = readMessage(body, reply.isText)
    if (path === CHECK) {
      reply.end([], answerFrames({ headers: [], bytes: health.check(request) }))
      return
    }
    if (path === WATCH) {
      const stop = health.watch(
        request,
        (status) => reply.write(messageFrame(status)),
        () => reply.end([], trailersFrame()),
      )
      res.once('close', stop)
      return
    }
    const target = targets.get(path)
    if (!target) throw queryError('unimplemented', `unknown method ${path}`)
    const timeout = req.headers['grpc-timeout']
    const requestId = idOf(req.headers['x-request-id'])
    void answerCall(node, target.method, target.family, {
      requestId,
      request,
      height: () => selectHeight(req.headers, undefined),
      signal: abortOf(res).signal,
      timeoutMs: timeout === undefined ? undefined : parseGrpcTimeout(String(timeout)),
      pause: createPause(shareOf(req.socket)),
    }).then((done) => reply.end([[REQUEST_ID_HEADER, requestId], ...done.headers], answerFrames(done)))
  }

  return {
    handle(req, res) {
      const path = pathOf(req.url!)
      const { origin } = req.headers
      if (req.method === 'OPTIONS') {
        if (!isServed(path)) return false
        const allowed = cors.headers(origin)
        const preflight = allowed.length === 0 ? [] : cors.preflight(METHODS)
        res.writeHead(204, ['Allow', METHODS, 'Vary', 'origin', ...allowed, ...preflight]).end()
        return true
      }
      const encoding = encodingOf(req.headers['content-type'])
      if (req.method !== 'POST' || encoding === undefined) return false
      const reply = createReply(res, encoding === 'text', cors.headers(origin))
      const fail = (error: unknown, headers: Headers = []): void => {
        node.observe?.({ gateway: 'grpc', operation: '', status: toChainError(error).status })
        reply.end(headers, trailersFrame(failureOf(node, path, error)))
      }
      takeBytes(
        req,
        node.settings.bodyLimitBytes,
        node.outgoing,
        (body) => {
          try {
            const waitMs = node.rates.take(node.clientAddress(req.socket.remoteAddress, req.headers['x-forwarded-for']))
            if (waitMs !== undefined) throw tooManyRequests(waitMs)
            answer(path, req, res, body, reply)
          } catch (error) {
            fail(error)
          }
        },
        (error) => fail(error, [['Connection', 'close']]),
      )
      return true
    },
    close: () => health.close(),
  }
}

/** Name and value of each header. */
type Headers = CallAnswer['headers']

/** An answer under way. Its HTTP status is 200: the trailers have the status of the call. */
interface Reply {
  readonly isText: boolean
  /** Sends frames that others follow. A client that does not read loses its stream. */
  write(frames: Buffer): void
  /** Sends the last frames, with headers if none were sent. */
  end(headers: Headers, frames: Buffer): void
}

/** Bytes of a stream that wait for its client. Beyond: the stream is closed. */
const MAX_WAITING_BYTES = 64 * 1024

function createReply(res: ServerResponse, isText: boolean, cors: readonly string[]): Reply {
  const type = `application/grpc-web${isText ? '-text' : ''}+proto`
  const encode = (frames: Buffer): Buffer => (isText ? Buffer.from(frames.toString('base64'), 'latin1') : frames)
  const open = (headers: Headers): void => {
    if (!res.headersSent) res.writeHead(200, ['Content-Type', type, 'Vary', 'origin', ...cors, ...headers.flat()])
  }
  const sink = bodySinkOf(res)
  return {
    isText,
    write(frames) {
      open([])
      if (res.writableLength > MAX_WAITING_BYTES) sink.abort()
      else sink.write(encode(frames), () => {})
    },
    end(headers, frames) {
      if (res.destroyed || res.writableEnded) return
      open(headers)
      res.end(encode(frames))
    },
  }
}

/** Returns the path of a target. */
function pathOf(target: string): string {
  const mark = target.indexOf('?')
  return mark < 0 ? target : target.slice(0, mark)
}
