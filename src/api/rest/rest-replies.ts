/** REST replies: an answer or an error as a status, a payload and its headers. */
import type { Message } from '@bufbuild/protobuf'
import { type ChainError, queryError, type Status } from '../../primitives/errors.ts'
import { errorBody, STATUS_CODES, toChainError } from '../errors.ts'
import type { GatewayNode, QueryAnswer } from '../gateway.ts'
import { createJsonWriter, type JsonWriter } from '../json.ts'
import { writePieces } from '../long-json.ts'
import { isLong, messagePieces } from '../long-messages.ts'
import { type Family, namesOf } from '../names.ts'
import { createPayload, matchesEtag, type Payload } from '../transport/http.ts'
import type { StreamedBody } from '../transport/spool.ts'
import { type HeightSource, JSON_TYPE, type RestHeaders } from './rest-headers.ts'
import type { RestReply, RestRequest } from './rest-message.ts'
import type { Route } from './routes.ts'

interface FailureOptions {
  /** Height that was read. */
  readonly height?: bigint | undefined
  /** HTTP status, if it is not that of the error. */
  readonly status?: number
  /** Further headers, as name and value in turn. */
  readonly headers?: readonly string[]
}

/** `operation` is the full name of a method, or empty if no operation was found. */
export interface RestReplies {
  /** Returns a reply with the common headers, and reports its outcome to the node. */
  reply(request: RestRequest, operation: string, status: number, payload: Payload, outcome?: 'ok' | Status): RestReply
  /** Returns the reply to an expected failure. */
  failure(request: RestRequest, operation: string, error: ChainError, options?: FailureOptions): RestReply
  /** Returns the reply to any thrown value. Logs a value that is no `ChainError`. */
  failed(request: RestRequest, thrown: unknown): RestReply
  /** Returns the payload of an answer; one without its text for a response with long fields. */
  payloadOf(route: Route, answer: QueryAnswer & { ok: true }, source: HeightSource): Payload
  /** Returns the body of a response with long fields. It is made while it is sent, until the client disconnects. */
  longBody(request: RestRequest, route: Route, response: Message): StreamedBody
  /** Returns a payload with status 200, or 304 if the client has it already. */
  success(request: RestRequest, payload: Payload): RestReply
}

export function createRestReplies(node: GatewayNode, headers: RestHeaders): RestReplies {
  const writers = new Map<Family, JsonWriter>()
  const writerOf = (family: Family): JsonWriter => {
    const known = writers.get(family) ?? createJsonWriter(node.identity, family)
    writers.set(family, known)
    return known
  }
  const writer = writerOf(namesOf(node.identity).active)

  function reply(
    request: RestRequest,
    operation: string,
    status: number,
    payload: Payload,
    outcome: 'ok' | Status = 'ok',
  ): RestReply {
    node.observe?.({ gateway: 'rest', operation, status: outcome, startedMs: request.startedMs })
    return { status, payload, headers: headers.common(request, payload) }
  }

  function failure(request: RestRequest, operation: string, error: ChainError, extra: FailureOptions = {}): RestReply {
    const shown =
      error.status === 'internal' ? queryError('internal', `${error.message} (request ${request.id})`) : error
    const status = extra.status ?? STATUS_CODES[error.status].http
    const own = [...JSON_TYPE, 'Cache-Control', 'no-store', ...headers.ofHeight(extra.height), ...(extra.headers ?? [])]
    if (status === 429 || status === 503) own.push('Retry-After', '1')
    if (status === 401) own.push('WWW-Authenticate', 'Bearer')
    const sent = reply(request, operation, status, createPayload(errorBody(writer, shown), own), error.status)
    return { ...sent, error: shown }
  }

  return {
    reply,
    failure,
    failed(request, thrown) {
      const error = toChainError(thrown)
      if (error !== thrown) {
        const stack = thrown instanceof Error ? thrown.stack : String(thrown)
        node.log('error', 'a request failed', { target: request.target, request: request.id, error: stack })
      }
      return failure(request, '', error)
    },
    payloadOf(route, answer, source) {
      const own = route.isStateQuery
        ? headers.ofState(answer.height, source)
        : [...JSON_TYPE, ...headers.ofHeight(answer.height), 'Cache-Control', 'no-cache']
      const further = Object.entries(answer.headers ?? {})
        .flat()
        .concat(route.operationHeaders)
      const text =
        !route.isStateQuery && isLong(answer.response)
          ? ''
          : writerOf(route.family).of(route.rpc.output)(answer.response)
      return createPayload(text, further.length > 0 ? own.concat(further) : own, route.method)
    },
    longBody(request, route, response) {
      const { signal } = request.createAbort()
      const pieces = messagePieces(writerOf(route.family), route.rpc.output, response)
      return (sink) => {
        writePieces(pieces, sink.write, signal).then(sink.end, (error: unknown) => {
          if (!signal.aborted) node.log('error', 'an answer failed', { request: request.id, error: String(error) })
          sink.abort()
        })
      }
    },
    success(request, payload) {
      const asked = request.headers['if-none-match']
      const unchanged = typeof asked === 'string' && matchesEtag(asked, payload)
      return reply(request, payload.operation ?? '', unchanged ? 304 : 200, payload)
    },
  }
}
