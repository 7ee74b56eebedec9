/** One REST request to one reply, without a network: descriptors at one end, a status and a payload at the other. */
import { create, type DescMethod } from '@bufbuild/protobuf'
import { services } from '../identity/registry.ts'
import { formatHex, parseBase64 } from '../primitives/bytes.ts'
import { type ChainError, queryError, type Status } from '../primitives/errors.ts'
import { heightHeaderNames, selectHeight } from './asked-height.ts'
import { createCors } from './cors.ts'
import { errorBody, STATUS_CODES, toChainError, violation } from './errors.ts'
import { decide, OPERATION_HEADER, operationHeaders } from './fee-shares.ts'
import type { GatewayNode, QueryAnswer, QueryCall } from './gateway.ts'
import { HALTED_HEADER, haltedHeader } from './halted.ts'
import { createPayload, isHeld, type Payload, parseGrpcTimeout } from './http.ts'
import { createJsonWriter } from './json.ts'
import { createResponseCache } from './rest-cache.ts'
import { createPages, type ExtraPage } from './rest-pages.ts'
import { type BoundRequest, bindRequest } from './rest-request.ts'
import { createRouter, type Match, type Route } from './routes.ts'
import { createBase64Encoder, createSpool, type StreamedBody } from './spool.ts'
import { isTrace } from './traces.ts'

export interface RestOptions {
  /** Memory for kept answers; 0 keeps none. 16 MiB by default. */
  readonly cacheBytes?: number
  /** Further pages, such as `/healthz`; asked where no route has the path. */
  readonly extra?: ExtraPage
  /** The methods that are mounted; all by default. */
  readonly rpcs?: readonly DescMethod[]
}

interface RestRequest {
  readonly verb: string
  /** Path and query, still encoded. */
  readonly target: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly id: string
  /** Text of the body. Rejects `resourceExhausted` beyond the limit. */
  readonly body: () => Promise<string>
  /** Called once if the client goes away first. */
  readonly onClose: (listener: () => void) => void
}

export interface RestReply {
  readonly status: number
  readonly payload: Payload
  /** Headers of this very reply, as name and value in turn. */
  readonly headers: readonly string[]
  /** A body that is written while it is made, in place of the payload's text. */
  readonly stream?: StreamedBody
}

/** Never throws and never rejects: what goes wrong is a reply. A promise only where the answer takes one. */
export type Respond = (request: RestRequest) => RestReply | Promise<RestReply>

