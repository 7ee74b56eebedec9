/** From a REST request to its reply: the cache, the route, the page or the operation. Needs no network. */
import type { DescMethod } from '@bufbuild/protobuf'
import { servicesOf } from '../../identity/registry.ts'
import { queryError } from '../../primitives/errors.ts'
import { toChainError, violation } from '../errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { createPayload, refusedEncoding } from '../transport/http.ts'
import { createRestCache } from './rest-cache.ts'
import { createRestHeaders } from './rest-headers.ts'
import { isStrict, type Respond, type RestReply, type RestRequest } from './rest-message.ts'
import { createRunOperation } from './rest-operation.ts'
import { createPages, type ExtraPage } from './rest-pages.ts'
import { createRestReplies } from './rest-replies.ts'
import { bindRequest } from './rest-request.ts'
import { createRouter, type Match, type Route } from './routes.ts'

export interface RestOptions {
  /** Memory of the response cache; 0 turns it off. 16 MiB by default. */
  readonly cacheBytes?: number
  /** Further pages, such as `/healthz`, for paths without a route. */
  readonly extra?: ExtraPage
  /** The mounted methods; all by default. */
  readonly rpcs?: readonly DescMethod[]
}

const DEFAULT_CACHE_BYTES = 16 * 1024 * 1024
const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function createRestResponder(node: GatewayNode, options: RestOptions = {}): Respond {
  const { identity } = node
  const router = createRouter(identity, options.rpcs ?? servicesOf(identity).flatMap((service) => service.methods))
  const pages = createPages(node, router, options.extra)
  const headers = createRestHeaders(node, router.routes)
  const replies = createRestReplies(node, headers)
  const cache = createRestCache(node, options.cacheBytes ?? DEFAULT_CACHE_BYTES, headers.clear)
  const run = createRunOperation({ node, headers, replies, cache })
  const { failed, failure, reply, success } = replies

  function notFound(request: RestRequest, path: string): RestReply {
    const nearest = router.nearest(path)
    const hint = nearest === undefined ? '' : `; the nearest is ${nearest}`
    return failure(request, '', queryError('notFound', `no route ${path}${hint}`))
  }

  function notAllowed(request: RestRequest, match: Match): RestReply {
    const allow = allowOf(match.routes)
    const error = queryError('unimplemented', `method ${request.verb} is not allowed: use ${allow}`)
    return failure(request, '', error, { status: 405, headers: ['Allow', allow] })
  }

  function describeMethods(request: RestRequest, path: string): RestReply {
    const match = router.match(path)
    if (!match && !pages(path)) return notFound(request, path)
    const allow = match ? allowOf(match.routes) : 'GET, HEAD, OPTIONS'
    node.observe?.({ gateway: 'rest', operation: '', status: 'ok' })
    const payload = createPayload('', ['Allow', allow, ...headers.preflight(request, allow)])
    return { status: 204, payload, headers: ['X-Request-Id', request.id] }
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
    const refusal = refusedEncoding(request.headers)
    if (refusal !== undefined) {
      return failure(request, operation, violation('content-encoding', refusal), { status: 415 })
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
      return await (bound ? run(request, bound) : notFound(request, match.routes[0]!.template))
    } catch (thrown) {
      return failed(request, thrown)
    }
  }

  function respond(request: RestRequest): RestReply | Promise<RestReply> {
    const { target } = request
    const verb = request.verb === 'HEAD' ? 'GET' : request.verb
    const payload = verb === 'GET' ? cache.get(request) : undefined
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
    return bound ? run(request, bound) : notFound(request, path)
  }

  return (request) => {
    try {
      return respond(request)
    } catch (thrown) {
      return failed(request, thrown)
    }
  }
}

function allowOf(routes: readonly Route[]): string {
  const verbs = VERBS.filter((verb) => routes.some((route) => route.verb === verb))
  return [...verbs.flatMap((verb) => (verb === 'GET' ? ['GET', 'HEAD'] : [verb])), 'OPTIONS'].join(', ')
}
