/** Definitions of JSON-RPC methods: where they are served, their positional parameters, and their function. */
import { ChainError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import type { JsonWriter } from '../json.ts'
import { invalidParams, serverError, unauthorized } from './errors.ts'
import type { Filters } from './eth/filters.ts'
import type { Subscriptions } from './eth/subscriptions.ts'
import type { Param } from './params.ts'
import type { ResultCache } from './result-cache.ts'

/** Dependencies of a running method: the node, and the connection of the request. */
export interface RpcCall {
  readonly node: GatewayNode
  readonly filters: Filters
  /** IP address of the client. */
  readonly client: string
  /** Id of the HTTP request, for the log; absent over WebSocket. */
  readonly requestId?: string | undefined
  readonly results: ResultCache
  /** Writes the details of errors. */
  readonly writer: JsonWriter
  /** Present on WebSocket connections. */
  readonly subscriptions?: Subscriptions | undefined
  /** Returns the reason why the request cannot use keys and development methods; undefined if it can. */
  readonly outsider?: (() => string | undefined) | undefined
  /** Counts bytes of an answer that is not complete yet; negative once they are sent or dropped. */
  readonly hold?: ((bytes: number) => void) | undefined
  /** Disconnects clients for which too much waits. Call it before a long answer is made. */
  readonly checkUnsent?: (() => void) | undefined
  /** Returns a signal that aborts when the client disconnects. It is created on first use, since most calls need none. */
  readonly signal: () => AbortSignal
}

/**
 * The process that can answer: `any`, which reads snapshots and forwards transactions, or only `main`, which has the pool,
 * the filters, the keys and the development chain.
 */
type ServedBy = 'any' | 'main'

export interface Method {
  readonly servedBy: ServedBy
  /** Whether the pool could change a result that was made without it. Absent if it cannot, or always can. */
  readonly needsPool?: (result: unknown, params: unknown) => boolean
  /** Whether a parameter can name the block `pending`, which only the main process has. */
  readonly atPending?: boolean
  /** Returns a JSON value or a promise of one. Throws a `ChainError`. */
  readonly run: (call: RpcCall, params: unknown) => unknown
}

type Values<P extends readonly Param<unknown>[]> = {
  readonly [I in keyof P]: P[I] extends Param<infer T> ? T : never
}

/** Reads positional parameters. Throws -32602 in the texts of geth if they are missing, too many, or malformed. */
function readParams(specs: readonly Param<unknown>[], params: unknown): readonly unknown[] {
  if (params !== undefined && params !== null && !Array.isArray(params)) throw invalidParams('non-array args')
  const given: readonly unknown[] = params ?? []
  if (given.length > specs.length) throw invalidParams(`too many arguments, want at most ${specs.length}`)
  return specs.map((spec, i) => {
    const value = given[i] ?? undefined
    if (value === undefined && spec.required) throw invalidParams(`missing value for required argument ${i}`)
    return readArgument(spec, value, i)
  })
}

/** Reads the argument at a position, which errors name. Throws -32602. */
export function readArgument<T>(spec: Param<T>, value: unknown, position: number): T {
  try {
    return spec.read(value)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw invalidParams(
      error.codespace === 'jsonrpc' ? error.message : `invalid argument ${position}: ${error.message}`,
    )
  }
}

type Run<P extends readonly Param<unknown>[]> = (call: RpcCall, ...args: Values<P>) => unknown

function define<P extends readonly Param<unknown>[]>(servedBy: ServedBy, params: P, run: Run<P>): Method {
  return { servedBy, run: (call, given) => run(call, ...(readParams(params, given) as unknown as Values<P>)) }
}

/** Defines a method that every process answers, API workers included. */
export function anyMethod<const P extends readonly Param<unknown>[]>(params: P, run: Run<P>): Method {
  return define('any', params, run)
}

/** Defines a method that only the main process answers; API workers forward it. */
export function mainMethod<const P extends readonly Param<unknown>[]>(params: P, run: Run<P>): Method {
  return define('main', params, run)
}

/**
 * Defines a method that an API worker answers from committed blocks, unless the pool could change the result; then the worker
 * forwards it.
 */
export function committedMethod<const P extends readonly Param<unknown>[]>(
  params: P,
  needsPool: (result: unknown, params: unknown) => boolean,
  run: Run<P>,
): Method {
  return { ...mainMethod(params, run), needsPool }
}

/** Defines a method that every process answers, except at the block `pending`, for which API workers forward it. */
export function blockMethod<const P extends readonly Param<unknown>[]>(params: P, run: Run<P>): Method {
  return { ...define('any', params, run), atPending: true }
}

/** Defines a method that every process refuses with -32000 and the reason, whatever its parameters. */
export function refusedMethod(reason: string): Method {
  return {
    servedBy: 'any',
    run() {
      throw serverError(reason)
    },
  }
}

export type Methods = Readonly<Record<string, Method>>

/** Returns methods that answer only to requests from this machine, and to others with code 4100. */
export function localMethods(methods: Methods): Methods {
  const guarded = Object.entries(methods).map(([name, { servedBy, run }]): [string, Method] => [
    name,
    {
      servedBy,
      run(call, params) {
        const reason = call.outsider?.()
        if (reason !== undefined) throw unauthorized(`${name} is refused: ${reason}`)
        return run(call, params)
      },
    },
  ])
  return Object.fromEntries(guarded)
}
