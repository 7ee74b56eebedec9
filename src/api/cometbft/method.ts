/** A method of the CometBFT RPC. */
import type { CometNodeInfo, NodeEnvironment } from '../node-info.ts'
import type { ParamKinds, Params } from './params.ts'

export type Json = Record<string, unknown>

/** Dependencies of the methods. */
export interface CometEnvironment extends NodeEnvironment {
  readonly nodeInfo: CometNodeInfo
  /** Runs a method in the process that has the pool, with parsed arguments. Resolves with JSON. Absent in that process. */
  readonly ask?: ((method: string, params: unknown) => Promise<string>) | undefined
  /** Id of the HTTP request, for the log; absent over WebSocket. */
  readonly requestId?: string
}

/** Caching of an answer by clients: `fixed` never changes, `byHeight` does not change if the call names a height. */
type Cacheable = 'never' | 'byHeight' | 'fixed'

export interface CometMethod {
  readonly params: ParamKinds
  readonly cacheable: Cacheable
  /** Whether only the process with the pool can answer; API workers forward the method. */
  readonly needsPool?: boolean
  /** Whether the engine answers it, on a node whose blocks CometBFT decides. */
  readonly isOfEngine?: boolean
  /** Whether it changes the engine, so that a node serves it only if its operator says so (`comet.unsafe`). */
  readonly isUnsafe?: boolean
  /**
   * Runs the method with arguments of the declared kinds. The result can contain long texts and long lists. `signal` aborts
   * when the client disconnects, if that is known. Throws `ChainError`.
   */
  readonly run: (environment: CometEnvironment, params: never, signal?: AbortSignal) => Json | Promise<Json>
}

/** Defines a method. Its arguments have the types of their kinds. */
export function method<Kinds extends ParamKinds>(
  params: Kinds,
  run: (environment: CometEnvironment, params: Params<Kinds>, signal?: AbortSignal) => Json | Promise<Json>,
  cacheable: Cacheable = 'never',
): CometMethod {
  return { params, cacheable, run }
}

/** Defines a method about the pool. */
export function poolMethod<Kinds extends ParamKinds>(
  params: Kinds,
  run: (environment: CometEnvironment, params: Params<Kinds>, signal?: AbortSignal) => Json | Promise<Json>,
): CometMethod {
  return { ...method(params, run), needsPool: true }
}

/** Defines a method about the chain's consensus. `run` answers it on a node that decides its blocks itself. */
export function consensusMethod<Kinds extends ParamKinds>(
  params: Kinds,
  run: (environment: CometEnvironment, params: Params<Kinds>, signal?: AbortSignal) => Json | Promise<Json>,
  cacheable: Cacheable = 'never',
): CometMethod {
  return { ...method(params, run, cacheable), isOfEngine: true }
}