const DEFAULT_CACHE_BYTES = 16 * 1024 * 1024
const JSON_TYPE = ['Content-Type', 'application/json'] as const
const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createRestResponder(node: GatewayNode, options: RestOptions = {}): Respond {
  const { identity } = node
  const writer = createJsonWriter(identity)
  const router = createRouter(identity, options.rpcs ?? services.flatMap((service) => service.methods))
  const pages = createPages(node, router, options.extra)
  const cache = createResponseCache(options.cacheBytes ?? DEFAULT_CACHE_BYTES)
  const heightNames = heightHeaderNames(identity)
  const cors = createCors(node.settings.corsOrigins, [...heightNames, OPERATION_HEADER, HALTED_HEADER])
  const observe = node.observe ?? (() => {})

  let clock = { seconds: -1, text: '' }
  function serverTime(): string {
    const seconds = Math.floor(node.now() / 1000)
    if (seconds !== clock.seconds) clock = { seconds, text: String(seconds) }
    return clock.text
  }

  /** Adds the headers that every reply carries. */
  function reply(
    request: RestRequest,
    operation: string,
    status: number,
    payload: Payload,
    outcome: 'ok' | Status = 'ok',
  ): RestReply {
    observe(operation, outcome)
    const common = ['X-Server-Time', serverTime(), 'X-Request-Id', request.id]
    const halted = haltedHeader(node.driver)
    if (halted) common.push(...halted)
    const origin = request.headers['origin']
    return { status, payload, headers: origin === undefined ? common : common.concat(cors.headers(String(origin))) }
  }

  function heightHeaders(height: bigint | undefined): readonly string[] {
    if (height === undefined) return []
    const text = height.toString()
    return heightNames.flatMap((name) => [name, text])
  }

  function failure(
    request: RestRequest,
    operation: string,
    error: ChainError,
    extra: {
      readonly height?: bigint | undefined
      readonly status?: number
      readonly headers?: readonly string[]
    } = {},
  ): RestReply {
    const shown =
      error.status === 'internal' ? queryError('internal', `${error.message} (request ${request.id})`) : error
    const status = extra.status ?? STATUS_CODES[error.status].http
    const headers = [
      ...JSON_TYPE,
      'Cache-Control',
      'no-store',
      ...heightHeaders(extra.height),
      ...(extra.headers ?? []),
    ]
    if (status === 429 || status === 503) headers.push('Retry-After', '1')
    if (status === 401) headers.push('WWW-Authenticate', 'Bearer')
    return reply(request, operation, status, createPayload(errorBody(writer, shown), headers), error.status)
  }

  /** Whatever was thrown: an expected failure, or a bug, which is logged. */
  function failed(request: RestRequest, thrown: unknown): RestReply {
    const error = toChainError(thrown)
    if (error !== thrown) {
      const stack = thrown instanceof Error ? thrown.stack : String(thrown)
      node.log('error', 'a request failed', { target: request.target, request: request.id, error: stack })
    }
    return failure(request, '', error)
  }

  /** Tells states apart: the height, and the hash of its block, which fixes everything before it. */
  function etagOf(height: bigint): string {
    const hash = node.blocks.header(height)?.hash
    return `"${height}-${hash ? formatHex(hash.subarray(0, 4)) : '0'}"`
  }

  let stateHeaders:
    | { readonly height: bigint; readonly latest: readonly string[]; readonly pinned: readonly string[] }
    | undefined
  /** Headers of every answer read from the state of one height. */
  function headersOfState(height: bigint, pinned: boolean): readonly string[] {
    if (stateHeaders?.height !== height) {
      const headers = [...JSON_TYPE, ...heightHeaders(height), 'ETag', etagOf(height), 'Cache-Control']
      stateHeaders = {
        height,
        latest: [...headers, 'no-cache'],
        pinned: [...headers, 'public, max-age=31536000, immutable'],
      }
    }
    return pinned ? stateHeaders.pinned : stateHeaders.latest
  }

  function payloadOf(route: Route, answer: QueryAnswer & { ok: true }, pinned: boolean): Payload {
    const headers = route.isStateQuery
      ? headersOfState(answer.height, pinned)
      : [...JSON_TYPE, ...heightHeaders(answer.height), 'Cache-Control', 'no-cache']
    const further = Object.entries(answer.headers ?? {})
      .flat()
      .concat(operationHeaders(route))
    const text = writer.of(route.rpc.output)(answer.response)
    return createPayload(text, further.length > 0 ? headers.concat(further) : headers, route.method)
  }

  function success(request: RestRequest, payload: Payload): RestReply {
    const asked = request.headers['if-none-match']
    const unchanged = typeof asked === 'string' && isHeld(asked, payload)
    return reply(request, payload.operation ?? '', unchanged ? 304 : 200, payload)
  }

  /** `begun`: the number of rollbacks when the request came. */
  function finish(
    request: RestRequest,
    route: Route,
    pinned: boolean,
    begun: number | undefined,
    answer: QueryAnswer,
  ): RestReply {
    if (!answer.ok) {
      const headers = operationHeaders(route)
      return failure(request, route.method, answer.error, { height: answer.height, headers })
    }
    const payload = payloadOf(route, answer, pinned)
    forgetWhatWasTakenBack()
    // Of a state that was taken back meanwhile nothing is kept: another one comes to have its height.
    if (begun !== rollbacks) stateHeaders = undefined
    else if (route.verb === 'GET' && route.isStateQuery && !namesHeight(request)) {
      cache.set(request.target, answer.height, pinned, payload)
    }
    return success(request, payload)
  }

  function ask(request: RestRequest, asked: BoundRequest): RestReply | Promise<RestReply> {
    const pinnedHeight = selectHeight(request.headers, asked.height)
    const { bound, height } = decide(node, asked, pinnedHeight)
    const { route } = bound
    const pinned = pinnedHeight !== undefined
    forgetWhatWasTakenBack()
    const begun = rollbacks
    const finishAnswer = (answer: QueryAnswer): RestReply => finish(request, route, pinned, begun, answer)
    if (route.txService && !node.settings.txServiceEnabled) {
      return failure(request, route.method, queryError('unimplemented', 'the transaction service is off (api.tx)'))
    }
    checkBinaryMetadata(request)
    const timeoutMs = timeoutOf(request)
    const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs
    // A read of state is over before anybody could wish it away.
    const abort = route.isLight ? undefined : new AbortController()
    const call = { method: route.method, request: bound.request, height, signal: abort?.signal, timeoutMs }
    if (isTrace(route.method)) return trace(request, route, call, abort ?? new AbortController(), finishAnswer)
    const answered = node.dispatch(call)
    if (!(answered instanceof Promise)) {
      const late = timeoutMs !== undefined && performance.now() >= deadline
      return late ? failure(request, route.method, deadlineExceeded()) : finishAnswer(answered)
    }
    request.onClose(() => abort?.abort())
    return new Promise((resolve) => {
      const expire = (): void => {
        abort?.abort()
        resolve(failure(request, route.method, deadlineExceeded()))
      }
      const timer = timeoutMs === undefined ? undefined : setTimeout(expire, Math.min(timeoutMs, LONGEST_TIMER_MS))
      answered
        .then((answer) => resolve(finishAnswer(answer)))
        .catch((thrown) => resolve(failed(request, thrown)))
        .finally(() => clearTimeout(timer))
    })
  }

  /** A trace may be long: what does not fit in memory leaves as it comes. */
  async function trace(
    request: RestRequest,
    route: Route,
    call: QueryCall,
    abort: AbortController,
    finishAnswer: (answer: QueryAnswer) => RestReply,
  ): Promise<RestReply> {
    request.onClose(() => abort.abort())
    return new Promise((resolve) => {
      const spool = createSpool(createBase64Encoder(), { before: '{"data":"', after: '"}' }, (stream) => {
        const payload = createPayload('', [...JSON_TYPE, 'Cache-Control', 'no-store'], route.method)
        resolve({ ...reply(request, route.method, 200, payload), stream })
      })
      const settle = async (): Promise<void> => {
        const answer = await node.dispatch({ ...call, onPart: spool.onPart })
        const held = spool.held()
        if (held === undefined) spool.finish(!answer.ok)
        else if (!answer.ok) resolve(finishAnswer(answer))
        else {
          const response = create(route.rpc.output, { data: held } as never)
          resolve(finishAnswer({ ...answer, response }))
        }
      }
      settle().catch((thrown) => {
        spool.finish(true)
        resolve(failed(request, thrown))
      })
    })
  }

  function notFound(request: RestRequest, path: string): RestReply {
    const nearest = router.nearest(path)
    const hint = nearest === undefined ? '' : `; the nearest is ${nearest}`
    return failure(request, '', queryError('notFound', `no route ${path}${hint}`))
  }

  function notAllowed(request: RestRequest, match: Match): RestReply {
    const allow = allowOf(match.routes)
    const error = queryError('unimplemented', `method ${request.verb} is not allowed here: ${allow}`)
    return failure(request, '', error, { status: 405, headers: ['Allow', allow] })
  }

  function describeMethods(request: RestRequest, path: string): RestReply {
    const match = router.match(path)
    if (!match && !pages(path)) return notFound(request, path)
    const allow = match ? allowOf(match.routes) : 'GET, HEAD, OPTIONS'
    const origin = request.headers['origin']
    const headers = ['Allow', allow, ...cors.preflight(origin === undefined ? undefined : String(origin), allow)]
    observe('', 'ok')
    return { status: 204, payload: createPayload('', headers), headers: ['X-Request-Id', request.id] }
  }

  async function withBody(
    request: RestRequest,
    match: Match,
    routes: readonly Route[],
    query: string,
  ): Promise<RestReply> {
    const operation = routes[0]!.method
    const type = request.headers['content-type']
    if (type !== undefined && !/json/i.test(String(type))) {
      return failure(request, operation, violation('content-type', 'application/json expected'), { status: 415 })
    }
    let body: string
    try {
      body = await request.body()
    } catch (thrown) {
      const error = toChainError(thrown)
      if (error.status !== 'resourceExhausted') return failed(request, thrown)
      return failure(request, operation, error, { status: 413, headers: ['Connection', 'close'] })
    }
    try {
      const bound = bindRequest(identity, match, routes, query, { body, strict: isStrict(request) })
      return await (bound ? ask(request, bound) : notFound(request, match.routes[0]!.template))
    } catch (thrown) {
      return failed(request, thrown)
    }
  }

  let rollbacks: number | undefined
  /** A chain that went back has other answers at the same heights. */
  function forgetWhatWasTakenBack(): void {
    const status = node.driver.status()
    if (status.rollbacks === rollbacks) return
    rollbacks = status.rollbacks
    cache.clear()
    stateHeaders = undefined
  }

  /** What is kept, where the target and the height say all that there is to say. */
  function kept(request: RestRequest): Payload | undefined {
    forgetWhatWasTakenBack()
    if (namesHeight(request) || isStrict(request)) return undefined
    if (request.headers['grpc-timeout'] !== undefined) return undefined
    const height = selectHeight(request.headers, undefined)
    return cache.get(request.target, height ?? node.blocks.latestHeight(), height !== undefined)
  }

  function respond(request: RestRequest): RestReply | Promise<RestReply> {
    const { target } = request
    const verb = request.verb === 'HEAD' ? 'GET' : request.verb
    const payload = verb === 'GET' ? kept(request) : undefined
    if (payload) return success(request, payload)
    const mark = target.indexOf('?')
    const path = mark < 0 ? target : target.slice(0, mark)
    const query = mark < 0 ? '' : target.slice(mark + 1)
    if (verb === 'OPTIONS') return describeMethods(request, path)
    const match = router.match(path)
    if (!match) {
      const page = verb === 'GET' ? pages(path) : undefined
      return page ? reply(request, '', page.status, page.payload) : notFound(request, path)
    }
    const routes = match.routes.filter((route) => route.verb === verb)
    if (routes.length === 0) return notAllowed(request, match)
    if (verb !== 'GET') return withBody(request, match, routes, query)
    const bound = bindRequest(identity, match, routes, query, { strict: isStrict(request) })
    return bound ? ask(request, bound) : notFound(request, path)
  }

  return (request) => {
    try {
      return respond(request)
    } catch (thrown) {
      return failed(request, thrown)
    }
  }
}

