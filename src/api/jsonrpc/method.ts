/** A JSON-RPC method: its positional parameters, how each is read, and what runs. */
import { ChainError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import type { JsonWriter } from '../json.ts'
import type { AnswerCache } from './answers.ts'
import { invalidParams } from './errors.ts'
import type { Filters } from './eth/filters.ts'
import type { Subscriptions } from './eth/subscriptions.ts'
import type { Param } from './params.ts'

/** What a method may use of the request and the connection it came on. */
export interface RpcCall {
  readonly node: GatewayNode
  readonly filters: Filters
  readonly answers: AnswerCache
  /** Writes the details of errors. */
  readonly writer: JsonWriter
  /** Present on connections that can push. */
  readonly subscriptions?: Subscriptions | undefined
  /** Aborts when the client has gone. Made when first asked for: most calls answer at once. */
  readonly signal: () => AbortSignal
}

export interface Method {
  readonly run: (call: RpcCall, params: unknown) => unknown
}

type Values<P extends readonly Param<unknown>[]> = {
  readonly [I in keyof P]: P[I] extends Param<infer T> ? T : never
}

/** The values of positional parameters. Throws -32602 as geth does: missing, too many, not readable. */
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

/** The value of the argument at a place, which an error names. Throws -32602. */
export function readArgument<T>(spec: Param<T>, value: unknown, place: number): T {
  try {
    return spec.read(value)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw invalidParams(error.codespace === 'jsonrpc' ? error.message : `invalid argument ${place}: ${error.message}`)
  }
}

/** A method from its parameters and its body; results are JSON values or promises of them. */
export function method<const P extends readonly Param<unknown>[]>(
  params: P,
  run: (call: RpcCall, ...args: Values<P>) => unknown,
): Method {
  return { run: (call, given) => run(call, ...(readParams(params, given) as unknown as Values<P>)) }
}

export type Methods = Readonly<Record<string, Method>>
