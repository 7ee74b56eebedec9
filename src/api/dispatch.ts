/** Dispatches a method and its request: to the query of a module, a service of the node, or a compute job. */
import { type DescMethod, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { lateQuery, QUERY_JOB, type QueryPayload, TOO_LONG, withFewEntries } from '../app/query-job.ts'
import { compute as computeOption } from '../gen/almanac/options_pb.ts'
import type { PageRequest } from '../gen/sdk/base/query/v1beta1/pagination_pb.ts'
import { methodOption } from '../identity/options.ts'
import { methods } from '../identity/registry.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { Compute, Dispatch, GatewayNode, QueryAnswer, QueryCall } from './gateway.ts'
import { makeWhole } from './long-messages.ts'
import { isTrace } from './traces.ts'

/** A query of a module. It is synchronous, like every read of state; one that reads many entries runs as a job. */
export type QueryHandler = (ctx: ReadContext, request: Message) => Message

/** A method of a service that no module owns: node, blocks, transactions. */
type ServiceHandler = (
  request: Message,
  call: {
    readonly height?: bigint | undefined
    readonly signal?: AbortSignal | undefined
    readonly timeoutMs?: number | undefined
  },
) => Message | Promise<Message>

export interface DispatchParts {
  /** Handlers by method path, `/chain.evm.v1.Query/Balance`. */
  readonly queries: ReadonlyMap<string, QueryHandler>
  readonly services: ReadonlyMap<string, ServiceHandler>
  readonly withContext: GatewayNode['withContext']
  readonly compute: Compute
  /** Names of the jobs that `compute` can run. */
  readonly jobs: ReadonlySet<string>
  /** Gas limit of a call or an estimate. */
  readonly gasCap: bigint
  /** Answers the trace operations. */
  readonly trace: (call: QueryCall) => Promise<QueryAnswer>
  readonly log: GatewayNode['log']
}

/** The handler of a method. */
type Source =
  | { readonly kind: 'query'; readonly handle: QueryHandler }
  | { readonly kind: 'service'; readonly handle: ServiceHandler }
  | { readonly kind: 'compute'; readonly method: DescMethod }

/** Time for which a query of a whole list is not tried again in this thread, after it has read many entries. */
const LONG_MS = 1000

/** Whether a query reads a list up to an offset or to its end, and not only a page from a key on. */
function readsWholeList(request: Message): boolean {
  const { pagination } = request as Message & { readonly pagination?: PageRequest }
  return !pagination || pagination.countTotal || pagination.offset > 0n || pagination.limit === 0n
}

/** Returns the module of a method path: the second segment of its package, or the only one. */
function moduleOf(method: string): string {
  const parts = method.slice(1, method.indexOf('/', 1)).split('.')
  return parts.length > 2 ? parts[1]! : parts[0]!
}

/** Returns the error of a method without a handler. */
function unimplemented(method: string): ChainError {
  return methods.has(method)
    ? queryError('unimplemented', `module ${moduleOf(method)} is not part of this build`)
    : queryError('unimplemented', `unknown method ${method}`)
}

/**
 * Creates the dispatch of a node. It answers synchronously, except for services and compute jobs. A method marked `compute`
 * runs as the job of the same path, if there is such a job. The job receives the request's bytes, the gas cap, and a height
 * that is fixed here.
 */
export function createDispatch(parts: DispatchParts): Dispatch {
  const sources = new Map<string, Source>()
  for (const [path, handle] of parts.services) sources.set(path, { kind: 'service', handle })
  for (const [path, handle] of parts.queries) sources.set(path, { kind: 'query', handle })
  for (const [path, method] of methods) {
    if (methodOption(method, computeOption, false) && parts.jobs.has(path))
      sources.set(path, { kind: 'compute', method })
  }

  function failure(call: QueryCall, thrown: unknown, height?: bigint): QueryAnswer {
    const known = height === undefined ? {} : { height }
    if (thrown instanceof ChainError) return { ok: false, ...known, error: thrown }
    const stack = thrown instanceof Error ? thrown.stack : String(thrown)
    parts.log('error', 'a query handler failed', { method: call.method, error: stack })
    return { ok: false, ...known, error: queryError('internal', 'internal error') }
  }

  const hasQueryJob = parts.jobs.has(QUERY_JOB)
  /** Times until which queries that read whole lists are not tried in this thread, by method. */
  const longUntil = new Map<string, number>()

  function runQuery(call: QueryCall, handle: QueryHandler): QueryAnswer | Promise<QueryAnswer> {
    let height: bigint | undefined
    const until = longUntil.get(call.method)
    const isLong = until !== undefined && performance.now() < until && readsWholeList(call.request)
    try {
      const response = parts.withContext(call.height, (ctx) => {
        height = ctx.block.height
        if (isLong) throw TOO_LONG
        return handle(hasQueryJob ? withFewEntries(ctx) : ctx, call.request)
      })
      return { ok: true, height: height!, response }
    } catch (thrown) {
      if (thrown !== TOO_LONG) return failure(call, thrown, height)
      if (!isLong) longUntil.set(call.method, performance.now() + LONG_MS)
      return runLongQuery(call, height!)
    }
  }

  /** Runs a query that reads many entries in the compute pool, at the height of its first try. */
  async function runLongQuery(call: QueryCall, height: bigint): Promise<QueryAnswer> {
    const { input, output } = methods.get(call.method)!
    const { timeoutMs } = call
    const payload: QueryPayload = { method: call.method, request: toBinary(input, call.request) }
    try {
      const bytes = await parts.compute.run(QUERY_JOB, payload, { height, signal: call.signal?.(), timeoutMs })
      return { ok: true, height, response: fromBinary(output, bytes as Uint8Array) }
    } catch (thrown) {
      const isLate = thrown instanceof ChainError && thrown.status === 'deadlineExceeded'
      return failure(call, isLate ? lateQuery() : thrown, height)
    }
  }

  /** Runs a service. Its answer names the height that a query would read, even if it does not depend on that height. */
  function runService(call: QueryCall, handle: ServiceHandler): QueryAnswer | Promise<QueryAnswer> {
    let height: bigint | undefined
    try {
      const known = parts.withContext(call.height, (ctx) => ctx.block.height)
      height = known
      const { timeoutMs } = call
      const success = (response: Message): QueryAnswer => {
        if (!call.takesLong) makeWhole(response)
        return { ok: true, height: known, response }
      }
      const answer = handle(call.request, { height: call.height, signal: call.signal?.(), timeoutMs })
      if (!(answer instanceof Promise)) return success(answer)
      return answer.then(success).catch((thrown) => failure(call, thrown, known))
    } catch (thrown) {
      return failure(call, thrown, height)
    }
  }

  function runCompute(call: QueryCall, method: DescMethod): QueryAnswer | Promise<QueryAnswer> {
    let height: bigint
    try {
      height = parts.withContext(call.height, (ctx) => ctx.block.height)
    } catch (thrown) {
      return failure(call, thrown)
    }
    const { timeoutMs } = call
    const payload = { request: toBinary(method.input, call.request), gasCap: parts.gasCap }
    const success = (bytes: unknown): QueryAnswer => ({
      ok: true,
      height,
      response: fromBinary(method.output, bytes as Uint8Array),
    })
    const refusal = (thrown: unknown) => failure(call, thrown, height)
    try {
      const light = parts.compute.attempt?.(call.method, payload, height)
      if (light) return success(light.result)
    } catch (thrown) {
      return refusal(thrown)
    }
    return parts.compute
      .run(call.method, payload, { height, signal: call.signal?.(), timeoutMs })
      .then(success, refusal)
  }

  return (call) => {
    if (isTrace(call.method)) return parts.trace(call)
    const source = sources.get(call.method)
    if (!source) return { ok: false, error: unimplemented(call.method) }
    if (source.kind === 'query') return runQuery(call, source.handle)
    return source.kind === 'service' ? runService(call, source.handle) : runCompute(call, source.method)
  }
}