function deadlineExceeded(): ChainError {
  return queryError('deadlineExceeded', 'context deadline exceeded')
}

/** Milliseconds that a client waits; undefined: as long as it takes. */
function timeoutOf(request: RestRequest): number | undefined {
  const text = request.headers['grpc-timeout']
  if (text === undefined) return undefined
  const timeoutMs = parseGrpcTimeout(String(text))
  if (timeoutMs === undefined) throw violation('grpc-timeout', `invalid grpc-timeout: ${text}`)
  return timeoutMs
}

/** Metadata whose name ends in `-bin` is base64, whether or not anybody reads it. */
function checkBinaryMetadata({ headers }: RestRequest): void {
  for (const name in headers) {
    if (!name.startsWith('grpc-metadata-') || !name.endsWith('-bin')) continue
    if (!parseBase64(String(headers[name]))) throw violation(name, 'not base64')
  }
}

/** Whether the target may name a height, so that it says more than where to look among what is kept. */
function namesHeight({ target }: RestRequest): boolean {
  return target.includes('height=')
}

/** Whether unknown parameters are errors. */
function isStrict(request: RestRequest): boolean {
  return request.headers['x-strict-parameters'] !== undefined
}

function allowOf(routes: readonly Route[]): string {
  const verbs = VERBS.filter((verb) => routes.some((route) => route.verb === verb))
  return [...verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])), 'OPTIONS'].join(', ')
}
