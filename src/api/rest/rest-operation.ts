/** One operation of the REST gateway: the height and the route, a call with its deadline, and the reply. */
import { create } from '@bufbuild/protobuf'
import { parseBase64 } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { violation } from '../errors.ts'
import type { GatewayNode, QueryAnswer, QueryCall } from '../gateway.ts'
import { isLong } from '../long-messages.ts'
import { isTrace } from '../traces.ts'
import { createPayload, parseGrpcTimeout } from '../transport/http.ts'
import { createBase64Encoder, createSpool } from '../transport/spool.ts'
import { selectHeight } from './height-selection.ts'
import type { RestCache } from './rest-cache.ts'
import { type HeightSource, JSON_TYPE, type RestHeaders } from './rest-headers.ts'
import type { RestReply, RestRequest } from './rest-message.ts'
import type { RestReplies } from './rest-replies.ts'
import type { BoundRequest } from './rest-request.ts'
import type { Route } from './routes.ts'

/** Answers a request that is bound to an operation. Throws a `ChainError` for a bad height, timeout or metadata. */
export type RunOperation = (request: RestRequest, bound: BoundRequest) => RestReply | Promise<RestReply>

interface Dependencies {
  readonly node: GatewayNode
  readonly headers: RestHeaders
  readonly replies: RestReplies
  readonly cache: RestCache
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

export function createRunOperation({ node, headers, replies, cache }: Dependencies): RunOperation {
  const { failed, failure, longBody, payloadOf, reply, success } = replies

  /** Returns the reply to an answer, and caches it unless the chain rolled back while it was made. */
  function finish(
    request: RestRequest,
    route: Route,
    source: HeightSource,
    rollbacks: number | undefined,
    answer: QueryAnswer,
  ): RestReply {
    if (!answer.ok) {
      const { operationHeaders } = route
      return failure(request, route.method, answer.error, { height: answer.height, headers: operationHeaders })
    }
    const payload = payloadOf(route, answer, source)
    if (!route.isStateQuery && isLong(answer.response)) {
      return { ...success(request, payload), stream: longBody(request, route, answer.response) }
    }
    if (cache.refresh() !== rollbacks) headers.clear()
    else cache.set(request, route, answer.height, source !== 'latest', payload)
    return success(request, payload)
  }

  /** Streams a trace that is too long for memory; a shorter one is an answer like any other. */
  async function trace(
    request: RestRequest,
    route: Route,
    call: QueryCall,
    finishAnswer: (answer: QueryAnswer) => RestReply,
  ): Promise<RestReply> {
    const { signal } = request.createAbort()
    return new Promise((resolve) => {
      const spool = createSpool(createBase64Encoder(), { before: '{"data":"', after: '"}' }, (stream) => {
        const payload = createPayload('', [...JSON_TYPE, 'Cache-Control', 'no-store'], route.method)
        resolve({ ...reply(request, route.method, 200, payload), stream })
      })
      const settle = async (): Promise<void> => {
        const answer = await node.dispatch({ ...call, signal: () => signal, onPart: spool.onPart })
        const buffered = spool.buffered()
        if (buffered === undefined) spool.finish(!answer.ok)
        else if (!answer.ok) resolve(finishAnswer(answer))
        else {
          const response = create(route.rpc.output, { data: buffered } as never)
          resolve(finishAnswer({ ...answer, response }))
        }
      }
      settle().catch((thrown) => {
        spool.finish(true)
        resolve(failed(request, thrown))
      })
    })
  }

  return (request, given) => {
    const pinnedHeight = selectHeight(request.headers, given.height)
    const { bound, height } = selectOperation(node, given, pinnedHeight)
    const { route } = bound
    const source = pinnedHeight === undefined ? 'latest' : given.height === undefined ? 'header' : 'url'
    const rollbacks = cache.refresh()
    const finishAnswer = (answer: QueryAnswer): RestReply => finish(request, route, source, rollbacks, answer)
    if (route.txService && !node.settings.txServiceEnabled) {
      return failure(
        request,
        route.method,
        queryError('unimplemented', 'the transaction service is switched off (api.tx)'),
      )
    }
    checkBinaryMetadata(request)
    const timeoutMs = timeoutOf(request)
    const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs
    let abort: AbortController | undefined
    const signal = (): AbortSignal => {
      abort ??= request.createAbort()
      return abort.signal
    }
    const call = { method: route.method, request: bound.request, height, signal, timeoutMs, takesLong: true }
    if (isTrace(route.method)) return trace(request, route, call, finishAnswer)
    const answered = node.dispatch(call)
    if (!(answered instanceof Promise)) {
      const late = timeoutMs !== undefined && performance.now() >= deadline
      return late ? failure(request, route.method, deadlineExceeded()) : finishAnswer(answered)
    }
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
}

/**
 * Selects the operation by the state if its path is shared and the request names none. The answer then comes from the same
 * height as that state.
 */
function selectOperation(
  node: GatewayNode,
  bound: BoundRequest,
  height: bigint | undefined,
): { readonly bound: BoundRequest; readonly height: bigint | undefined } {
  const { withOperation, route, value } = bound
  const { sharedPath } = route
  if (!withOperation || !sharedPath) return { bound, height }
  return node.withContext(height, (ctx) => ({
    bound: withOperation(sharedPath.select(ctx, value)),
    height: ctx.block.height,
  }))
}

function deadlineExceeded(): ChainError {
  return queryError('deadlineExceeded', 'context deadline exceeded')
}

/** Returns the time that the client waits, in milliseconds; undefined if it sets no limit. */
function timeoutOf(request: RestRequest): number | undefined {
  const text = request.headers['grpc-timeout']
  if (text === undefined) return undefined
  const timeoutMs = parseGrpcTimeout(String(text))
  if (timeoutMs === undefined) throw violation('grpc-timeout', `invalid grpc-timeout: ${text}`)
  return timeoutMs
}

/** Throws `invalidArgument` unless metadata whose name ends in `-bin` is base64; it is checked even if it is not read. */
function checkBinaryMetadata({ headers }: RestRequest): void {
  for (const name in headers) {
    if (!name.startsWith('grpc-metadata-') || !name.endsWith('-bin')) continue
    if (!parseBase64(String(headers[name]))) throw violation(name, 'not base64')
  }
}
